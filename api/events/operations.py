"""Creates, changes and deletes events: each operation is one unit, which checks the caller and what is written.

It decides by `mapping.liveblog.event_patch` and writes through `store.liveblogs.liveblogs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection

from api.http.json_path import Json, at
from api.http.param import digest_of
from api.http.request import Caller
from api.media.document_files import check_uploads, with_sizes
from api.view.liveblog_access import among, check_version, may_write_events, writable_game
from api.view.references import check_references, complete, writer_names
from mapping.documents.base import dump
from mapping.documents.event import Event
from mapping.documents.people import Player, Team
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, NotFound, Unprocessable
from mapping.liveblog.event_patch import EventBefore, PatchedEvent, changed_post, event_document, new_post
from mapping.match.references import part_ids, shown_ids
from mapping.posts.event_media import Stamp
from mapping.posts.merge import same
from store.clients import idempotency
from store.engine.liveblog_records import Change, EventWrite, StoredEvent, StoredGame, new_local_id
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import owners_of_parts
from store.masterdata import declarations, masterdata_edit
from store.media import uploads
from store.media.uploads import Upload
from store.tables import players, teams

NO_EVENT = "there is no such event"
TAKEN = "this local_id is taken"
OURS = ("sort", "user_id", "version", "editor", "comments")
"""What clients send back and the service alone decides."""
RECORD_TABLES = {Player: players, Team: teams}
RECORD_FIELDS = ("short_name", "name_addition", "country", "number", "position", "gender")
"""What a new record takes from the post beside its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """The outcome of a unit; `version` is None where nothing was written."""

    document: Json
    liveblog: str
    event_id: str
    version: int | None


def create_event(
    unit: Unit,
    *,
    caller: Caller,
    names: Mapping[str, str],
    event: Event,
    expected: int | None,
    files: Sequence[Upload] = (),
) -> WriteResult:
    """Post a new event; one that was posted already, with the same `local_id` and document, is given again.

    `files`: uploads that came with it, whose files are stored.
    """
    game = writable_game(unit, names, caller)
    if event.local_id and (known := liveblogs.event(unit.conn, event.local_id)) is not None:
        _check_same(unit, event, known, game)
        return _result(unit, game, known, None)
    check_version(expected, changed=game.version, current=game.version)
    return _write(unit, game, new_write(unit, game, caller, event, files), None)


def update_event(
    unit: Unit, *, caller: Caller, event_id: str, event: Event, expected: int | None, files: Sequence[Upload] = ()
) -> WriteResult:
    """Change an event; every update is a step, one that changes nothing too. `files` as with `create_event`."""
    before, game = _lock_event(unit, event_id, caller)
    if before.local_status == LocalStatus.DELETED:
        raise NotFound(NO_EVENT, field="event_local_id")
    if event.local_id not in {None, before.local_id}:
        raise Unprocessable("local_id names another event", field="local_id")
    check_version(expected, changed=before.version, current=game.version)
    return _write(unit, game, changed_write(unit, game, caller, before, event, files), before)


def delete_event(unit: Unit, *, caller: Caller, event_id: str, expected: int | None) -> WriteResult:
    """Delete an event for good; deleting it again changes nothing."""
    before, game = _lock_event(unit, event_id, caller)
    if before.local_status == LocalStatus.DELETED:
        return WriteResult(document={}, liveblog=game.local_id, event_id=before.local_id, version=None)
    check_version(expected, changed=before.version, current=game.version)
    document = {**before.document, "editor": caller.client_id}
    write = before.rewritten(document=document, local_status=LocalStatus.DELETED, publish_at=None)
    return replace(_write(unit, game, write, before), document={})


def _check_same(unit: Unit, event: Event, known: StoredEvent, game: StoredGame) -> None:
    """Raise Conflict unless the known event was created in this liveblog by the same document."""
    created_by = idempotency.find(unit.conn, game.organization_id, "", key_of_creation(known.local_id))
    again = created_by is not None and same(created_by[0], digest(event))
    if known.game_id != game.id or known.local_status == LocalStatus.DELETED or not again:
        raise Conflict(TAKEN, field="local_id")


def _lock_event(unit: Unit, event_id: str, caller: Caller) -> tuple[StoredEvent, StoredGame]:
    """The named event and its liveblog, locked; one that is not the caller's is the same as none."""
    try:
        event, game = liveblogs.lock_event(unit, event_id)
    except NotFound:
        raise NotFound(NO_EVENT, field="event_local_id") from None
    if not may_write_events(game, caller):
        raise NotFound(NO_EVENT, field="event_local_id")
    return event, game


def _write(unit: Unit, game: StoredGame, write: EventWrite, before: StoredEvent | None) -> WriteResult:
    """Write one event; what waits for its time, and waited before, is written without a step of the version."""
    waits = write.publish_at is not None and write.publish_at > unit.now and write.local_status != LocalStatus.DELETED
    known = {} if before is None else {before.local_id: before}
    if waits and (before is None or before.publish_at is not None):
        version, stored = game.version, liveblogs.schedule(unit, game, write, known=known)
    else:
        recorded = liveblogs.write(unit, game, Change(events=(write,)), known=known)
        version, stored = recorded.version, recorded.events[write.local_id]
    return _result(unit, game, stored, version)


def _result(unit: Unit, game: StoredGame, event: StoredEvent, version: int | None) -> WriteResult:
    return WriteResult(
        document=render_event(unit.conn, event), liveblog=game.local_id, event_id=event.local_id, version=version
    )


def new_write(unit: Unit, game: StoredGame, caller: Caller, event: Event, files: Sequence[Upload] = ()) -> EventWrite:
    """A new event of a liveblog that is locked, checked and as it is to be written."""
    drafts = at(game.document, "meta_info", "editorial_publishing") is True
    whole = with_records(unit, event, game) if among(game, caller) else event
    patched = new_post(whole, Stamp(caller.client_id, unit.now, new_local_id), drafts=drafts)
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
    patched = changed_post(event, so_far, Stamp(caller.client_id, unit.now, new_local_id))
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


def with_records(unit: Unit, event: Event, game: StoredGame) -> Event:
    """The post with an `_id` for each team and player that has a name and no id; what else the post says of them stays."""
    changed: Event = _place_records(unit, event, game, {})
    return changed


def _place_records(unit: Unit, value: Any, game: StoredGame, made: dict[tuple[str, str], str]) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(_place_records(unit, each, game, made) for each in value)
    if not isinstance(value, BaseModel):
        return value
    if isinstance(value, Player | Team):
        return _name_record(unit, value, game, made)
    parts = {
        name: (getattr(value, name), _place_records(unit, getattr(value, name), game, made))
        for name in value.model_fields_set
    }
    changes = {name: after for name, (before, after) in parts.items() if after is not before and after != before}
    return value.model_copy(update=changes) if changes else value


def _name_record(unit: Unit, value: Player | Team, game: StoredGame, made: dict[tuple[str, str], str]) -> Player | Team:
    name = (value.name or "").strip()
    if not name or value.id_ or value.local_id or value.image:  # a picture of the post's is not the record's
        return value
    table = RECORD_TABLES[type(value)]
    if (key := (table.name, name)) not in made:
        given = {each: getattr(value, each, None) for each in RECORD_FIELDS}
        identity = {"owner_id": game.organization_id, "sportstype": game.sportstype, "name": name}
        made[key] = masterdata_edit.find_or_create(unit, table, {**given, **identity}).id
    return value.model_copy(update={"id_": made[key]})
