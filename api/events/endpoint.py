"""Events of the write API: create, update, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.audit import audit
from api.errors import json_response
from api.events import write_event
from api.events.write_event import WriteRequest
from api.liveblog_access import expected_version, named_liveblog
from mapping.documents.event import Event
from mapping.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from api.routing import ApiRequest
    from store.unit import Unit

EVENT = "event_local_id"


async def create(request: ApiRequest) -> Response:
    """Post an event (interface: Events, Create)."""
    order = WriteRequest(
        caller=request.caller,
        names=named_liveblog(request.query),
        event=await request.document(Event),
        expected=expected_version(request.headers),
    )
    return await _written(request, "event.create", write_event.create, order)


async def update(request: ApiRequest) -> Response:
    """Change an event (interface: Events, Update)."""
    order = WriteRequest(
        caller=request.caller,
        event_id=_named(request),
        event=await request.document(Event),
        expected=expected_version(request.headers),
    )
    return await _written(request, "event.update", write_event.update, order)


async def delete(request: ApiRequest) -> Response:
    """Delete an event, whatever body the request has (interface: Events, Delete)."""
    order = WriteRequest(caller=request.caller, event_id=_named(request), expected=expected_version(request.headers))
    return await _written(request, "event.delete", write_event.delete, order)


def _named(request: ApiRequest) -> str:
    if not (name := request.query.get(EVENT)):
        raise InvalidRequest(f"{EVENT} is missing", field=EVENT)
    return name


async def _written(
    request: ApiRequest,
    operation: str,
    work: Callable[[Unit, WriteRequest], write_event.WriteResult],
    order: WriteRequest,
) -> Response:
    services = request.services
    name = order.event_id or next(iter((order.names or {}).values()))
    done = await services.store.write(lambda unit: work(unit, order), group_key=services.homes(name))
    services.homes.note(name, done.liveblog)
    if not order.event_id:
        services.homes.note(done.event_id, done.liveblog)
    if done.version is not None:
        audit(request.context, operation, liveblog=done.liveblog, version=done.version, record=done.event_id)
    return json_response(done.answer)
