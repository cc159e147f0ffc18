"""The OpenAPI 3.1 document: what is served, with every error it may answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi

from mapping import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastapi import FastAPI
    from pydantic import BaseModel

    from api.branches import Branch

Json = dict[str, Any]

DESCRIPTION = "Liveblogs that sports data providers and editors write together: write API, feeds and pages."
SCHEMAS = "#/components/schemas/"
SECURITY: tuple[Json, ...] = ({"basic": []}, {"bearer": []}, {"query_id": [], "query_secret": []})
"""What a client proves itself with: any one of these."""

PUBLIC: tuple[Json, ...] = ({},)
SCHEMES: Json = {
    "basic": {"type": "http", "scheme": "basic", "description": "client_id and client_secret"},
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "<client_id>.<client_secret>"},
    "query_id": {"type": "apiKey", "in": "query", "name": "client_id"},
    "query_secret": {"type": "apiKey", "in": "query", "name": "client_secret"},
}
ERROR: Json = {
    "type": "object",
    "title": "Error",
    "required": ["code", "message", "retryable"],
    "properties": {
        "code": {
            "type": "string",
            "enum": sorted({each.code for each in vars(errors).values() if hasattr(each, "retryable")}),
        },
        "message": {"type": "string"},
        "field": {
            "type": "string",
            "description": "The field at fault, as a path such as `autoPostConfiguration.excludeEvents.0`",
        },
        "retryable": {"type": "boolean", "description": "False: change the request before another try"},
    },
    "examples": [
        {"code": "invalid_request", "message": "provider is missing", "field": "provider", "retryable": False}
    ],
}
MEANINGS: Mapping[int, str] = {
    400: "Malformed, or a required parameter is missing",
    401: "No credentials, or not valid ones",
    403: "The client or its organization may not do this",
    404: "There is no such thing, or it is not the client's",
    405: "The route does not take this method",
    409: "It contradicts what is there",
    413: "The body is too large",
    414: "The URL is too long",
    415: "The body is compressed",
    422: "Well-formed, but not the document asked for",
    429: "Too many requests; `Retry-After` tells when to come back",
    500: "Unexpected internal error",
    503: "Temporarily unavailable; the same request may work later",
}
OF_ALL = (400, 414, 429, 500, 503)


def refusals(*statuses: int) -> dict[int | str, Json]:
    """The error answers of an operation, those that every operation has included."""
    return {
        status: {
            "description": MEANINGS[status],
            "content": {"application/json": {"schema": {"$ref": f"{SCHEMAS}Error"}}},
            **({"headers": {"Retry-After": {"schema": {"type": "integer"}}}} if status in {429, 503} else {}),
        }
        for status in sorted({*OF_ALL, *statuses})
    }


READ_ERRORS = refusals(401, 403, 404)
EXTERNAL_ERRORS = refusals(401, 403, 404, 413, 415, 422)
PUBLIC_ERRORS = refusals(401, 404)


def documented(model: type[BaseModel], description: str) -> Json:
    """A 200 answer that holds a document."""
    return {"model": model, "description": description}


def json_body(model: type[BaseModel], example: Json, *, header: tuple[str, str]) -> Json:
    """The request body and header of an operation that reads them itself."""
    schema = model.model_json_schema(by_alias=True, ref_template=f"{SCHEMAS}{{model}}")
    schema.pop("$defs", None)
    name, description = header
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example}},
        },
        "parameters": [{"name": name, "in": "header", "description": description, "schema": {"type": "string"}}],
    }


def _parameter(name: str, description: str, schema: Json, *, where: str = "query") -> Json:
    return {
        "name": name,
        "in": where,
        "description": description,
        "required": where == "path" or name == "liveblogId",
        "schema": schema,
    }


LIVEBLOG = "`local_id` or `ticker_id` of the liveblog"
BOOLEAN: Json = {"type": "boolean", "default": False}
FEED_PARAMETERS: list[Json] = [
    _parameter("liveblogId", LIVEBLOG, {"type": "string"}),
    _parameter("limit", "Number of events", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}),
    _parameter("sort", "Oldest or newest first", {"type": "string", "enum": ["asc", "desc"], "default": "desc"}),
    _parameter("continue_event_id", "The last event id of the previous answer", {"type": "string"}),
    _parameter("include_continue_event", "Whether that event is part of this answer too", BOOLEAN),
    _parameter("delay", "Hide what was published less than so many seconds ago", {"type": "integer", "default": 0}),
    _parameter("themeId", "Accepted; themes filter nothing yet", {"type": "string"}),
]
NOT_MODIFIED: Json = {"description": "The caller has it already (`If-None-Match`, `If-Modified-Since`)"}


def _read(operation_id: str, summary: str, tag: str, content_type: str, *, parameters: list[Json], **more: Any) -> Json:
    """A GET operation that a cache may ask about again."""
    answer = {"description": summary, "content": {content_type: {"schema": {"type": "string"}}}}
    responses = {"200": answer, "304": NOT_MODIFIED, **{str(key): value for key, value in PUBLIC_ERRORS.items()}}
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": [tag],
        "parameters": parameters,
        "responses": responses,
        **more,
    }


def feed_operation(extension: str, content_type: str) -> Json:
    """The documentation of one feed."""
    kind = content_type.partition(";")[0]
    return _read(
        f"feed.{extension}",
        f"A liveblog as {extension}",
        "Feeds",
        kind,
        parameters=FEED_PARAMETERS,
        security=[*SECURITY, *PUBLIC],
    )


PAGE_OPERATION = _read(
    "liveblog.page",
    "A liveblog as a web page",
    "Pages",
    "text/html",
    parameters=[
        _parameter("liveblogId", LIVEBLOG, {"type": "string"}, where="path"),
        _parameter("fragment", "Only the part of the page that changes", BOOLEAN),
    ],
    security=[{"query_id": []}, *SECURITY, *PUBLIC],
)


def _probe(operation_id: str, summary: str, **more: Json) -> Json:
    content = {"application/json": {"schema": {"type": "object"}}}
    responses = {"200": {"description": summary, "content": content}, **more}
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": ["Operation"],
        "security": [],
        "responses": responses,
    }


NOT_READY: Json = {"description": "Not ready", "content": {"application/json": {"schema": {"type": "object"}}}}
PROBES = {
    "livez": _probe("livez", "The process lives"),
    "readyz": _probe("readyz", "The process can do its work", **{"503": NOT_READY}),
}

METRICS: Json = {
    "operationId": "metrics",
    "summary": "Numbers for Prometheus",
    "tags": ["Operation"],
    "security": [*SECURITY, *PUBLIC],
    "responses": {
        "200": {"description": "The numbers", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **{str(status): answer for status, answer in refusals(401, 403, 404).items()},
    },
}


def document(app: FastAPI, branches: Iterable[Branch], models: Iterable[type[BaseModel]], public_url: str) -> Json:
    """The whole document; `models` are those that no route of the framework names."""
    whole = get_openapi(
        title=app.title, version=app.version, openapi_version="3.1.0", description=DESCRIPTION, routes=app.routes
    )
    whole["servers"] = [{"url": public_url}]
    components: Json = whole.setdefault("components", {})
    schemas: Json = components.setdefault("schemas", {})
    schemas["Error"] = ERROR
    for model in models:
        schema = model.model_json_schema(by_alias=True, ref_template=f"{SCHEMAS}{{model}}")
        for name, part in {**schema.pop("$defs", {}), model.__name__: schema}.items():
            schemas.setdefault(name, part)
    components["securitySchemes"] = SCHEMES
    for operation in (each for path in whole["paths"].values() for each in path.values()):
        operation.setdefault("security", list(SECURITY))
        if "HTTPValidationError" in str(operation["responses"].get("422")):
            del operation["responses"]["422"]  # the framework's own; ours are declared
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    whole["paths"] |= {
        branch.path: {branch.method.lower(): branch.operation} for branch in branches if branch.operation
    }
    return whole
