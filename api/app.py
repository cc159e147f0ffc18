"""The API as one ASGI app: limits outermost, then credentials, then the table of routes.

Where traces are sent, a span is around all of it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from starlette.types import ASGIApp

from api.capabilities import CAPABILITIES
from api.embed.assets import script_routes
from api.feeds.feed_selection import UnknownThemes, feed_topics
from api.http.openapi import DocumentLimits
from api.http.request import Services
from api.http.routing import Routes
from api.media.document_files import UploadPlaces
from api.media.originals import FetchImage
from api.media.proxy import ImageProxy, StoredUploads
from api.middleware.credentials import Credentials
from api.middleware.outermost import RequestLimits, RequestLog, RequestSpans
from api.page.card import Cards
from api.routes import ROUTES, openapi
from api.status.endpoint import ApiDocument
from api.stream.streams import Streams
from api.view.liveblog_access import LiveblogIndex
from api.view.liveblog_reads import ReadCache, ReadCounts, StepSignal
from store.engine import spans


class Api:
    """The app of a process that runs, and what the process counts, and lets go, of it."""

    def __init__(self, services: Services, counters: Iterable[Any]) -> None:
        self._services = services
        self.app = create_app(services)
        self.streams = services[Streams]
        self.reads, self.themes = services[ReadCounts], services[UnknownThemes]
        self.requests = services[RequestLog].counts
        self.counters = tuple(counters)
        """Those of capabilities, for Prometheus."""
        self.purges = tuple(purge for each in CAPABILITIES for purge in each.purges)

    def feed_topics(self, local_id: str) -> list[str]:
        """What the public hub is pinged for when a liveblog changes."""
        settings = self._services.settings
        return feed_topics(settings.public_url, local_id, settings.limits.feed_limit_max)

    async def release(self) -> None:
        """Let everybody go who waits for news: the process stops."""
        await self.streams.close()
        await self._services[StepSignal].close()


@asynccontextmanager
async def open_api(
    services: Services,
    fetch: FetchImage,
    start: Callable[..., Any],
    on_first_frame: Callable[[str, int, int], None],
    *,
    serves: bool,
) -> AsyncIterator[Api]:
    """The API of a process, whose tasks `start` begins by their names; `serves`: it has readers.

    `on_first_frame` is called with the versions that readers of the present are sent first.
    """
    settings, store = services.settings, services.store
    async with AsyncExitStack() as cleanup:
        images = ImageProxy(settings.media, fetch, StoredUploads(store, services.files), services.clock)
        store.on_step(images.forget)  # who sees what is looked up anew
        cleanup.callback(images.close)
        runs = [each.run for each in CAPABILITIES if serves and each.run is not None]
        parts = [await cleanup.enter_async_context(run(settings, store, services.clock, start)) for run in runs]
        running = [each for each in parts if each is not None]
        streams = Streams(store, clock=services.clock, on_first_frame=on_first_frame)
        services = _with_parts(services.having(images, streams, *running))
        start(services[RequestLog].run(), name="request log")
        yield Api(services, [each.counter for each in running])


def create_app(services: Services, *, monotonic: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does."""
    settings = services.settings
    services = _with_parts(services.having(UploadPlaces(settings.media), LiveblogIndex()))
    reads = ReadCache(services.store, monotonic, settings.limits.read_cache_bytes, services[ReadCounts])
    limits = DocumentLimits(settings.limits.longest_delay, settings.limits.feed_limit_max)
    services = services.having(*(part for each in CAPABILITIES for part in each.parts(services, monotonic)))
    services = services.having(
        reads, ApiDocument(partial(openapi, settings.public_url, limits, desk=settings.desk.enabled))
    )
    app = RequestLimits(
        Credentials(Routes((*ROUTES, *script_routes(settings)), services), services, monotonic),
        request_log=services[RequestLog],
        body_bytes=settings.limits.body_bytes,
        monotonic=monotonic,
    )
    return RequestSpans(app) if spans.are_made() else app


def _with_parts(services: Services) -> Services:
    """The services with those parts that they lack."""
    parts: dict[type, Callable[[], object]] = {
        RequestLog: lambda: RequestLog.of(services.settings.logging),
        ReadCounts: ReadCounts,
        UnknownThemes: UnknownThemes,
        Cards: Cards,
        Streams: lambda: Streams(services.store, clock=services.clock),
        StepSignal: lambda: StepSignal(services.store),
    }
    return services.having(*(make() for kind, make in parts.items() if services.find(kind) is None))
