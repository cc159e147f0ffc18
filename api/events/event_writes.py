"""Events as they are to be written: checked for the liveblog, which is locked, and for whoever writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.events.named_records import with_records
from api.http.idempotency import digest_of
from api.http.json_path import Json, at
from api.media.uses import check_uploads, with_sizes
from api.view.liveblog_access import among
from api.view.references import check_references, complete, writer_names
from mapping.documents.base import dump
from mapping.errors import Conflict, Unprocessable
from mapping.liveblog.event_patch import EventBefore, PatchedEvent, changed_post, event_document, new_post
from mapping.match.references import part_ids, shown_ids
from mapping.posts.event_media import Stamp
from store.clients import idempotency
from store.engine.ids import new_local_id
from store.liveblogs.event_rows import owners_of_parts
from store.liveblogs.liveblogs import EventWrite, StoredEvent, StoredGame
from store.masterdata import declarations
from store.media import uploads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from api.http.request import Caller
    from mapping.documents.event import Event
    from store.engine.unit import Unit
    from store.media.uploads import Upload

TAKEN = "this local_id is taken"
OURS = ("sort", "user_id", "version", "editor", "comments")
"""What clients send back and the service alone decides."""


def new_write(unit: Unit, game: StoredGame, caller: Caller, event: Event, files: Sequence[Upload] = ()) -> EventWrite:
    """A new event of a liveblog that is locked, checked and as it is to be written."""
    drafts = at(game.document, "meta_info", "editorial_publishing") is True
    whole = with_records(unit, event, game) if among(game, caller) else event
    patched = new_post(whole, Stamp(caller.client_id, unit.now), drafts=drafts, new_id=new_local_id)
    _check_references(unit, patched, game, caller, known={})
    for each in files:
        uploads.create(unit, each)
    check_uploads(unit.conn, game.organization_id, patched.sent, None)
    local_id = event.local_id or new_local_id("e")
    _check_parts(unit.conn, patched, local_id)
    if event.local_id:
        idempotency.save(unit, game.organization_id, "", key_of_creation(local_id), digest(event), game.id)
    return _as_write(unit, game, patched, local_id, caller.client_id)


def changed_write(  # noqa: PLR0917 -- the five that every write has, and its files
    unit: Unit, game: StoredGame, caller: Caller, before: StoredEvent, event: Event, files: Sequence[Upload] = ()
) -> EventWrite:
    """An event of a liveblog that is locked, after the change, checked and as it is to be written."""
    so_far = EventBefore(
        document=before.document,
        shown=render_event(unit.conn, before, older=event.event_info is not None),
        local_status=before.local_status,
        created_at=before.created_at,
        publish_at=before.publish_at,
    )
    event = with_records(unit, event, game) if among(game, caller) else event
    patched = changed_post(event, so_far, Stamp(caller.client_id, unit.now), new_id=new_local_id)
    _check_references(unit, patched, game, caller, known=so_far.shown)
    for each in files:
        uploads.create(unit, each)
    check_uploads(unit.conn, game.organization_id, patched.sent, so_far.shown)
    _check_parts(unit.conn, patched, before.local_id)
    return _as_write(unit, game, patched, before.local_id, before.user_id)


def render_event(conn: Connection, event: StoredEvent, *, older: bool = True) -> Json:
    """The event as the write API shows it: references resolved, in both forms unless the `older` one is of no use."""
    stored = event.as_document()
    names = writer_names(conn, [stored])
    [document] = complete(conn, [event_document(stored, older=older, called=names)])
    return document


def digest(event: Event) -> str:
    """SHA-256 in hex of what the document means, whatever its spelling."""
    content = {name: value for name, value in dump(event).items() if name not in OURS}
    return digest_of(content)


def key_of_creation(local_id: str) -> str:
    """The key of a creation; no `Idempotency-Key` holds a blank, so the two never meet."""
    return f"event {local_id}"


def _as_write(unit: Unit, game: StoredGame, patched: PatchedEvent, local_id: str, user_id: str) -> EventWrite:
    return EventWrite(
        local_id=local_id,
        document=with_sizes(unit.conn, game.organization_id, patched.document),
        created_at=patched.created_at,
        updated_at=patched.updated_at,
        local_status=patched.local_status,
        publish_at=patched.publish_at,
        user_id=user_id,
    )


def _check_references(
    unit: Unit, patched: PatchedEvent, game: StoredGame, caller: Caller, *, known: Mapping[str, Any]
) -> None:
    """Raise Unprocessable, with the path, for a tag that is not declared and a record that the caller may not see.

    `known`: the post so far, whose references need no check.
    """
    before = known.get("tag_ids") or ()
    tags = [(index, each) for index, each in enumerate(patched.sent.get("tag_ids") or ()) if each not in before]
    declared = declarations.declared_ids(unit.conn, "tag", game.organization_id) if tags else ()
    for index, each in tags:
        if each not in declared:
            raise Unprocessable("there is no such tag", field=f"tag_ids.{index}")
    visible = caller.organizations | {game.organization_id}
    check_references(unit.conn, patched.sent, visible=visible, known=known)


def _check_parts(conn: Connection, patched: PatchedEvent, event_id: str) -> None:
    """Raise Unprocessable for an id that two parts of the post have, Conflict for one that belongs to another post."""
    seen: dict[str, str] = {}
    for path, local_id in part_ids(patched.document):
        if local_id in seen:
            raise Unprocessable("two parts of the post have this local_id", field=path)
        seen[local_id] = path
    sent = (*shown_ids(patched.sent), *part_ids(patched.sent))  # those that the service chose are free
    chosen = {local_id: path for path, local_id in sent if local_id in seen}
    for local_id, owner in owners_of_parts(conn, list(chosen)).items():
        if owner != event_id:
            raise Conflict(TAKEN, field=chosen[local_id])
