"""Events of the write API: create, update, delete."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.events.operations import WriteResult, create_event, delete_event, render_event, update_event
from api.http import openapi
from api.http.errors import json_response
from api.http.json_path import Json
from api.http.param import KEY, NAME, Text, idempotency_key
from api.http.request import ApiRequest, Caller, parse_document
from api.media.document_files import WrittenRecord, check_addresses, store_files, take_data_images
from api.view.liveblog_access import LiveblogIndex, expected_version, may_write_events, named_liveblog
from mapping.documents.base import dump, parse
from mapping.documents.event import Event
from mapping.errors import InvalidRequest
from store.engine.liveblog_records import new_key
from store.engine.unit import Unit
from store.liveblogs import liveblogs

EVENT = "event_local_id"
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
        200: openapi.json_answer(openapi.EMPTY, "Deleted, now or before", {}),
        **openapi.WRITE_ERRORS,
    },
    parameters=[NAMES_EVENT, openapi.IF_MATCH],
)


async def create(request: ApiRequest) -> Response:
    """Post an event (interface: Events, Create)."""
    names = named_liveblog(request.query)
    body = await request.json()
    key = idempotency_key(request.headers)
    digest = hashlib.sha256(f"{request.caller.client_id} {key}".encode()).hexdigest()
    made = new_key() if key is None else f"e{digest[:KEY_DIGITS]}"  # the same key, the same event
    target = partial(_record_of_new_event, names, request.caller)
    images = await take_data_images(request, body, target, str(body.get("local_id") or made))
    event = parse_document(Event, body)
    if key is not None and not event.local_id:
        event = event.model_copy(update={"local_id": made})
    await check_addresses(request, event, target)
    find = partial(liveblogs.event, local_id=event.local_id or "")
    if images and await request.services.store.read(find) is None:  # one that is there keeps its files
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
    event_id, body = _event_id(request), await request.json()
    target = partial(_record_of_event, event_id, request.caller)
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
    event_id, expected = _event_id(request), expected_version(request.headers)
    work = partial(delete_event, caller=request.caller, event_id=event_id, expected=expected)
    return await _run(request, "event.delete", work, event_id)


def _event_id(request: ApiRequest) -> str:
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


def _record_of_new_event(names: Mapping[str, str], caller: Caller, conn: Connection) -> WrittenRecord | None:
    """A new event in the named liveblog; None where the caller may not write it."""
    game = liveblogs.find_game(conn, next(iter(names.values())))
    return WrittenRecord(game.organization_id) if game and may_write_events(game, caller) else None


def _record_of_event(event_id: str, caller: Caller, conn: Connection) -> WrittenRecord | None:
    """The named event as the caller is shown it; None where the caller may not write it."""
    event = liveblogs.event(conn, event_id)
    game = event and liveblogs.find_game(conn, event.game_id)
    if event is None or game is None or not may_write_events(game, caller):
        return None
    return WrittenRecord(game.organization_id, render_event(conn, event, older=False))
