"""A row of the table of routes, and how its handler is reached: access is checked, then one request in, one response out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from starlette import routing
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.errors import MethodNotAllowed
from api.http.request import (
    ANY_ORIGIN,
    UNAUTHORIZED,
    ApiRequest,
    Context,
    DeskPerson,
    PeopleDoor,
    Services,
    context_of,
    rename_types,
)
from mapping.errors import Forbidden, NotFound, Unauthorized

Access = Literal[
    "open",
    "page",
    "feed",
    "reader",
    "desk",
    "read",
    "write",
    "external",
    "webhooks",
    "comments",
    "stats",
    "metrics",
    "admin",
]
"""Who may send it. Open: anybody. Page: a client's id, anybody where feeds are public. Feed: a reading client, anybody where
feeds are public. Reader: like a page. Desk: anybody, where there is a desk; its pages know who is signed in.
Metrics: a client with the scope `admin`, anybody where they are public. Else a client with its secret, or a person by its
session, with the scope of that name (read: or write), of the organization that the path names; no person has `admin`."""
FOR_PEOPLE = frozenset({"desk", "read", "write", "external", "webhooks", "comments", "stats"})
"""Access of routes where a person's session counts."""


PREFLIGHT = {
    **ANY_ORIGIN,
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers": (
        "Cache-Control, Content-Type, Idempotency-Key, If-Modified-Since, If-None-Match, Last-Event-ID, Reader-Token"
    ),
    "Access-Control-Max-Age": "7200",
}
"""What scripts of other sites may send: what a reader sends, and never a secret."""
FOR_SCRIPTS = frozenset({"feed", "page", "reader"})
"""Access of routes that scripts of other sites use."""
READER_BYTES = 8192
"""What readers send beside the text of a comment."""
ESCAPED_BYTES = 12
"""Of a character in JSON that is written in ASCII alone, at most."""
ERRORS = 400
"""The least status of a response that says that nothing was written."""
WRITTEN_NAMES = ("ticker_local_id", "ticker_id", "event_local_id")
"""Parameters of the query that name what a write is about."""
READ = ("read", "write")
"""Scopes of which either one is enough to read."""
Handler = Callable[[ApiRequest], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the table. `operation`: how the OpenAPI document describes it; without one it is no part of the API."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    handler: Handler
    access: Access
    operation: Mapping[str, Any] | None = None
    body_bytes: int | None = None
    """The largest body that it takes; without one, what `largest_body` says of its access."""
    people: bool = False
    """Whether a person's session counts although anybody may send it."""

    @property
    def takes_sessions(self) -> bool:
        """Whether a person's session counts here; nowhere else is a cookie looked at."""
        return self.people or self.access in FOR_PEOPLE

    def largest_body(self, documents: int, comment: int) -> int:
        """How many bytes it takes; `documents`: the setting for documents, `comment`: characters of a comment."""
        if self.body_bytes is not None:
            return min(self.body_bytes, documents)
        if self.method == "POST" and self.access in {"open", "page", "feed", "reader"}:
            return min(READER_BYTES + ESCAPED_BYTES * comment, documents)
        return documents


class Routes:
    """ASGI app of the table. A path without parameters is looked up, others are matched by Starlette's router.

    Raises NotFound for a path that no row has, MethodNotAllowed with the methods of all rows that have it.
    """

    def __init__(self, routes: Iterable[Route], services: Services) -> None:
        by_path: dict[str, list[Route]] = {}
        for row in routes:
            by_path.setdefault(row.path, []).append(row)
        apps: dict[str, ASGIApp] = {path: RoutesOfPath(rows, services) for path, rows in by_path.items()}
        apps |= {f"{path}/": WithoutSlash() for path, rows in by_path.items() if any(map(_is_typed, rows))}
        self._fixed = {path: app for path, app in apps.items() if "{" not in path}
        # An origin is a URL with slashes, which the server has decoded before any route is looked up.
        patterns = {path.replace("{origin}", "{origin:path}"): app for path, app in apps.items() if "{" in path}
        self._router = routing.Router(
            [routing.Route(path, app) for path, app in patterns.items()], redirect_slashes=False, default=_refuse
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._fixed.get(scope["path"], self._router)(scope, receive, send)

    def session_access(self, scope: Scope) -> Access | None:
        """The access of the row that the request is for, where a person's session counts; None elsewhere."""
        app = self._fixed.get(scope["path"])
        if app is None:
            matches = (each for each in self._router.routes if each.matches(scope)[0] is not routing.Match.NONE)
            app = getattr(next(matches, None), "app", None)
        row = app.rows.get(scope["method"]) if isinstance(app, RoutesOfPath) else None
        return row.access if row is not None and row.takes_sessions else None


def _is_typed(row: Route) -> bool:
    """Whether people type or paste the address: a page, a frame, oEmbed, the desk."""
    return row.method == "GET" and row.access in {"page", "desk"} and not row.path.startswith("/api/")


async def _refuse(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise NotFound("there is no such route")


class WithoutSlash:
    """ASGI app of a path with a slash at its end: leads to the one without, wherever the service lies."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            context_of(scope).headers["Allow"] = "GET, HEAD"
            raise MethodNotAllowed("this route does not take this method")
        path = scope.get("raw_path") or quote(scope["path"]).encode()
        name = path.decode("latin-1").partition("?")[0].rstrip("/").rpartition("/")[2]
        query = scope["query_string"].decode("latin-1")
        location = f"../{name}{f'?{query}' if query else ''}"
        await Response(status_code=301, headers={"Location": location, **ANY_ORIGIN})(scope, receive, send)


class RoutesOfPath:
    """ASGI app of one path: the row of the request's method, GET for HEAD."""

    def __init__(self, rows: Sequence[Route], services: Services) -> None:
        self.rows: dict[str, Route] = {row.method: row for row in rows}
        if "GET" in self.rows:
            self.rows["HEAD"] = self.rows["GET"]
        self._for_scripts = any(row.access in FOR_SCRIPTS for row in rows)
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._for_scripts and scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=PREFLIGHT)(scope, receive, send)
            return
        row, context, settings = self.rows.get(scope["method"]), context_of(scope), self._services.settings
        if row is None:
            context.headers["Allow"] = ", ".join(sorted(self.rows))
            raise MethodNotAllowed("this route does not take this method")
        scope["services"] = self._services
        context.route = row.path
        context.body_bytes = row.largest_body(settings.limits.body_bytes, settings.comments.text_length)
        response = await self._respond(ApiRequest(scope, receive), row)
        if scope["method"] == "HEAD" and isinstance(response, StreamingResponse):
            head = Response(status_code=response.status_code, background=response.background)
            head.raw_headers = response.raw_headers
            response = head  # nothing is read for a body that nobody is sent
        await response(scope, receive, send)  # for minutes, if it is a stream: the request is not kept for so long

    async def _respond(self, request: ApiRequest, row: Route) -> Response:
        check_access(request, row.access)
        response = await row.handler(request)
        caller, written = request.context.caller, (row.operation or {}).get("operationId")
        if row.method != "GET" and written and isinstance(caller, DeskPerson) and response.status_code < ERRORS:
            await self._services[PeopleDoor].record(caller, str(written), _target(request))
        rename_types(response, request.context.response_prefix)
        return response


def _target(request: ApiRequest) -> str:
    """What a person's write was about: what the handler has said, else what the path names."""
    names = (str(each) for each in (*request.path_params.values(), *map(request.query.get, WRITTEN_NAMES)) if each)
    return request.context.written or " ".join(names)


def check_access(request: ApiRequest, access: Access) -> None:
    """Raise NotFound, Unauthorized or Forbidden unless the caller may send it; note whether scripts of others may read it."""
    context, settings = request.context, request.services.settings
    public = settings.server.public_feeds
    match access:
        case "open":
            return
        case "desk":
            if not settings.desk.enabled:
                raise NotFound("there is no such route")
        case "metrics":
            if not settings.server.public_metrics:
                request.caller.demand("admin")
        case "feed":
            if public:
                context.headers.update(ANY_ORIGIN)
            else:
                request.caller.demand(*READ)
        case "page" | "reader":
            _let_in_reader(context, public=public, anywhere=access == "reader")
        case _:
            request.caller.demand(*(READ if access == "read" else (access,)))
            if "organizationId" in request.path_params:
                check_organization(request, request.organization_id)


def _let_in_reader(context: Context, *, public: bool, anywhere: bool) -> None:
    if anywhere or public or context.caller is None or not context.caller.proven:
        context.headers.update(ANY_ORIGIN)
    if not public and context.caller is None:
        raise Unauthorized(UNAUTHORIZED)


def check_organization(request: ApiRequest, organization_id: str) -> None:
    """Raise Forbidden unless the client belongs to the organization, and this service knows it."""
    request.caller.demand_organization(organization_id)
    if request.services.organizations(organization_id) is None:
        raise Forbidden("the client has no access to this organization")
