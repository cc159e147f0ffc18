"""The delta read and the stream as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Any

from api.openapi import BOOLEAN, LIVEBLOG, NAME, OPEN, PUBLIC_ERRORS, TEXT, query, told
from api.schemas import answered, json_content
from mapping.documents.delta import GameShowResponse
from mapping.documents.scalars import LocalStatus

Json = dict[str, Any]

VERSION: Json = {"type": "integer", "minimum": 0, "maximum": 10**15 - 1, "default": 0}
KNOWN = "The version already known"

CHANGES: Json = {
    "type": "object",
    "required": ["since", "version", "more", "status"],
    "properties": {
        "since": {"type": "integer"},
        "version": {"type": "integer"},
        "more": {"type": "boolean"},
        "status": {"enum": [*map(int, LocalStatus)]},
        **dict.fromkeys(("title", "label", "board", "squads"), TEXT),
        "posts": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "html"],
                "properties": {"id": TEXT, "html": {"type": ["string", "null"]}},
            },
        },
    },
}
"""What a page must change, as HTML; `html` null for a post that it must forget."""
UPDATE: Json = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]{1,15}$"},
        "event": {"enum": ["update", "beat"]},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"anyOf": [answered(GameShowResponse), CHANGES]},
        },
    },
}


def _operation(operation_id: str, summary: str, tag: str, answer: Json, parameters: list[Json], **more: Json) -> Json:
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": [tag],
        "parameters": parameters,
        "security": list(OPEN),
        "responses": {"200": answer, **more, **told(PUBLIC_ERRORS)},
    }


DELTA_OPERATION = _operation(
    "ticker.delta",
    "What has changed since a version",
    "Liveblogs",
    {
        "description": "The abbreviated liveblog, changed posts in full, tombstones for those that are gone",
        "content": json_content(answered(GameShowResponse)),
    },
    [
        query("id", LIVEBLOG, NAME, required=True),
        query("refresh", KNOWN, VERSION),
        query("limit", "Events an answer", {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}),
        query("continue_event_id", "Go on after this event"),
        query("include_continue_event", "Repeat that event", BOOLEAN),
        query("reverse", "Oldest first", BOOLEAN),
        query("tags", "Only events with one of these labels, separated by commas"),
        query("highlights", "Only highlighted events", BOOLEAN),
        query("include_milestone_events", "Milestones, whatever the other filters say", BOOLEAN),
    ],
    **{"304": {"description": "The caller has it already (`If-None-Match`)"}},
)
STREAM_OPERATION = _operation(
    "ticker.stream",
    "A liveblog's changes as server-sent events",
    "Pages",
    {
        "description": "Events `update`: `id` is the version, `data` a `GameShowResponse`; the schema is that of one event",
        "content": {"text/event-stream": {"schema": UPDATE}},
    },
    [
        query("liveblogId", LIVEBLOG, NAME, required=True),
        query("refresh", f"{KNOWN}; `Last-Event-ID` goes before it", VERSION),
        query("html", "The parts of the page that change, as HTML; `beat` in silence instead of a comment", BOOLEAN),
        {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The `id` of the last event that was received",
            "required": False,
            "schema": TEXT,
        },
    ],
)
