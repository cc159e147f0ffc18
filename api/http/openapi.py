"""The OpenAPI 3.1 document: every operation with its errors, and the documents as JSON schemas.

A request shows what is understood, a response what is given, which is less.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from api.http.json_path import Json
from api.http.param import NAME, TEXT, Limit, Param, Text
from api.http.routing import Route
from mapping import errors

Schema = Any
"""A JSON schema, or what stands for one: `SchemaOf`, also within it."""
Responses = dict[int, Json]
"""The responses of an operation by their status."""

DESCRIPTION = "Liveblogs that sports data providers and editors write together: write API, feeds and pages."
SECURITY: tuple[Json, ...] = ({"basic": []}, {"bearer": []}, {"query_id": [], "query_secret": []})
"""What a client proves itself with: any one of these."""

PUBLIC: tuple[Json, ...] = ({},)
OPEN: tuple[Json, ...] = ({"query_id": []}, *SECURITY, *PUBLIC)
"""Reads that take a `client_id` alone; without any where feeds are public."""

IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "description": "A version: 409 when what is to be written was changed after it",
    "required": False,
    "schema": {"type": "string", "pattern": r'^(\*|(W/)?"?[0-9]{1,15}"?)$'},
}
SCHEMAS = "#/components/schemas/"
INPUT = "-Input"
"""Ends the name of a document as requests write it, where responses have one of the same name."""


@dataclass(frozen=True, slots=True)
class SchemaOf:
    """Stands for the schema of a document, a model or a TypedDict; the OpenAPI document has a reference in its place."""

    model: Any
    mode: Literal["validation", "serialization"]
    """As requests write it, or as responses do."""

    @property
    def name(self) -> str:
        """As pydantic spells it in its definitions, parameters of generic documents included."""
        plain = re.sub(r"[^\w.-]", "_", self.model.__name__, flags=re.ASCII)
        return f"{plain}{INPUT}" if self.mode == "validation" else plain


class DocumentLimits(NamedTuple):
    """What the document says of the configuration."""

    delay_max: int
    feed_limit_max: int


KNOWN_VERSION = "The version already known"
LIVEBLOG = "`local_id` or `ticker_id` of the liveblog"
SCHEMES: Json = {
    "basic": {"type": "http", "scheme": "basic", "description": "client_id and client_secret"},
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "<client_id>.<client_secret>"},
    "query_id": {"type": "apiKey", "in": "query", "name": "client_id"},
    "query_secret": {"type": "apiKey", "in": "query", "name": "client_secret"},
}
SESSION, ACCOUNT = "session", "account"
ACCOUNT_HEADER = "X-Account"
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
    415: "The body is compressed, or a file of a kind that is not taken",
    416: "The file ends before the range",
    422: "Well-formed, but not the document asked for",
    429: "Too many requests; `Retry-After` tells when to come back",
    500: "Unexpected internal error",
    501: "The standard knows this format, and this service does without it",
    503: "Temporarily unavailable; the same request may work later",
}
OF_ALL = (400, 414, 415, 429, 500, 503)
"""What is refused before anybody looks which operation is meant."""
READS = {
    "ticker.show": "local_id",
    "ticker.delta": "id",
    "ticker.stream": "liveblogId",
    "liveblog.page": "liveblogId",
    "liveblog.frame": "liveblogId",
    "liveblog.snippets": "liveblogId",
    "feed.rss": "liveblogId",
    "feed.atom": "liveblogId",
    "feed.json": "liveblogId",
    "prefetch.liveblog": "liveblogId",
    "prefetch.teaser": "liveblogId",
}
"""Operations that read a liveblog, and the parameter that takes its `local_id`."""
_LATER: Json = {"Retry-After": {"description": "Seconds to wait", "required": True, "schema": {"type": "integer"}}}
_CHALLENGE: Json = {
    "WWW-Authenticate": {"description": "How to authenticate", "required": True, "schema": {"type": "string"}}
}
HEADERS: Mapping[int, Json] = {401: _CHALLENGE, 429: _LATER, 503: _LATER}


def refusals(*statuses: int) -> Responses:
    """The error responses with these statuses."""
    return {
        status: json_answer({"$ref": f"{SCHEMAS}Error"}, MEANINGS[status])
        | ({"headers": HEADERS[status]} if status in HEADERS else {})
        for status in sorted(statuses)
    }


def json_answer(schema: Schema, description: str, example: Any = None) -> Json:
    """A response whose body is JSON."""
    return {"description": description, "content": json_content(schema, example)}


def document_answer(model: Any, description: str, example: Any = None) -> Json:
    """A response that holds a document."""
    return json_answer(response_schema(model), description, example)


def json_content(schema: Schema, example: Any = None) -> Json:
    """The `content` of a body that is JSON."""
    return {"application/json": {"schema": schema} if example is None else {"schema": schema, "example": example}}


EMPTY: Json = {"type": "object", "maxProperties": 0}
READ_ERRORS = refusals(*OF_ALL, 401, 403, 404)
WRITE_ERRORS = refusals(*OF_ALL, 401, 403, 404, 409, 413, 422)
CHANGE_ERRORS = refusals(*OF_ALL, 401, 403, 404, 413, 422)
PUBLIC_ERRORS = refusals(*OF_ALL, 401, 404)
NOT_MODIFIED: Responses = {304: {"description": "The caller has it already (`If-None-Match`, `If-Modified-Since`)"}}
PROBE_ERRORS = refusals(400, 414, 415, 500)


def operation(
    name: str,
    summary: str,
    tag: str,
    responses: Responses,
    *,
    parameters: Iterable[Param | Json] = (),
    body: Json | None = None,
    security: tuple[Json, ...] = SECURITY,
) -> Json:
    """One operation; `body`: its `requestBody`. The router's row adds method, path and description."""
    return {
        "operationId": name,
        "summary": summary,
        "tags": [tag],
        "parameters": [each.document if isinstance(each, Param) else each for each in parameters],
        "security": list(security),
        "responses": {str(status): response for status, response in responses.items()},
        **({} if body is None else {"requestBody": body}),
    }


def json_body(schema: Schema, example: Json) -> Json:
    """A required body that is JSON, whatever its Content-Type says."""
    return {"required": True, "content": json_content(schema, example)}


def in_path(name: str, description: str = "", schema: Json = TEXT) -> Json:
    """A parameter of the path; any text unless the schema says otherwise."""
    described = {"description": description} if description else {}
    return {"name": name, "in": "path", **described, "required": True, "schema": schema}


LIVEBLOG_IN_PATH = in_path("liveblogId", LIVEBLOG, NAME)
LIVEBLOG_IN_QUERY = Text("liveblogId", LIVEBLOG, NAME, required=True)


def with_link(response: Json, operation: str, *, body: str | None = None, **names: str) -> Json:
    """The response with a link to an operation that takes these of its fields as parameters: parameter → field.

    `body`: the expression for the body that the operation is sent.
    """
    link: Json = {"operationId": operation, "parameters": {name: f"$response.body#/{at}" for name, at in names.items()}}
    link |= {} if body is None else {"requestBody": body}
    return {**response, "links": {**response.get("links", {}), operation.rpartition(".")[2]: link}}


def readable(response: Json) -> Json:
    """The response, which holds a liveblog, with a link to each operation that reads it."""
    for operation, parameter in READS.items():
        response = with_link(response, operation, **{parameter: "local_id"})
    return response


def document(
    routes: Iterable[Route],
    *,
    public_url: str,
    limits: DocumentLimits,
    session_cookie: str | None,
) -> Json:
    """The whole document of what these rows serve, with the schemas of all documents that operations refer to.

    `session_cookie`: the name of the cookie of people who are signed in at the desk, None where nobody is.
    """
    paths: dict[str, Json] = {}
    for route in routes:
        if route.operation:
            docstring = inspect.getdoc(route.handler)
            operation: Json = {**({"description": docstring} if docstring else {}), **route.operation}
            if session_cookie is not None and route.takes_sessions and operation["security"]:
                proof: Json = {SESSION: []} if route.method == "GET" else {SESSION: [], ACCOUNT: []}
                operation["security"] = [*operation["security"], proof]  # for a write also whom the page was made for
            paths.setdefault(route.path, {})[route.method.lower()] = operation
    found: set[SchemaOf] = set()
    served: Json = _fill(paths, limits, found)
    schemes = SCHEMES if session_cookie is None else {**SCHEMES, **_session_schemes(session_cookie)}
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "matchwire", "version": metadata.version("matchwire"), "description": DESCRIPTION},
        "servers": [{"url": public_url}],
        "paths": served,
        "components": {"schemas": {"Error": ERROR, **_components(found)}, "securitySchemes": schemes},
    }
    return shorten_names(whole)


def _session_schemes(cookie: str) -> Json:
    return {
        SESSION: {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie,
            "description": "A person who is signed in at the desk; programs have a client",
        },
        ACCOUNT: {
            "type": "apiKey",
            "in": "header",
            "name": ACCOUNT_HEADER,
            "description": "Beside the cookie, the account that the page was made for; `Sec-Fetch-Site` has to be `same-origin`",
        },
    }


def request_schema(model: Any) -> SchemaOf:
    """The schema of the document as a request writes it."""
    return SchemaOf(model, "validation")


def response_schema(model: Any) -> SchemaOf:
    """The schema of the document as a response writes it."""
    return SchemaOf(model, "serialization")


def _components(documents: Iterable[SchemaOf]) -> Json:
    """The schemas of these documents and of all that they are made of, by name."""
    schemas: Json = {}
    for mode, ending in (("serialization", ""), ("validation", INPUT)):
        inputs = [(each.name, each.mode, TypeAdapter(each.model)) for each in documents if each.mode == mode]
        _, found = TypeAdapter.json_schemas(inputs, ref_template=f"{SCHEMAS}{{model}}{ending}")
        schemas |= {f"{name}{ending}": schema for name, schema in found.get("$defs", {}).items()}
    return schemas


def shorten_names(whole: Json) -> Json:
    """The OpenAPI document with plain names for what only requests write; each schema's title is its name.

    Generators of clients name classes by titles: of two schemas with one title they leave the second out.
    """
    schemas = whole["components"]["schemas"]
    alone = {name: name.removesuffix(INPUT) for name in schemas if name.endswith(INPUT)}
    names = {name: plain for name, plain in alone.items() if plain not in schemas}
    renamed: Json = _rename(whole, {f"{SCHEMAS}{name}": f"{SCHEMAS}{plain}" for name, plain in names.items()})
    parts = renamed["components"]["schemas"]
    plain_names = {names.get(name, name): parts[name] for name in sorted(parts)}
    renamed["components"]["schemas"] = {name: {**schema, "title": name} for name, schema in plain_names.items()}
    return renamed


def _fill(value: Any, limits: DocumentLimits, found: set[SchemaOf]) -> Any:
    """The value with the limits and with references to schemas in their places; `found` gets what is referred to."""
    match value:
        case Limit():
            return getattr(limits, value)
        case SchemaOf():
            found.add(value)
            return {"$ref": f"{SCHEMAS}{value.name}"}
        case dict():
            return {key: _fill(part, limits, found) for key, part in value.items()}
        case list() | tuple():
            return [_fill(part, limits, found) for part in value]
    return value


def _rename(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case {"$ref": str(name)} if name in names:
            return {**value, "$ref": names[name]}
        case dict():
            return {key: _rename(part, names) for key, part in value.items()}
        case list() | tuple():
            return [_rename(part, names) for part in value]
    return value
