"""Events of the write API: create, update, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.auth import Caller, proven
from api.branches import Branch
from api.context import context_of, headers_of
from api.errors import json_response
from api.write import posting
from api.write.access import expected_version, named_liveblog
from api.write.audit import audit
from api.write.bodies import checked, read_body
from api.write.described import CREATE, DELETE, UPDATE
from api.write.posting import Order
from mapping.documents.event import Event
from mapping.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import Scope

    from api.branches import Params
    from api.context import Context
    from api.services import Services
    from store.unit import Unit

EVENT_PATH = "/api/v5/write/event"
EVENT = "event_local_id"


async def create(services: Services, scope: Scope, _: Params) -> Response:
    """Post an event (interface: Events, Create)."""
    context = context_of(scope)
    caller = _writer(context)
    order = Order(
        caller=caller,
        names=named_liveblog(context.query),
        event=read_event(context.body),
        expected=expected_version(headers_of(scope)),
    )
    return await _written(services, context, "event.create", posting.create, order)


async def update(services: Services, scope: Scope, _: Params) -> Response:
    """Change an event (interface: Events, Update)."""
    context = context_of(scope)
    order = Order(
        caller=_writer(context),
        event_id=_named(context),
        event=read_event(context.body),
        expected=expected_version(headers_of(scope)),
    )
    return await _written(services, context, "event.update", posting.update, order)


async def delete(services: Services, scope: Scope, _: Params) -> Response:
    """Delete an event, whatever body the request has (interface: Events, Delete)."""
    context = context_of(scope)
    order = Order(caller=_writer(context), event_id=_named(context), expected=expected_version(headers_of(scope)))
    return await _written(services, context, "event.delete", posting.delete, order)


def read_event(body: bytes) -> Event:
    """The event in a body; raises InvalidRequest, or Unprocessable with the field at fault."""
    return checked(Event, read_body(body))


def _writer(context: Context) -> Caller:
    caller = proven(context.caller)
    caller.demand("write")
    return caller


def _named(context: Context) -> str:
    if not (name := context.query.get(EVENT)):
        raise InvalidRequest(f"{EVENT} is missing", field=EVENT)
    return name


async def _written(
    services: Services,
    context: Context,
    operation: str,
    work: Callable[[Unit, Order], posting.Written],
    order: Order,
) -> Response:
    name = order.event_id or next(iter((order.names or {}).values()))
    done = await services.store.write(lambda unit: work(unit, order), about=services.homes(name))
    services.homes.note(name, done.liveblog)
    if not order.event_id:
        services.homes.note(done.event_id, done.liveblog)
    if done.version is not None:
        audit(context, operation, liveblog=done.liveblog, version=done.version, record=done.event_id)
    return json_response(done.answer)


BRANCHES = (
    Branch(f"{EVENT_PATH}/create.json", create, CREATE, "POST"),
    Branch(f"{EVENT_PATH}/update.json", update, UPDATE, "POST"),
    Branch(f"{EVENT_PATH}/delete.json", delete, DELETE, "POST"),
)
