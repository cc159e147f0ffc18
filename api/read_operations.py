"""Feeds, the page and what operators ask, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Any

from api.feeds.common import MAX_DELAY
from api.live_operations import CHANGES, VERSION
from api.openapi import (
    BOOLEAN,
    FEED_ERRORS,
    LIVEBLOG,
    NAME,
    OF_PROBES,
    OPEN,
    PUBLIC,
    PUBLIC_ERRORS,
    SECURITY,
    TEXT,
    query,
    refusal,
    refusals,
    told,
)
from api.schemas import json_content

Json = dict[str, Any]

FEED_PARAMETERS: list[Json] = [
    query("liveblogId", LIVEBLOG, NAME, required=True),
    query("limit", "Number of events", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}),
    query("sort", "Oldest or newest first", {"type": "string", "enum": ["asc", "desc"], "default": "desc"}),
    query("continue_event_id", "The last event id of the previous answer"),
    query("include_continue_event", "Whether that event is part of this answer too", BOOLEAN),
    query(
        "delay",
        "Hide what was published less than so many seconds ago",
        {"type": "integer", "minimum": 0, "maximum": MAX_DELAY, "default": 0},
    ),
    query("themeId", "Accepted; themes filter nothing yet"),
]
PAGE_NAME: Json = {"name": "liveblogId", "in": "path", "description": LIVEBLOG, "required": True, "schema": NAME}
NOT_MODIFIED: Json = {"description": "The caller has it already (`If-None-Match`, `If-Modified-Since`)"}
JSON_FEED: Json = {
    "type": "object",
    "required": ["version", "title", "items"],
    "properties": {
        "version": {"const": "https://jsonfeed.org/version/1.1"},
        "title": TEXT,
        "home_page_url": TEXT,
        "feed_url": TEXT,
        "next_url": TEXT,
        "language": TEXT,
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "content_html"],
                "properties": {
                    "id": TEXT,
                    "url": TEXT,
                    "title": TEXT,
                    "content_html": TEXT,
                    "date_published": {"type": "string", "format": "date-time"},
                    "date_modified": {"type": "string", "format": "date-time"},
                },
            },
        },
    },
}


def _read(
    name: str,
    summary: str,
    content: Json,
    *,
    tag: str,
    parameters: list[Json],
    errors: Json,
    security: tuple[Json, ...],
) -> Json:
    """A GET operation that a cache may ask about again."""
    return {
        "operationId": name,
        "summary": summary,
        "tags": [tag],
        "parameters": parameters,
        "responses": {"200": {"description": summary, "content": content}, "304": NOT_MODIFIED, **errors},
        "security": list(security),
    }


def feed_operation(extension: str, content_type: str) -> Json:
    """The documentation of one feed."""
    kind = content_type.partition(";")[0]
    content = json_content(JSON_FEED) if extension == "json" else {kind: {"schema": TEXT}}
    summary = f"A liveblog as {extension}"
    security = (*SECURITY, *PUBLIC)
    return _read(
        f"feed.{extension}",
        summary,
        content,
        tag="Feeds",
        parameters=FEED_PARAMETERS,
        errors=told(FEED_ERRORS),
        security=security,
    )


PAGE_OPERATION = _read(
    "liveblog.page",
    "A liveblog as a web page",
    {"text/html": {"schema": TEXT}, "application/json": {"schema": CHANGES}},
    tag="Pages",
    parameters=[
        PAGE_NAME,
        query("fragment", "Only the part of the page that changes", BOOLEAN),
        query("refresh", "With `fragment`: what has changed since this version, as JSON", VERSION),
    ],
    errors={"204": {"description": "Nothing has changed since `refresh`"}, **told(PUBLIC_ERRORS)},
    security=OPEN,
)


def _probe(name: str, summary: str, schema: Json, **more: Json) -> Json:
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["Operation"],
        "security": [],
        "responses": {
            "200": {"description": summary, "content": json_content(schema)},
            **{str(status): refusal(status) for status in OF_PROBES},
            **more,
        },
    }


ALIVE: Json = {"type": "object", "required": ["status"], "properties": {"status": {"const": "alive"}}}
READY: Json = {
    "type": "object",
    "required": ["ready", "store"],
    "properties": {"ready": {"type": "boolean"}, "store": {"type": "string", "enum": ["ok", "unavailable"]}},
}
PROBES = {
    "livez": _probe("livez", "The process lives", ALIVE),
    "readyz": _probe(
        "readyz",
        "The process can do its work",
        READY,
        **{"503": {"description": "Not ready", "content": json_content(READY)}},
    ),
}

METRICS: Json = {
    "operationId": "metrics",
    "summary": "Numbers for Prometheus",
    "tags": ["Operation"],
    "security": [*SECURITY, *PUBLIC],
    "responses": {
        "200": {"description": "The numbers", "content": {"text/plain": {"schema": TEXT}}},
        **told(refusals(401, 403, 404)),
    },
}
