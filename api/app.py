"""The API as one ASGI app: the guard outermost, then the gate, then plain reads, then the framework's routing."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib import metadata
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from api import external, ops, webhooklog, webhooks
from api.branches import Branch, Branches
from api.delta import endpoint as delta
from api.embed import endpoint as pages
from api.errors import InternalError, error_response, json_bytes, routing_error
from api.feeds import endpoint as feeds
from api.feeds.common import FEED_PATH
from api.gate import Gate
from api.guards import Guard
from api.openapi import document
from api.reads import METRICS, PAGE_OPERATION, PROBES, feed_operation
from api.static import folder
from api.stream import endpoint as stream
from api.stream.streams import Streams
from api.watching import DELTA_OPERATION, STREAM_OPERATION
from api.write import events, liveblogs, records, ticker
from mapping.documents.collection import Collection
from mapping.documents.delta import GameShowResponse
from mapping.documents.event import Event
from mapping.documents.external import CreateFromExternal
from mapping.documents.game import Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay, WebhookSubscription
from mapping.errors import InvalidRequest, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from api.services import Services


ROUTERS = (external.router, *records.ROUTERS, ticker.router, liveblogs.router, webhooks.router, webhooklog.router)

REQUESTS: tuple[type[BaseModel], ...] = (
    CreateFromExternal,
    Event,
    GameDraft,
    PostModifications,
    WebhookAddress,
    WebhookReplay,
    *(model for kind in records.KINDS for model in (kind.draft, kind.update)),
)
ANSWERS: tuple[type[BaseModel], ...] = (
    Collection[Game],
    Event,
    Game,
    GameShowResponse,
    WebhookDeliveries,
    WebhookSubscription,
    *(model for kind in records.KINDS for model in (kind.shown, kind.page)),
)
"""The documents that operations refer to."""

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


def create_app(services: Services, *, monotonic: Callable[[], float] = time.monotonic) -> ASGIApp:
    """The ASGI app over the services; `monotonic` counts seconds for rates and caches, whatever the wall clock does."""
    if services.streams is None:
        services = replace(services, streams=Streams(services.store))
    framework = create_framework(services)
    described = ops.openapi(lambda: json_bytes(openapi(framework, services)))
    table = (*BRANCHES, Branch("/openapi.json", described))
    settings = services.settings
    return Guard(
        Gate(Branches(framework, services, table), services, monotonic),
        url_bytes=settings.url_bytes,
        body_bytes=settings.body_bytes,
        monotonic=monotonic,
    )


def create_framework(services: Services) -> FastAPI:
    """The routed part of the API."""
    app = FastAPI(
        title="matchwire",
        version=metadata.version("matchwire"),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # its spans would carry the query's secrets
        exception_handlers={
            ServiceError: _service_error,
            HTTPException: _routing_error,
            RequestValidationError: _invalid_parameter,
            Exception: _unexpected,
        },
    )
    app.state.services = services
    for router in ROUTERS:
        app.include_router(router)
    return app


def openapi(framework: FastAPI, services: Services) -> dict[str, object]:
    """The OpenAPI document of everything that is served."""
    return document(framework, BRANCHES, requests=REQUESTS, answers=ANSWERS, public_url=services.settings.public_url)


async def _service_error(_: Request, error: ServiceError) -> Response:
    return error_response(error)


async def _routing_error(_: Request, error: HTTPException) -> Response:
    return routing_error(error)


async def _invalid_parameter(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    return error_response(InvalidRequest(first["msg"], field=str(first["loc"][-1])))


async def _unexpected(_: Request, __: Exception) -> Response:
    return error_response(InternalError())  # the framework raises the error on to the guard, which logs it
