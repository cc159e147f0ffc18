"""The delta read and the stream as the OpenAPI document describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.openapi import PUBLIC, PUBLIC_ERRORS, SCHEMAS, SECURITY

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, Any]

BOOLEAN: Json = {"type": "boolean", "default": False}
TEXT: Json = {"type": "string"}
VERSION: Json = {"type": "integer", "minimum": 0, "maximum": 10**15 - 1, "default": 0}
LIVEBLOG = "`local_id` or `ticker_id` of the liveblog"
KNOWN = "The version already known"


def _query(name: str, description: str, schema: Json, *, required: bool = False) -> Json:
    return {"name": name, "in": "query", "description": description, "required": required, "schema": schema}


def _operation(operation_id: str, summary: str, tag: str, answer: Json, parameters: list[Json], **more: Json) -> Json:
    errors: Mapping[str, Json] = {str(status): error for status, error in PUBLIC_ERRORS.items()}
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": [tag],
        "parameters": parameters,
        "security": [{"query_id": []}, *SECURITY, *PUBLIC],
        "responses": {"200": answer, **more, **errors},
    }


DELTA_OPERATION = _operation(
    "ticker.delta",
    "What has changed since a version",
    "Liveblogs",
    {
        "description": "The abbreviated liveblog, changed posts in full, tombstones for those that are gone",
        "content": {"application/json": {"schema": {"$ref": f"{SCHEMAS}GameShowResponse"}}},
    },
    [
        _query("id", LIVEBLOG, TEXT | {"minLength": 1}, required=True),
        _query("refresh", KNOWN, VERSION),
        _query("limit", "Events an answer", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}),
        _query("continue_event_id", "Go on after this event", TEXT),
        _query("include_continue_event", "Repeat that event", BOOLEAN),
        _query("reverse", "Oldest first", BOOLEAN),
        _query("tags", "Only events with one of these labels, separated by commas", TEXT),
        _query("highlights", "Only highlighted events", BOOLEAN),
        _query("include_milestone_events", "Milestones, whatever the other filters say", BOOLEAN),
    ],
    **{"304": {"description": "The caller has it already (`If-None-Match`)"}},
)
STREAM_OPERATION = _operation(
    "ticker.stream",
    "A liveblog's changes as server-sent events",
    "Pages",
    {
        "description": "Events `update`: `id` is the version, `data` a `GameShowResponse`",
        "content": {"text/event-stream": {"schema": TEXT}},
    },
    [
        _query("liveblogId", LIVEBLOG, TEXT | {"minLength": 1}, required=True),
        _query("refresh", f"{KNOWN}; `Last-Event-ID` goes before it", VERSION),
        {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The `id` of the last event that was received",
            "required": False,
            "schema": TEXT,
        },
    ],
)
