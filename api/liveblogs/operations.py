"""The units behind `ticker/create` and `ticker/post_modifications`: all or nothing, one step of the version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from api.http.json_path import Json, at, kind, node, text
from api.http.param import IDEMPOTENCY_HEADER, digest_of
from api.http.request import Caller
from api.liveblogs import write_check
from api.liveblogs.write_check import WriteCheck
from api.media.document_files import check_uploads
from api.view.liveblog_access import among, check_version, writable_game
from api.view.references import complete
from mapping.documents.base import dump
from mapping.documents.game import GameDraft
from mapping.documents.modification import MOST_MODIFICATIONS, PostModifications
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, Forbidden, Unprocessable
from mapping.liveblog.modifications import OWNERS_ONLY, Editing, apply, check_for_sport, kind_of, sent_fields
from store.clients import idempotency
from store.engine.liveblog_records import Change, NewGame, StoredGame, new_local_id, new_object_id, title_of
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.media import uploads
from store.media.uploads import Upload

STORED = (
    "locale", "external_url", "meta_info", "scoreboard", "options", "tags", "use_syndication_controls", "permissions",
    "marketplace_info",
)  # fmt: skip
LONGEST = 255
_NOT_IN_PATHS = re.compile(r"[\x00-\x1f\x7f-\x9f/\\]")
"""Characters that no `external_id` has: it stands in paths as one segment."""
NAMES = ("local_id", "ticker_local_id", "ticker_id")
PARTS = ("meta_info", "scoreboard")


def create_once(
    unit: Unit,
    draft: GameDraft,
    caller: Caller,
    *,
    organizations: Callable[[str], object],
    files: Sequence[Upload],
    key: str | None,
) -> StoredGame:
    """The liveblog that the same document with the same `Idempotency-Key` has created before, else a new one.

    Raises Conflict when the key came with another document, and what `create` raises.
    """
    if key is None:
        return create(unit, draft, caller, organizations=organizations, files=files)
    name, created_by = (draft.organization_id, caller.client_id, key), digest_of(dump(draft))
    idempotency.lock_name(unit, " ".join(name))
    if (known := idempotency.find(unit.conn, *name)) is not None:
        if known[0] != created_by:
            raise Conflict("this Idempotency-Key was used for another request", field=IDEMPOTENCY_HEADER)
        return liveblogs.require_game(unit.conn, known[1])
    game = create(unit, draft, caller, organizations=organizations, files=files)
    idempotency.save(unit, *name, created_by, game.id)
    return game


def create(
    unit: Unit,
    draft: GameDraft,
    caller: Caller,
    *,
    organizations: Callable[[str], object],
    files: Sequence[Upload] = (),
) -> StoredGame:
    """The new liveblog; the one that the same document with the same `external_id` has created before.

    `organizations`: as in `WriteCheck`; `files`: uploads that came with it, whose files are stored.
    Raises Forbidden, Unprocessable, and Conflict when the `external_id` is taken by another document.
    """
    document = dump(draft)
    local_id = _local_id(draft)
    if draft.external_id:
        idempotency.lock_name(unit, local_id)
        known = liveblogs.find_game(unit.conn, local_id)
        if known is not None and known.local_status == LocalStatus.DELETED:
            liveblogs.rename(unit, known, new_local_id("g"))
        elif known is not None:
            if idempotency.digest_of(unit.conn, known.id) != digest_of(document):
                raise Conflict("this external_id is taken", field="external_id")
            return known
    for each in files:
        uploads.create(unit, each)
    check_uploads(unit.conn, draft.organization_id, document, None)
    target = WriteCheck(
        unit=unit,
        caller=caller,
        organizations=organizations,
        owner_id=draft.organization_id,
        sportstype="",
    )
    sport = write_check.template(target, draft.template_id)
    game = NewGame(
        id=new_object_id(unit.now),
        local_id=local_id,
        organization_id=draft.organization_id,
        external_id=draft.external_id,
        sportstype=sport,
        template_id=draft.template_id,
        document=_document(replace(target, sportstype=sport), document),
    )
    stored = liveblogs.insert_game(unit, game)
    if draft.external_id:
        idempotency.save_digest(unit, stored.id, digest_of(document))
    return stored


def _local_id(draft: GameDraft) -> str:
    if draft.external_id is None:
        return new_local_id("g")
    local_id = f"{draft.organization_id}_{draft.external_id}"
    if len(local_id) > LONGEST or _NOT_IN_PATHS.search(draft.external_id):
        raise Unprocessable("external_id is too long, or has control characters or a slash", field="external_id")
    return local_id


def _document(target: WriteCheck, draft: Json) -> Json:
    document = {name: draft[name] for name in STORED if name in draft}
    check_for_sport(target.sportstype, document)
    write_check.check(target, document)
    for index, each in enumerate(document["permissions"]):
        write_check.permission(target, each, path=f"permissions.{index}")
    for name in ("meta_info", "scoreboard"):
        if name in document:
            document[name] = write_check.part(target, document[name], name, path=name)
    document["tags"] = write_check.tags(target, document["tags"])
    if "marketplace_info" in document:
        info = document["marketplace_info"]
        document["marketplace_info"] = write_check.marketplace(target, info, path="marketplace_info")
    return with_title(target.unit.conn, document, keep=bool(at(document, "meta_info", "title")))


def modify(
    unit: Unit,
    wanted: PostModifications,
    caller: Caller,
    *,
    organizations: Callable[[str], object],
    expected: int | None = None,
) -> StoredGame | None:
    """The liveblog after all modifications, one version later; without any it stays as it is, deleted again it is None.

    Raises NotFound, Forbidden, Conflict, Unprocessable.
    """
    if _deleted_again(unit.conn, wanted, caller):
        return None
    game = _lock_game(unit, wanted, caller)
    check_version(expected, changed=game.version, current=game.version)
    modifications = [sent_fields(each) for each in wanted.modifications]
    _check_allowed(game, caller, modifications)
    if not modifications:
        return game
    target = WriteCheck(
        unit=unit,
        caller=caller,
        organizations=organizations,
        owner_id=game.organization_id,
        sportstype=game.sportstype,
        before=game.document,
    )
    check_uploads(unit.conn, game.organization_id, {"modifications": modifications}, game.document)
    write_check.check(target, {"modifications": modifications})
    placed = [_place(target, each, f"modifications.{index}") for index, each in enumerate(modifications)]
    before = Editing(document=game.document, local_status=game.local_status, sportstype=game.sportstype)
    after = apply(before, placed)
    if any(kind_of(each) == "UpdateGameMetaInfoModification" for each in placed):
        after = _add_title(unit, before, after, placed)
    liveblogs.record(
        unit,
        game.id,
        Change(
            game=after.document if after.document != before.document else None,
            local_status=after.local_status if after.local_status != before.local_status else None,
            sportstype=after.sportstype if after.sportstype != before.sportstype else None,
        ),
    )
    changed = liveblogs.find_game(unit.conn, game.id)
    return changed or game


def _deleted_again(conn: Connection, wanted: PostModifications, caller: Caller) -> bool:
    """Whether the request does nothing but delete a liveblog that its owner has deleted before."""
    changes = wanted.modifications
    if not changes or any(getattr(each, "local_status", None) != LocalStatus.DELETED for each in changes):
        return False
    games = [liveblogs.find_game(conn, name) for name in names_in(wanted).values()]
    return any(game and game.local_status == LocalStatus.DELETED and among(game, caller) for game in games)


def names_in(modifications: PostModifications) -> dict[str, str]:
    """The names of the liveblog in a request, by field."""
    return {name: value for name in NAMES if (value := getattr(modifications, name))}


def _lock_game(unit: Unit, wanted: PostModifications, caller: Caller) -> StoredGame:
    named = names_in(wanted)
    if not named:
        raise Unprocessable("local_id, ticker_local_id or ticker_id should be given", field=NAMES[0])
    if len(wanted.modifications) > MOST_MODIFICATIONS:
        raise Unprocessable(f"at most {MOST_MODIFICATIONS} modifications a request", field="modifications")
    return writable_game(unit, named, caller)


def _check_allowed(game: StoredGame, caller: Caller, modifications: list[Json]) -> None:
    if among(game, caller):
        return
    for index, each in enumerate(modifications):
        if kind_of(each) in OWNERS_ONLY:
            raise Forbidden("only the owner's clients may do this", field=f"modifications.{index}._type")


def _place(target: WriteCheck, modification: Json, path: str) -> Json:
    if sport := modification.get("sportstype"):
        target = replace(target, sportstype=str(sport))
    parts: Json = {
        name: write_check.part(target, modification[name], name, path=f"{path}.{name}")
        for name in PARTS
        if name in modification
    }
    if modification.get("tags"):
        parts["tags"] = write_check.tags(target, modification["tags"], path=f"{path}.tags")
    if "permission" in modification:
        write_check.permission(target, modification["permission"], path=f"{path}.permission")
    if "marketplace_info" in modification:
        info = modification["marketplace_info"]
        parts["marketplace_info"] = write_check.marketplace(target, info, path=f"{path}.marketplace_info")
    return {**modification, **parts}


def _add_title(unit: Unit, before: Editing, after: Editing, modifications: list[Json]) -> Editing:
    given = any(text(each, "meta_info", "title") for each in modifications)
    keep = given or has_own_title(unit.conn, before.document)
    cleared = not text(after.document, "meta_info", "title")
    return replace(after, document=with_title(unit.conn, dict(after.document), keep=keep and not cleared))


def default_title(conn: Connection, document: Mapping[str, Any]) -> str:
    """What a team game is called when nobody says otherwise; empty for a title game."""
    meta = node(document, "meta_info")
    if kind(meta) != "TeamGameMetaInfo":
        return ""
    bare = {"meta_info": {**meta, "title": None}, "scoreboard": document.get("scoreboard") or {}}
    return title_of(complete(conn, [bare])[0], {})


def has_own_title(conn: Connection, document: Mapping[str, Any]) -> bool:
    """Whether somebody has chosen the title."""
    title = text(document, "meta_info", "title")
    return bool(title) and title != default_title(conn, document)


def with_title(conn: Connection, document: Json, *, keep: bool) -> Json:
    """The document with the default title, unless its own is to be kept."""
    default = "" if keep else default_title(conn, document)
    return {**document, "meta_info": {**document["meta_info"], "title": default}} if default else document
