"""Hot and simple operations that branch off before the framework's routing: one table of paths, plain handlers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.context import context_of
from api.errors import MethodNotAllowed, error_response
from api.services import Services

Params = Mapping[str, str]
Handler = Callable[["Services", "Scope", Params], Awaitable[Response]]

METHODS = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Branch:
    """A path for GET and HEAD, or for POST; a last segment in braces matches anything.

    No `operation`: not part of the API. A POST's handler finds the body in the context.
    """

    path: str
    handler: Handler
    operation: Mapping[str, Any] | None = None
    method: str = "GET"

    @property
    def methods(self) -> tuple[str, ...]:
        return METHODS if self.method == "GET" else (self.method,)

    @property
    def fixed(self) -> str:
        """The path up to its parameter."""
        return self.path.partition("{")[0]

    @property
    def parameter(self) -> str:
        return self.path.partition("{")[2].removesuffix("}")


async def whole(receive: Receive) -> bytes:
    """The body of a request; raises ClientDisconnect where the rest of it will not come."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


class Branches:
    """ASGI app that answers the paths of its table and leaves the others to the app behind it."""

    def __init__(self, app: ASGIApp, services: Services, table: tuple[Branch, ...]) -> None:
        self._app = app
        self._services = services
        self._exact = {branch.path: branch for branch in table if not branch.parameter}
        self._prefixes = tuple(branch for branch in table if branch.parameter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._find(scope["path"]) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        branch, params = found
        if scope["method"] not in branch.methods:
            answer = error_response(MethodNotAllowed("this route does not take this method"))
            answer.headers["Allow"] = ", ".join(branch.methods)
        else:
            if scope["method"] == "POST":
                context_of(scope).body = await whole(receive)
            answer = await branch.handler(self._services, scope, params)
        await answer(scope, receive, send)

    def _find(self, path: str) -> tuple[Branch, Params] | None:
        if branch := self._exact.get(path):
            return branch, {}
        for branch in self._prefixes:
            rest = path.removeprefix(branch.fixed)
            if path.startswith(branch.fixed) and rest and "/" not in rest:
                return branch, {branch.parameter: rest}
        return None
