"""The API as one ASGI app: limits outermost, then credentials, then the table of routes."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from api.errors import routing_error
from api.middleware.credentials import Credentials
from api.middleware.request_limits import RequestLimits
from api.read_cache import ReadCache
from api.routes import ROUTES
from api.routing import mounted
from api.stream.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from api.services import Services


def create_app(services: Services, *, monotonic: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does."""
    if services.streams is None:
        services = replace(services, streams=Streams(services.store))
    settings = services.settings
    app = Starlette(
        routes=mounted(ROUTES, services),
        middleware=[
            Middleware(
                RequestLimits,
                reads=ReadCache(services.store, monotonic, settings.read_cache_bytes),
                url_bytes=settings.url_bytes,
                body_bytes=settings.body_bytes,
                monotonic=monotonic,
            ),
            Middleware(Credentials, services, monotonic),
        ],
        exception_handlers={HTTPException: _routing_error},
    )
    app.router.redirect_slashes = False
    return app


async def _routing_error(_: Request, error: Exception) -> Response:
    return routing_error(cast("HTTPException", error))
