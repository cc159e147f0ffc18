"""The unit behind `ticker/post_modifications`: all of them or none, one step of the version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from api.json_path import Json, text
from api.liveblog_access import check_version, may_write_events
from api.liveblogs import placing
from api.liveblogs.placing import DocumentPlacing
from api.liveblogs.titles import has_own_title, titled
from api.reading import NO_LIVEBLOG, among
from mapping.documents.modification import MOST_MODIFICATIONS
from mapping.errors import Forbidden, InvalidRequest, NotFound, Unprocessable
from mapping.modifications import OWNERS_ONLY, Editing, apply, kind_of, sent
from store import liveblogs
from store.liveblogs import Change, StoredGame

if TYPE_CHECKING:
    from api.auth import Caller
    from mapping.documents.modification import PostModifications
    from store.unit import Unit

NAMES = ("local_id", "ticker_id")
PARTS = ("meta_info", "scoreboard")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyRequest:
    """A checked request; `expected`: the version in `If-Match`."""

    caller: Caller
    wanted: PostModifications
    expected: int | None = None


def modify(unit: Unit, order: ModifyRequest) -> StoredGame:
    """The liveblog after all modifications, one version later; without any it stays as it is.

    Raises NotFound, Forbidden, Conflict, Unprocessable.
    """
    game = _locked(unit, order)
    check_version(order.expected, changed=game.version, current=game.version)
    modifications = [sent(each) for each in order.wanted.modifications]
    _check_allowed(game, order.caller, modifications)
    if not modifications:
        return game
    placed = _placed(unit, game, order.caller, modifications)
    before = Editing(document=game.document, local_status=game.local_status, sportstype=game.sportstype)
    after = apply(before, placed)
    if any(kind_of(each) == "UpdateGameMetaInfoModification" for each in placed):
        after = _titled(unit, before, after, placed)
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


def _locked(unit: Unit, order: ModifyRequest) -> StoredGame:
    named = {name: value for name in NAMES if (value := getattr(order.wanted, name))}
    if not named:
        raise Unprocessable("local_id or ticker_id should be given", field=NAMES[0])
    if len(order.wanted.modifications) > MOST_MODIFICATIONS:
        raise Unprocessable(f"at most {MOST_MODIFICATIONS} modifications a request", field="modifications")
    (field, name), *others = named.items()
    try:
        game = liveblogs.lock_game(unit, name)
    except NotFound:
        raise NotFound(NO_LIVEBLOG, field=field) from None
    if not may_write_events(game, order.caller):
        raise NotFound(NO_LIVEBLOG, field=field)
    if any(other not in {game.id, game.local_id} for _, other in others):
        raise InvalidRequest(f"{' and '.join(named)} name different liveblogs", field=field)
    return game


def _check_allowed(game: StoredGame, caller: Caller, modifications: list[Json]) -> None:
    if among(game, caller):
        return
    for index, each in enumerate(modifications):
        if kind_of(each) in OWNERS_ONLY:
            raise Forbidden("only the owner's clients may do this", field=f"modifications.{index}._type")


def _placed(unit: Unit, game: StoredGame, caller: Caller, modifications: list[Json]) -> list[Json]:
    wanted = DocumentPlacing(
        unit=unit,
        caller=caller,
        owner_id=game.organization_id,
        sportstype=game.sportstype,
        standing=game.document,
    )
    placing.check(wanted, {"modifications": modifications})
    return [_place(wanted, each, f"modifications.{index}") for index, each in enumerate(modifications)]


def _place(wanted: DocumentPlacing, modification: Json, path: str) -> Json:
    if sport := modification.get("sportstype"):
        wanted = replace(wanted, sportstype=str(sport))
    parts = {
        name: placing.part(wanted, modification[name], name, path=f"{path}.{name}")
        for name in PARTS
        if name in modification
    }
    if "marketplace_info" in modification:
        info = modification["marketplace_info"]
        parts["marketplace_info"] = placing.marketplace(wanted, info, path=f"{path}.marketplace_info")
    return {**modification, **parts}


def _titled(unit: Unit, before: Editing, after: Editing, modifications: list[Json]) -> Editing:
    given = any(text(each, "meta_info", "title") for each in modifications)
    keep = given or has_own_title(unit.conn, before.document)
    cleared = not text(after.document, "meta_info", "title")
    return replace(after, document=titled(unit.conn, dict(after.document), keep=keep and not cleared))
