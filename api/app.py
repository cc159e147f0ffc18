"""The API as one ASGI app: limits outermost, then credentials, then the table of routes."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from api.middleware.credentials import Credentials
from api.middleware.request_limits import RequestLimits
from api.read_cache import ReadCache
from api.readers.limits import ReaderLimits
from api.routes import ROUTES
from api.routing import Routes
from api.stream.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from api.services import Services


def create_app(services: Services, *, monotonic: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does."""
    if services.streams is None:
        services = replace(services, streams=Streams(services.store, clock=services.clock))
    settings = services.settings
    services = replace(services, reader_limits=ReaderLimits(settings.readers, monotonic))
    return RequestLimits(
        Credentials(Routes(ROUTES, services), services, monotonic),
        reads=ReadCache(services.store, monotonic, settings.read_cache_bytes, services.read_counts),
        request_log=services.request_log,
        url_bytes=settings.url_bytes,
        body_bytes=settings.body_bytes,
        monotonic=monotonic,
    )
