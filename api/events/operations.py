"""The event operations as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Any

from api.openapi import NAME, SECURITY, linked, query, refusals, told
from api.schemas import answered, asked, json_content
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
ERRORS = refusals(401, 403, 404, 409, 413, 422)


def _write(name: str, summary: str, parameters: list[Json], answer: Json, **more: Any) -> Json:
    """A POST operation on events."""
    return {
        "operationId": f"event.{name}",
        "summary": summary,
        "tags": ["Events"],
        "parameters": [*parameters, IF_MATCH],
        "security": list(SECURITY),
        "responses": {"200": answer, **told(ERRORS)},
        **more,
    }


def _body(example: Json) -> Json:
    return {"required": True, "content": json_content(asked(Event), example)}


def _event(example: Json) -> Json:
    shown = {
        "description": "The event, media in full",
        "content": json_content(answered(Event), dump(parse(Event, example))),
    }
    return linked(
        linked(shown, "event.update", body="$response.body", event_local_id="local_id"),
        "event.delete",
        event_local_id="local_id",
    )


NAMES_EVENT = [query("event_local_id", "`local_id` of the event", NAME, required=True)]
CREATE = _write(
    "create",
    "Post an event",
    [
        query("ticker_local_id", "`local_id` of the liveblog; this or `ticker_id`", NAME),
        query("ticker_id", "`ticker_id` of the liveblog, instead of `ticker_local_id`", NAME),
    ],
    _event(EXAMPLE),
    requestBody=_body(EXAMPLE),
)
UPDATE = _write("update", "Change an event", NAMES_EVENT, _event(EXAMPLE | CHANGED), requestBody=_body(CHANGED))
DELETE = _write(
    "delete",
    "Delete an event",
    NAMES_EVENT,
    {"description": "Deleted, now or before", "content": json_content({"type": "object", "maxProperties": 0}, {})},
)
