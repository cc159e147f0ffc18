"""The event operations as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Any

from api.openapi import SCHEMAS, SECURITY, refusals
from mapping.documents.base import dump, parse
from mapping.documents.event import Event

Json = dict[str, Any]

EXAMPLE: Json = {
    "_type": "Svc::Model::Event",
    "local_id": "e4p1xk2m9",
    "highlight": "inplace",
    "contents": [
        {"_type": "Svc::Model::Content::RichTextContentBlock", "text": "<p>A <b>fine</b> move down the left.</p>"},
        {"_type": "Svc::Model::Content::QuoteContentBlock", "text": "We kept going.", "author": "The coach"},
    ],
    "sport_event": {
        "sportstype": "soccer",
        "event_type": "soccer.goal",
        "time_of_play": "45+2'",
        "title": "Goal",
        "players": [{"event_player_type": "scorer", "player": {"local_id": "p9", "name": "Ole Brandt"}}],
    },
}
CHANGED: Json = {"headline": "Level at half-time", "highlight": "milestone"}
IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "description": "A version: 409 when what is to be written was changed after it",
    "required": False,
    "schema": {"type": "string", "pattern": r'^(\*|(W/)?"?[0-9]{1,15}"?)$'},
}
ERRORS = refusals(401, 403, 404, 409, 413, 415, 422)


def _query(name: str, description: str, *, required: bool = True) -> Json:
    schema = {"type": "string", "minLength": 1}
    return {"name": name, "in": "query", "description": description, "required": required, "schema": schema}


def _write(name: str, summary: str, parameters: list[Json], answer: Json, **more: Any) -> Json:
    """A POST operation on events."""
    responses = {"200": answer, **{str(status): error for status, error in ERRORS.items()}}
    return {
        "operationId": f"event.{name}",
        "summary": summary,
        "tags": ["Events"],
        "parameters": [*parameters, IF_MATCH],
        "security": list(SECURITY),
        "responses": responses,
        **more,
    }


def _body(example: Json) -> Json:
    return {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": f"{SCHEMAS}Event"}, "example": example}},
    }


def _event(description: str, example: Json, **more: Any) -> Json:
    shown = {"schema": {"$ref": f"{SCHEMAS}Event"}, "example": dump(parse(Event, example))}
    return {"description": description, "content": {"application/json": shown}, **more}


NAMES_EVENT = [_query("event_local_id", "`local_id` of the event")]
LINKS: Json = {
    name: {"operationId": f"event.{name}", "parameters": {"event_local_id": "$response.body#/local_id"}}
    for name in ("update", "delete")
}
CREATE = _write(
    "create",
    "Post an event",
    [
        _query("ticker_local_id", "`local_id` of the liveblog; this or `ticker_id`", required=False),
        _query("ticker_id", "`ticker_id` of the liveblog, instead of `ticker_local_id`", required=False),
    ],
    _event("The event, media in full", EXAMPLE, links=LINKS),
    requestBody=_body(EXAMPLE),
)
UPDATE = _write(
    "update",
    "Change an event",
    NAMES_EVENT,
    _event("The event, media in full", EXAMPLE | CHANGED, links=LINKS),
    requestBody=_body(CHANGED),
)
DELETE = _write(
    "delete",
    "Delete an event",
    NAMES_EVENT,
    {
        "description": "Deleted, now or before",
        "content": {"application/json": {"schema": {"type": "object", "maxProperties": 0}, "example": {}}},
    },
)
