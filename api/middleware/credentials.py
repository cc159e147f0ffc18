"""The door behind the guard: finds out who asks, and how often they have asked lately."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.addresses import group_of
from api.auth import Clients, presented
from api.context import Context, context_of, headers_of
from api.middleware.rate_limiter import RateLimiter, Taken
from mapping.errors import RateLimited, Unauthorized

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from api.services import Services

UNCOUNTED = ("/livez", "/readyz", "/static/", "/docs")
"""Paths that ask nothing of the store for a client: probes and files."""
MONITORED = "/metrics"
"""Whoever may read it is answered whatever the limits; wrong secrets are charged here too."""


class Credentials:
    """Authenticates credentials wherever they are given, and charges the client's bucket or else the address's."""

    def __init__(self, app: ASGIApp, services: Services, monotonic: Callable[[], float]) -> None:
        settings = services.settings
        self._app = app
        self._clients = Clients(services.store, monotonic)
        self._by_client = RateLimiter(settings.client_per_second, settings.client_burst, monotonic)
        self._by_address = RateLimiter(settings.public_per_second, 2 * settings.public_per_second, monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(UNCOUNTED):
            await self._admit(scope, context_of(scope))
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope, context: Context) -> None:
        address = group_of(scope["client"][0]) if scope.get("client") else ""
        try:
            claim = presented(headers_of(scope), context.query)
            context.caller = await self._clients.caller(claim) if claim else None
        except Unauthorized:
            _charge(context, self._by_address.take(address))
            raise
        if scope["path"] == MONITORED:
            return
        if context.caller is not None and context.caller.proven:
            _charge(context, self._by_client.take(context.caller.client_id))
        else:
            _charge(context, self._by_address.take(address))


def _charge(context: Context, taken: Taken | None) -> None:
    if taken is None:
        return
    context.headers.update(taken.headers())
    if not taken.allowed:
        raise RateLimited("too many requests", retry_after=taken.wait)
