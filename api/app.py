"""The API as one ASGI app: limits outermost, then credentials, then the table of routes.

Where traces are sent, a span is around all of it.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from api.capabilities import CAPABILITIES
from api.embed.script_paths import script_routes
from api.feeds.themes import UnknownThemes
from api.http.openapi import DocumentLimits
from api.http.routing import Routes
from api.http.step_signal import StepSignal
from api.media.upload_places import UploadPlaces
from api.middleware.credentials import Credentials
from api.middleware.request_limits import URL_BYTES, RequestLimits
from api.middleware.request_log import RequestLog
from api.middleware.request_span import RequestSpans
from api.page.card import Cards
from api.routes import ROUTES, openapi
from api.status.ops import ApiDocument
from api.stream.streams import Streams
from api.view.liveblog_access import LiveblogIndex
from api.view.read_cache import ReadCache, ReadCounts
from store.engine import spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from api.http.services import Services


def create_app(services: Services, *, monotonic: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does."""
    settings = services.settings
    services = services.having(UploadPlaces(), LiveblogIndex())
    missing = [make() for kind, make in _parts(services).items() if services.find(kind) is None]
    services = services.having(*missing)
    reads = ReadCache(services.store, monotonic, settings.limits.read_cache_bytes, services[ReadCounts])
    limits = DocumentLimits(settings.limits.longest_delay, settings.limits.feed_limit_max)
    services = services.having(*(part for each in CAPABILITIES for part in each.parts(services, monotonic)))
    services = services.having(
        reads, ApiDocument(partial(openapi, settings.public_url, limits, desk=settings.desk.enabled))
    )
    app = RequestLimits(
        Credentials(Routes((*ROUTES, *script_routes(settings)), services), services, monotonic),
        request_log=services[RequestLog],
        url_bytes=URL_BYTES,
        body_bytes=settings.limits.body_bytes,
        monotonic=monotonic,
    )
    return RequestSpans(app) if spans.are_made() else app


def _parts(services: Services) -> dict[type, Callable[[], object]]:
    """How the parts are made that the daemon may have made for itself, to count them or to close them."""
    return {
        RequestLog: lambda: RequestLog.of(services.settings.logging),
        ReadCounts: ReadCounts,
        UnknownThemes: UnknownThemes,
        Cards: Cards,
        Streams: lambda: Streams(services.store, clock=services.clock),
        StepSignal: lambda: StepSignal(services.store),
    }
