"""The OpenAPI 3.1 document: what is served, with every error it may answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.schemas import SCHEMAS, answered, components, json_content, shortened
from mapping import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastapi import FastAPI
    from pydantic import BaseModel

    from api.branches import Branch

Json = dict[str, Any]

DESCRIPTION = "Liveblogs that sports data providers and editors write together: write API, feeds and pages."
SECURITY: tuple[Json, ...] = ({"basic": []}, {"bearer": []}, {"query_id": [], "query_secret": []})
"""What a client proves itself with: any one of these."""

PUBLIC: tuple[Json, ...] = ({},)
OPEN: tuple[Json, ...] = ({"query_id": []}, *SECURITY, *PUBLIC)
"""Reads that take a `client_id` alone; without any where feeds are public."""

TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1}
BOOLEAN: Json = {"type": "boolean", "default": False}
LIVEBLOG = "`local_id` or `ticker_id` of the liveblog"
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
OF_ALL = (400, 414, 415, 429, 500, 503)
OF_PROBES = (400, 414, 415, 500)
"""What is refused before anybody looks which operation is meant."""
_LATER: Json = {"Retry-After": {"description": "Seconds to wait", "required": True, "schema": {"type": "integer"}}}
_CHALLENGE: Json = {
    "WWW-Authenticate": {"description": "How to authenticate", "required": True, "schema": {"type": "string"}}
}
HEADERS: Mapping[int, Json] = {401: _CHALLENGE, 429: _LATER, 503: _LATER}


def refusal(status: int) -> Json:
    """The answer that tells an error."""
    headers = {"headers": HEADERS[status]} if status in HEADERS else {}
    return {"description": MEANINGS[status], "content": json_content({"$ref": f"{SCHEMAS}Error"}), **headers}


def refusals(*statuses: int) -> dict[int | str, Json]:
    """The error answers of an operation, those that every operation has included."""
    return {status: refusal(status) for status in sorted({*OF_ALL, *statuses})}


def told(errors: Mapping[int | str, Json]) -> Json:
    """Error answers under the keys that the document wants."""
    return {str(status): answer for status, answer in errors.items()}


READ_ERRORS = refusals(401, 403, 404)
EXTERNAL_ERRORS = refusals(401, 403, 404, 409, 413, 422)
PUBLIC_ERRORS = refusals(401, 404)
FEED_ERRORS = refusals(401, 403, 404)


def documented(model: type[BaseModel], description: str) -> Json:
    """A 200 answer that holds a document."""
    return {"description": description, "content": json_content(answered(model))}


def query(name: str, description: str, schema: Json | None = None, *, required: bool = False) -> Json:
    """A parameter of the query; any text unless the schema says otherwise. A switch without a value is off."""
    return {
        "name": name,
        "in": "query",
        "description": description,
        "required": required,
        "schema": TEXT if schema is None else schema,
        **({"allowEmptyValue": True} if schema == BOOLEAN else {}),
    }


def linked(answer: Json, operation: str, *, body: str | None = None, **names: str) -> Json:
    """The answer with a link to an operation that takes these of its fields as parameters: parameter → field.

    `body`: the expression for the body that the operation is sent.
    """
    link = {"operationId": operation, "parameters": {name: f"$response.body#/{at}" for name, at in names.items()}}
    told = {} if body is None else {"requestBody": body}
    return {**answer, "links": {**answer.get("links", {}), operation.rpartition(".")[2]: {**link, **told}}}


def document(
    app: FastAPI,
    branches: Iterable[Branch],
    *,
    requests: Iterable[type[BaseModel]],
    answers: Iterable[type[BaseModel]],
    public_url: str,
) -> Json:
    """The whole document; `requests` and `answers` are the documents that operations refer to."""
    from fastapi.openapi.utils import get_openapi  # the framework is loaded with what only it serves

    whole = get_openapi(
        title=app.title, version=app.version, openapi_version="3.1.0", description=DESCRIPTION, routes=app.routes
    )
    whole["servers"] = [{"url": public_url}]
    # Not the framework's schemas: it holds bounds as floats, which turns 2^63 - 1 into 2^63.
    whole["components"] = {
        "schemas": {"Error": ERROR, **components(requests, answers)},
        "securitySchemes": SCHEMES,
    }
    for operation in (each for path in whole["paths"].values() for each in path.values()):
        operation.setdefault("security", list(SECURITY))
        if "HTTPValidationError" in str(operation["responses"].get("422")):
            del operation["responses"]["422"]  # the framework's own; ours are declared
    whole["paths"] |= {
        branch.path: {branch.method.lower(): branch.operation} for branch in branches if branch.operation
    }
    return shortened(whole)
