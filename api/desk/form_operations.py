"""Operations of the API, done for a form of the desk: by the same handlers, with the same checks, written down alike."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from api.external import endpoint, match_preview, source
from api.http.people import PeopleDoor
from api.http.request import CONTEXT, HEADERS, ApiRequest
from api.http.routing import ACCESS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Message

    from api.http.people import DeskPerson
    from api.http.routing import Access, Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOperation:
    """An operation with what a form says. `written`: its name in the audit, empty for a read."""

    handler: Handler
    access: Access
    path: Mapping[str, str]
    written: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


async def perform(request: ApiRequest, person: DeskPerson, operation: FormOperation) -> dict[str, Any]:
    """The document of the operation's response; raises what the operation raises."""
    inner = _inner(request, operation)
    ACCESS[operation.access](inner)
    response = await operation.handler(inner)
    if operation.written:
        target = inner.context.written or " ".join(operation.path.values())
        await request.services[PeopleDoor].record(person, operation.written, target)
    found: dict[str, Any] = json.loads(bytes(response.body))
    return found


async def perform_change(
    request: ApiRequest, person: DeskPerson, liveblog: str, body: Mapping[str, Any]
) -> dict[str, Any]:
    """Change what a liveblog takes over from its match."""
    return await perform(
        request,
        person,
        FormOperation(
            handler=source.change,
            access="external",
            path=liveblog_path(person, liveblog),
            written="liveblog.changeExternal",
            body=body,
        ),
    )


async def perform_creation(
    request: ApiRequest, person: DeskPerson, body: Mapping[str, Any], key: str
) -> dict[str, Any]:
    """Create a liveblog of a match; the same key creates one, however often the form is sent."""
    return await perform(
        request,
        person,
        FormOperation(
            handler=endpoint.create_from_external,
            access="external",
            path={"organizationId": person.organization_id},
            written="liveblog.createFromExternal",
            body=body,
            headers={"idempotency-key": key} if key else {},
        ),
    )


async def perform_attachment(
    request: ApiRequest, person: DeskPerson, liveblog: str, body: Mapping[str, Any]
) -> dict[str, Any]:
    """Put the liveblog on a match."""
    path, name = liveblog_path(person, liveblog), "liveblog.attachExternal"
    operation = FormOperation(handler=source.attach, access="external", path=path, written=name, body=body)
    return await perform(request, person, operation)


async def perform_detachment(request: ApiRequest, person: DeskPerson, liveblog: str) -> dict[str, Any]:
    """Take the liveblog off its match."""
    path, name = liveblog_path(person, liveblog), "liveblog.detachExternal"
    return await perform(
        request, person, FormOperation(handler=source.detach, access="external", path=path, written=name)
    )


async def perform_preview(request: ApiRequest, person: DeskPerson, query: Mapping[str, str]) -> dict[str, Any]:
    """Look at a match."""
    path = {"organizationId": person.organization_id}
    operation = FormOperation(handler=match_preview.show_preview, access="external", path=path, query=query)
    return await perform(request, person, operation)


async def perform_show(request: ApiRequest, person: DeskPerson, liveblog: str) -> dict[str, Any]:
    """What a liveblog takes over from its match."""
    path = liveblog_path(person, liveblog)
    return await perform(request, person, FormOperation(handler=source.show, access="read", path=path))


def liveblog_path(person: DeskPerson, liveblog: str) -> dict[str, str]:
    """The parameters of the path of an operation on a liveblog of the person's organization."""
    return {"organizationId": person.organization_id, "liveblogId": liveblog}


def _inner(request: ApiRequest, operation: FormOperation) -> ApiRequest:
    """The request of the operation: sent by the same person, with the parameters and the body that the form stands for."""
    body = b"" if operation.body is None else json.dumps(operation.body).encode()
    headers = [
        (name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in operation.headers.items()
    ]
    scope = {
        **request.scope,
        "path_params": dict(operation.path),
        "headers": headers,
        CONTEXT: replace(request.context, query=dict(operation.query), written=None),
    }
    scope.pop(HEADERS, None)

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return ApiRequest(scope, receive)
