"""For those who run the service: is it alive, is it ready, and what does its API look like."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from starlette.responses import Response

from api.auth import proven
from api.conditional import conditional
from api.context import context_of, headers_of
from api.errors import json_response
from api.static import TYPES, file
from mapping.errors import NotFound, StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Scope

    from api.branches import Handler
    from api.services import Services

DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The viewer sets style attributes; everything it loads ships with it."""


async def livez(_: Services, __: Scope, ___: Mapping[str, str]) -> Response:
    """Always 200 while the event loop turns."""
    return json_response({"status": "alive"})


async def readyz(services: Services, _: Scope, __: Mapping[str, str]) -> Response:
    """200 when the store answers and the rest of the process says that it is ready, else 503."""
    try:
        await services.store.ping()
        store = "ok"
    except StoreUnavailable:
        store = "unavailable"
    facts = dict(await services.ready())
    ready = store == "ok" and bool(facts.pop("ready", True))
    return json_response({"ready": ready, "store": store, **facts}, 200 if ready else 503)


async def metrics(services: Services, scope: Scope, _: Mapping[str, str]) -> Response:
    """The numbers for Prometheus, for clients with the scope `admin` unless they are public."""
    if not services.settings.public_metrics:
        proven(context_of(scope).caller).demand("admin")
    if services.metrics is None:
        raise NotFound("this process counts nothing")
    return Response(services.metrics(), media_type="text/plain; version=0.0.4; charset=utf-8")


def openapi(document: Callable[[], bytes]) -> Handler:
    """A handler that serves the OpenAPI document, which is made when it is first asked for."""
    made = cache(document)

    async def answer(_: Services, scope: Scope, __: Mapping[str, str]) -> Response:
        return conditional(headers_of(scope), made(), "application/json", cache_control="public, max-age=60")

    return answer


async def docs(_: Services, __: Scope, ___: Mapping[str, str]) -> Response:
    """The viewer of the OpenAPI document, which needs nothing from elsewhere."""
    headers = {"Content-Security-Policy": DOCS_POLICY, "Cache-Control": "public, max-age=300"}
    return Response(file("api.docs", "index.html"), headers=headers, media_type=TYPES["html"])
