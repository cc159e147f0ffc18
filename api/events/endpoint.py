"""Events of the write API: create, update, delete.

Each operation is one unit that checks the caller, decides by `mapping.liveblog.event_patch` and writes through
`store.liveblogs.liveblogs`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from api.events.event_writes import TAKEN, changed_write, digest, key_of_creation, new_write, render_event
from api.http import openapi
from api.http.errors import json_response
from api.http.idempotency import KEY, idempotency_key
from api.http.param import NAME, Text
from api.http.request import parse_document
from api.media.addresses import WrittenRecord, check_addresses
from api.media.data_images import store_files, take_data_images
from api.view.liveblog_access import (
    LiveblogIndex,
    check_version,
    expected_version,
    may_write_events,
    named_liveblog,
    writable_game,
)
from mapping.documents.base import dump, parse
from mapping.documents.event import Event
from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, InvalidRequest, NotFound, Unprocessable
from mapping.posts.merge import same
from store.clients import idempotency
from store.files.port import new_key
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change, EventWrite, StoredEvent, StoredGame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Connection
    from starlette.responses import Response

    from api.http.json_path import Json
    from api.http.request import ApiRequest, Caller
    from store.engine.unit import Unit
    from store.media.uploads import Upload

EVENT = "event_local_id"
NO_EVENT = "there is no such event"
KEY_DIGITS = 32
"""Hexadecimal digits of an event's `local_id` that an `Idempotency-Key` decides."""

EXAMPLE: Json = {
    "_type": "Svc::Model::Event",
    "local_id": "e4p1xk2m9",
    "highlight": "inplace",
    "contents": [
        {"_type": "Svc::Model::Content::RichTextContentBlock", "text": "<p>A <b>fine</b> move down the left.</p>"},
        {"_type": "Svc::Model::Content::QuoteContentBlock", "text": "We kept going.", "author": "The coach"},
    ],
    "sport_event": {
        "sportstype": "soccer",
        "event_type": "soccer.goal",
        "time_of_play": "45+2'",
        "title": "Goal",
        "players": [{"event_player_type": "scorer", "player": {"local_id": "p9", "name": "Ole Brandt"}}],
    },
}
CHANGED: Json = {"headline": "Level at half-time", "highlight": "milestone"}


def _response(example: Json) -> Json:
    shown = openapi.document_answer(Event, "The event, media in full", dump(parse(Event, example)))
    updated = openapi.with_link(shown, "event.update", body="$response.body", event_local_id="local_id")
    return openapi.with_link(updated, "event.delete", event_local_id="local_id")


NAMES_EVENT = Text(EVENT, "`local_id` of the event", NAME, required=True)
CREATE = openapi.operation(
    "event.create",
    "Post an event",
    "Events",
    {200: _response(EXAMPLE), **openapi.WRITE_ERRORS},
    parameters=[
        Text("ticker_local_id", "`local_id` of the liveblog; this or `ticker_id`", NAME),
        Text("ticker_id", "`ticker_id` of the liveblog, instead of `ticker_local_id`", NAME),
        KEY,
        openapi.IF_MATCH,
    ],
    body=openapi.json_body(openapi.request_schema(Event), EXAMPLE),
)
UPDATE = openapi.operation(
    "event.update",
    "Change an event",
    "Events",
    {200: _response(EXAMPLE | CHANGED), **openapi.WRITE_ERRORS},
    parameters=[NAMES_EVENT, openapi.IF_MATCH],
    body=openapi.json_body(openapi.request_schema(Event), CHANGED),
)
DELETE = openapi.operation(
    "event.delete",
    "Delete an event",
    "Events",
    {
        200: openapi.json_answer({"type": "object", "maxProperties": 0}, "Deleted, now or before", {}),
        **openapi.WRITE_ERRORS,
    },
    parameters=[NAMES_EVENT, openapi.IF_MATCH],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """The outcome of a unit; `version` is None where nothing was written."""

    document: Json
    liveblog: str
    event_id: str
    version: int | None


async def create(request: ApiRequest) -> Response:
    """Post an event (interface: Events, Create)."""
    names = named_liveblog(request.query)
    body = await request.json()
    key = idempotency_key(request.headers)
    made = new_key() if key is None else _made_of(request.caller.client_id, key)
    target = partial(_new, names, request.caller)
    images = await take_data_images(request, body, target, str(body.get("local_id") or made))
    event = parse_document(Event, body)
    if key is not None and not event.local_id:
        event = event.model_copy(update={"local_id": made})
    await check_addresses(request, event, target)
    if images and not await request.services.store.read(partial(_is_there, event.local_id)):
        await store_files(request, images)
    work = partial(
        create_event,
        caller=request.caller,
        names=names,
        event=event,
        expected=expected_version(request.headers),
        files=[each.upload for each in images],
    )
    return await _run(request, "event.create", work, next(iter(names.values())))


async def update(request: ApiRequest) -> Response:
    """Change an event (interface: Events, Update)."""
    event_id, body = _named(request), await request.json()
    target = partial(_known, event_id, request.caller)
    images = await take_data_images(request, body, target, new_key())
    event = parse_document(Event, body)
    await check_addresses(request, event, target)
    if images:
        await store_files(request, images)
    work = partial(
        update_event,
        caller=request.caller,
        event_id=event_id,
        event=event,
        expected=expected_version(request.headers),
        files=[each.upload for each in images],
    )
    return await _run(request, "event.update", work, event_id)


async def delete(request: ApiRequest) -> Response:
    """Delete an event, whatever body the request has (interface: Events, Delete)."""
    event_id, expected = _named(request), expected_version(request.headers)
    work = partial(delete_event, caller=request.caller, event_id=event_id, expected=expected)
    return await _run(request, "event.delete", work, event_id)


def _named(request: ApiRequest) -> str:
    if not (name := NAMES_EVENT.of(request.query)):
        raise InvalidRequest(f"{EVENT} is missing", field=EVENT)
    return name


async def _run(request: ApiRequest, name: str, work: Callable[[Unit], WriteResult], named: str) -> Response:
    """Run the unit, queued with others of the liveblog to which `named` belongs, as far as that is known."""
    store, index = request.services.store, request.services[LiveblogIndex]
    done = await store.write(work, group_key=index(named))
    index.note(named, done.liveblog)
    index.note(done.event_id, done.liveblog)
    if done.version is not None:
        request.audit(name, liveblog=done.liveblog, version=done.version, record=done.event_id)
    return json_response(done.document)


def _is_there(local_id: str | None, conn: Connection) -> bool:
    return local_id is not None and liveblogs.event(conn, local_id) is not None


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
    before, game = _stored(unit, event_id, caller)
    if before.local_status == LocalStatus.DELETED:
        raise NotFound(NO_EVENT, field="event_local_id")
    if event.local_id not in {None, before.local_id}:
        raise Unprocessable("local_id names another event", field="local_id")
    check_version(expected, changed=before.version, current=game.version)
    return _write(unit, game, changed_write(unit, game, caller, before, event, files), before)


def delete_event(unit: Unit, *, caller: Caller, event_id: str, expected: int | None) -> WriteResult:
    """Delete an event for good; deleting it again changes nothing."""
    before, game = _stored(unit, event_id, caller)
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


def _made_of(client_id: str, key: str) -> str:
    """The `local_id` of the event that a client creates with an `Idempotency-Key`: the same key, the same event."""
    return f"e{hashlib.sha256(f'{client_id} {key}'.encode()).hexdigest()[:KEY_DIGITS]}"


def _stored(unit: Unit, event_id: str, caller: Caller) -> tuple[StoredEvent, StoredGame]:
    """The named event and its liveblog, locked; one that is not the caller's is the same as none."""
    try:
        event, game = liveblogs.lock_event(unit, event_id)
    except NotFound:
        raise NotFound(NO_EVENT, field="event_local_id") from None
    if not may_write_events(game, caller):
        raise NotFound(NO_EVENT, field="event_local_id")
    return event, game


def _new(names: Mapping[str, str], caller: Caller, conn: Connection) -> WrittenRecord | None:
    """A new event in the named liveblog; None where the caller may not write it."""
    game = liveblogs.find_game(conn, next(iter(names.values())))
    return WrittenRecord(game.organization_id) if game and may_write_events(game, caller) else None


def _known(event_id: str, caller: Caller, conn: Connection) -> WrittenRecord | None:
    """The named event as the caller is shown it; None where the caller may not write it."""
    event = liveblogs.event(conn, event_id)
    game = event and liveblogs.find_game(conn, event.game_id)
    if event is None or game is None or not may_write_events(game, caller):
        return None
    return WrittenRecord(game.organization_id, render_event(conn, event, older=False))


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
