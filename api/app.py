"""The API as one ASGI app: the guard outermost, then the gate, then plain reads, then the framework's routing."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from api import ops
from api.branches import Branch, Branches
from api.delta import endpoint as delta
from api.embed import endpoint as pages
from api.errors import json_bytes
from api.feeds import endpoint as feeds
from api.feeds.common import FEED_PATH
from api.gate import Gate
from api.guards import Guard
from api.later import Later
from api.reads import METRICS, PAGE_OPERATION, PROBES, feed_operation
from api.static import folder
from api.stream import endpoint as stream
from api.stream.streams import Streams
from api.watching import DELTA_OPERATION, STREAM_OPERATION
from api.write import events

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from api.services import Services


BRANCHES = (
    *(
        Branch(f"{FEED_PATH}.{form.extension}", feeds.endpoint(form), feed_operation(form.extension, form.content_type))
        for form in feeds.FORMATS
    ),
    *events.BRANCHES,
    Branch(delta.DELTA_PATH, delta.show, DELTA_OPERATION),
    Branch(stream.STREAM_PATH, stream.watch, STREAM_OPERATION),
    Branch("/liveblogs/{liveblogId}", pages.liveblog, PAGE_OPERATION),
    Branch("/livez", ops.livez, PROBES["livez"]),
    Branch("/readyz", ops.readyz, PROBES["readyz"]),
    Branch("/metrics", ops.metrics, METRICS),
    Branch("/", pages.front),
    Branch("/docs", ops.docs),
    Branch("/docs/{name}", folder("api.docs")),
    Branch("/static/{name}", folder("api.embed.static")),
)


def create_app(
    services: Services, *, framework: Later | None = None, monotonic: Callable[[], float] = time.monotonic
) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does.

    `framework`: the part behind the plain reads, where the caller wants to have it loaded ahead of the first request.
    """
    if services.streams is None:
        services = replace(services, streams=Streams(services.store))
    framework = framework or routed(services)
    described = ops.openapi(partial(_described, services))
    table = (*BRANCHES, Branch("/openapi.json", described))
    settings = services.settings
    return Guard(
        Gate(Branches(framework, services, table), services, monotonic),
        url_bytes=settings.url_bytes,
        body_bytes=settings.body_bytes,
        monotonic=monotonic,
    )


def routed(services: Services) -> Later:
    """The part of the API that the framework routes: loading the framework takes as long as all the rest of the API."""

    def make() -> ASGIApp:
        from api.framework import create_framework

        return create_framework(services)

    return Later(make)


def _described(services: Services) -> bytes:
    from api.framework import create_framework, openapi

    return json_bytes(openapi(create_framework(services), services))
