"""Operation over HTTP: liveness, readiness, metrics, and the OpenAPI document with its viewer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from starlette.responses import Response

from api.http.caching import Rendering, conditional
from api.http.errors import json_bytes, json_response
from api.http.json_path import Json
from api.http.openapi import PROBE_ERRORS, PUBLIC, READ_ERRORS, SECURITY, Responses, json_answer
from api.http.param import TEXT
from api.http.request import ApiRequest
from api.http.static import TYPES, file
from mapping.errors import NotFound, StoreUnavailable
from store.database import Store
from store.engine.errors import reason

DOCS_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The viewer sets style attributes; everything it loads ships with it."""


FORMS = ("text/plain", "application/openmetrics-text")
"""Prometheus's own form and OpenMetrics, by the `Accept` header."""


def _operation(name: str, summary: str, responses: Responses, security: tuple[Json, ...] = ()) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["Operation"],
        "security": list(security),
        "responses": {str(status): response for status, response in responses.items()},
    }


ALIVE: Json = {"type": "object", "required": ["status"], "properties": {"status": {"const": "alive"}}}
READY: Json = {
    "type": "object",
    "required": ["ready", "store"],
    "properties": {
        "ready": {"type": "boolean"},
        "store": {"type": "string", "enum": ["ok", "unavailable", "unwritable"]},
        "cause": {"type": "string", "description": "Why the store is not `ok`, in the words of the database"},
        "workers": {"type": "integer", "description": "Processes that follow matches, as an API process sees them"},
    },
}
LIVEZ = _operation("livez", "The process lives", {200: json_answer(ALIVE, "The process lives"), **PROBE_ERRORS})
READYZ = _operation(
    "readyz",
    "The process can do its work",
    {200: json_answer(READY, "The process can do its work"), **PROBE_ERRORS, 503: json_answer(READY, "Not ready")},
)
METRICS = _operation(
    "metrics",
    "Numbers for Prometheus",
    {200: {"description": "The numbers", "content": {form: {"schema": TEXT} for form in FORMS}}, **READ_ERRORS},
    (*SECURITY, *PUBLIC),
)


async def livez(_: ApiRequest) -> Response:
    """Always 200 while the event loop turns."""
    return json_response({"status": "alive"})


async def readyz(request: ApiRequest) -> Response:
    """200 when the store answers and the rest of the process says that it is ready, else 503."""
    services = request.services
    store, found = await asyncio.gather(_state_of(services.store), services.ready())
    facts = dict(found)
    process_ready = bool(facts.pop("ready", True))
    ready = process_ready and store["store"] == "ok"
    return json_response({"ready": ready, **store, **facts}, 200 if ready else 503)


async def _state_of(store: Store) -> Json:
    """Whether the store can be read, and whether what is written stays: a full disk can still be read.

    Both are tried at once, so that the answer takes no longer than one of them may.
    """
    tried = await asyncio.gather(store.ping(), store.check_writes(), return_exceptions=True)
    for state, error in zip(("unavailable", "unwritable"), tried, strict=True):
        if isinstance(error, StoreUnavailable):
            return {"store": state, "cause": reason(error)}
        if error is not None:
            raise error
    return {"store": "ok"}


async def metrics(request: ApiRequest) -> Response:
    """The numbers for Prometheus, for clients with the scope `admin` unless they are public."""
    count = request.services.metrics
    if count is None:
        raise NotFound("this process counts nothing")
    body, content_type = count(request.headers.get("accept", ""))
    return Response(body, headers={"Content-Type": content_type, "Vary": "Accept"})


@dataclass(frozen=True)
class ApiDocument:
    """The OpenAPI document, made when somebody wants it; `make` gives it."""

    make: Callable[[], Json]

    @cached_property
    def rendering(self) -> Rendering:
        return Rendering.of(json_bytes(self.make()))


async def openapi(request: ApiRequest) -> Response:
    """The OpenAPI document, which is made at the first request."""
    document = await asyncio.to_thread(getattr, request.services[ApiDocument], "rendering")
    return conditional(request.headers, document, "application/json", cache_control="public, max-age=60")


async def docs(_: ApiRequest) -> Response:
    """The viewer of the OpenAPI document, which needs nothing from elsewhere."""
    headers = {"Content-Security-Policy": DOCS_POLICY, "Cache-Control": "public, max-age=300"}
    return Response(file("api.docs", "index.html"), headers=headers, media_type=TYPES["html"])
