"""The units behind the event operations: each checks the caller, decides by `mapping.event_patch`, writes through one door."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from api.events.referred import check_parts, check_references
from api.json_path import Json, at
from api.liveblog_access import check_version, may_write_events, writable_game
from api.references import complete
from mapping.documents.base import dump
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, NotFound, Unprocessable
from mapping.event_media import Stamp
from mapping.event_patch import Posted, Standing, changed_post, new_post, shown
from mapping.merge import same
from store import idempotency, liveblogs
from store.ids import new_local_id
from store.liveblogs import Change, EventWrite, StoredEvent, StoredGame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from api.auth import Caller
    from mapping.documents.event import Event
    from store.unit import Unit

NO_EVENT = "there is no such event"
TAKEN = "this local_id is taken"
OURS = ("sort", "user_id", "version", "editor", "comments")
"""What clients send back and the service alone decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """A checked request; `names` the liveblog or `event_id` the event, `expected` the version of `If-Match`."""

    caller: Caller
    event: Event | None = None
    names: Mapping[str, str] | None = None
    event_id: str = ""
    expected: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What a unit answers; `version` None where nothing was written."""

    answer: Json
    liveblog: str
    event_id: str
    version: int | None


def create(unit: Unit, order: WriteRequest) -> WriteResult:
    """Post a new event; one that was posted already, with the same `local_id` and document, is answered again."""
    event, caller = _event(order), order.caller
    game = writable_game(unit, order.names or {}, caller)
    if event.local_id and (known := liveblogs.event(unit.conn, event.local_id)) is not None:
        _check_same(unit, event, known, game)
        return WriteResult(
            answer=answer(unit.conn, known), liveblog=game.local_id, event_id=known.local_id, version=None
        )
    check_version(order.expected, changed=game.version, current=game.version)
    drafts = at(game.document, "meta_info", "editorial_publishing") is True
    posted = new_post(event, Stamp(caller.client_id, unit.now), drafts=drafts, new_id=new_local_id)
    check_references(unit.conn, posted.sent, game, caller)
    local_id = event.local_id or new_local_id("e")
    check_parts(unit.conn, posted, local_id)
    if event.local_id:
        idempotency.remember(unit, game.organization_id, "", _key(local_id), digest(event), game.id)
    return _write(unit, game, _as_write(posted, local_id, caller.client_id), None)


def update(unit: Unit, order: WriteRequest) -> WriteResult:
    """Change an event; every update is a step, one that changes nothing too."""
    event = _event(order)
    before, game = _standing(unit, order)
    if before.local_status == LocalStatus.DELETED:
        raise NotFound(NO_EVENT, field="event_local_id")
    if event.local_id not in {None, before.local_id}:
        raise Unprocessable("local_id names another event", field="local_id")
    check_version(order.expected, changed=before.version, current=game.version)
    stood = Standing(
        document=before.document,
        shown=answer(unit.conn, before, older=event.event_info is not None),
        local_status=before.local_status,
        created_at=before.created_at,
        publish_at=before.publish_at,
    )
    posted = changed_post(event, stood, Stamp(order.caller.client_id, unit.now), new_id=new_local_id)
    check_references(unit.conn, posted.sent, game, order.caller, known=stood.shown)
    check_parts(unit.conn, posted, before.local_id)
    return _write(unit, game, _as_write(posted, before.local_id, before.user_id), before)


def delete(unit: Unit, order: WriteRequest) -> WriteResult:
    """Delete an event for good; deleting it again changes nothing."""
    before, game = _standing(unit, order)
    if before.local_status == LocalStatus.DELETED:
        return WriteResult(answer={}, liveblog=game.local_id, event_id=before.local_id, version=None)
    check_version(order.expected, changed=before.version, current=game.version)
    write = EventWrite(
        local_id=before.local_id,
        document={**before.document, "editor": order.caller.client_id},
        created_at=before.created_at,
        local_status=LocalStatus.DELETED,
        user_id=before.user_id,
    )
    return replace(_write(unit, game, write, before), answer={})


def answer(conn: Connection, event: StoredEvent, *, older: bool = True) -> Json:
    """The event as the write API shows it: references resolved, in both forms unless the `older` one is of no use."""
    [document] = complete(conn, [shown(event.as_document(), older=older)])
    return document


def digest(event: Event) -> str:
    """SHA-256 in hex of what the document means, whatever its spelling."""
    said = {name: value for name, value in dump(event).items() if name not in OURS}
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _event(order: WriteRequest) -> Event:
    if order.event is None:
        raise Unprocessable("the body should be an event")
    return order.event


def _check_same(unit: Unit, event: Event, known: StoredEvent, game: StoredGame) -> None:
    """Raise Conflict unless the known event was created in this liveblog by the same document."""
    remembered = idempotency.recall(unit.conn, game.organization_id, "", _key(known.local_id))
    again = remembered is not None and same(remembered[0], digest(event))
    if known.game_id != game.id or known.local_status == LocalStatus.DELETED or not again:
        raise Conflict(TAKEN, field="local_id")


def _key(local_id: str) -> str:
    """The key of a creation; no `Idempotency-Key` holds a blank, so the two never meet."""
    return f"event {local_id}"


def _standing(unit: Unit, order: WriteRequest) -> tuple[StoredEvent, StoredGame]:
    """The named event and its liveblog, locked; one that is not the caller's is the same as none."""
    try:
        event, game = liveblogs.lock_event(unit, order.event_id)
    except NotFound:
        raise NotFound(NO_EVENT, field="event_local_id") from None
    if not may_write_events(game, order.caller):
        raise NotFound(NO_EVENT, field="event_local_id")
    return event, game


def _as_write(posted: Posted, local_id: str, user_id: str) -> EventWrite:
    return EventWrite(
        local_id=local_id,
        document=posted.document,
        created_at=posted.created_at,
        updated_at=posted.updated_at,
        local_status=posted.local_status,
        publish_at=posted.publish_at,
        user_id=user_id,
    )


def _write(unit: Unit, game: StoredGame, write: EventWrite, before: StoredEvent | None) -> WriteResult:
    """Through the one door; what waits for its time, as before, is written without a step."""
    waits = write.publish_at is not None and write.publish_at > unit.now and write.local_status != LocalStatus.DELETED
    known = {} if before is None else {before.local_id: before}
    if waits and (before is None or before.publish_at is not None):
        version, stored = game.version, liveblogs.schedule(unit, game, write, known=known)
    else:
        recorded = liveblogs.write(unit, game, Change(events=(write,)), known=known)
        version, stored = recorded.version, recorded.events[write.local_id]
    return WriteResult(
        answer=answer(unit.conn, stored), liveblog=game.local_id, event_id=write.local_id, version=version
    )
