"""The routed part of the API, and the OpenAPI document of all of it. Loaded at the first request that needs it, or ahead of it."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from api import external, webhooklog, webhooks
from api.app import BRANCHES
from api.errors import InternalError, error_response, routing_error
from api.openapi import document
from api.write import liveblogs, records, ticker
from mapping.documents.collection import Collection
from mapping.documents.delta import GameShowResponse
from mapping.documents.event import Event
from mapping.documents.external import CreateFromExternal
from mapping.documents.game import Game, GameDraft
from mapping.documents.modification import PostModifications
from mapping.documents.webhooks import WebhookAddress, WebhookDeliveries, WebhookReplay, WebhookSubscription
from mapping.errors import InvalidRequest, ServiceError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.requests import Request
    from starlette.responses import Response

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
