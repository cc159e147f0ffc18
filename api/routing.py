"""What a row of the table of routes is, and how its handler is reached: checked access, then one request in, one response out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from starlette import routing
from starlette.requests import Request
from starlette.responses import Response

from api.auth import Caller, proven
from api.bodies import checked, read_body
from api.context import Context, context_of
from api.reading import READ, check_feed_reader, check_page_reader
from mapping.documents.base import Document
from mapping.errors import Forbidden

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from api.query import Query
    from api.services import Services

DocumentT = TypeVar("DocumentT", bound=Document)
Access = Literal["open", "page", "feed", "read", "write", "external", "webhooks", "metrics"]
"""Who may ask. Open: anybody. Page: a client's id, anybody where feeds are public. Feed: a reading client, anybody where
feeds are public. Metrics: a client with the scope `admin`, anybody where they are public. Else a client with its secret and
the scope of that name (read: or write), of the organization that the path names."""


class ApiRequest(Request):
    """A request whose caller has been let in."""

    @property
    def services(self) -> Services:
        services: Services = self.scope["services"]
        return services

    @property
    def context(self) -> Context:
        return context_of(self.scope)

    @property
    def query(self) -> Query:
        """The parameters of the query, each given once."""
        return self.context.query

    @property
    def caller(self) -> Caller:
        """Whoever gave a valid secret; raises Unauthorized."""
        return proven(self.context.caller)

    @property
    def organization_id(self) -> str:
        """The organization that the path names."""
        return str(self.path_params["organizationId"])

    async def document(self, model: type[DocumentT]) -> DocumentT:
        """The document in the body; raises InvalidRequest, or Unprocessable with the field at fault."""
        return checked(model, read_body(await self.body()))


Handler = Callable[[ApiRequest], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the table. `operation`: how the OpenAPI document describes it; without one it is no part of the API."""

    method: Literal["GET", "POST"]
    path: str
    handler: Handler
    access: Access
    operation: Mapping[str, Any] | None = None

    def mounted(self, services: Services) -> routing.Route:
        """The row as the router takes it; GET takes HEAD too."""
        return routing.Route(self.path, Endpoint(self, services), methods=[self.method])


class Endpoint:
    """ASGI app of one row."""

    def __init__(self, route: Route, services: Services) -> None:
        self._handler = route.handler
        self._check = ACCESS[route.access]
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["services"] = self._services
        request = ApiRequest(scope, receive)
        self._check(request)
        response = await self._handler(request)
        await response(scope, receive, send)


def _open(_: ApiRequest) -> None:
    return


def _page(request: ApiRequest) -> None:
    check_page_reader(request.context.caller, public=request.services.settings.public_feeds)


def _feed(request: ApiRequest) -> None:
    check_feed_reader(request.context.caller, public=request.services.settings.public_feeds)


def _metrics(request: ApiRequest) -> None:
    if not request.services.settings.public_metrics:
        request.caller.demand("admin")


def _scoped(*scopes: str) -> Callable[[ApiRequest], None]:
    def check(request: ApiRequest) -> None:
        request.caller.demand(*scopes)
        if "organizationId" in request.path_params:
            check_organization(request, request.organization_id)

    return check


def check_organization(request: ApiRequest, organization_id: str) -> None:
    """Raise Forbidden unless the client belongs to the organization, and this service knows it."""
    request.caller.demand_organization(organization_id)
    if request.services.organizations(organization_id) is None:
        raise Forbidden("the client has no access to this organization")


ACCESS: Mapping[Access, Callable[[ApiRequest], None]] = {
    "open": _open,
    "page": _page,
    "feed": _feed,
    "metrics": _metrics,
    "read": _scoped(*READ),
    "write": _scoped("write"),
    "external": _scoped("external"),
    "webhooks": _scoped("webhooks"),
}
