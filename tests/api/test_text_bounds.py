"""Every text of every document that a client or reader may send has a bound, or stands in a short list with the reason."""

import pytest
from pydantic.json_schema import models_json_schema

from api.routes import REQUESTS
from tests.kit import matchday
from tests.kit.event_desk import Desk

UNBOUNDED = {
    ("RichTextContentBlock", "text"): "an article; its markup is sanitised in one pass",
    ("QuoteContentBlock", "text"): "the same, as plain text",
    ("BasicEventInfo", "title"): "the older form of an article",
    ("BasicEventInfo", "attributes_json"): "the older form of an article, with its markup",
    ("CommentDraft", "text"): "`comments.text_length` bounds it, and the body of the route",
}
"""Texts that only the body of their route bounds. Unknown fields of open documents are the others."""


POLL = "Svc::Model::Content::PollContentBlock"


def texts(schema, path=()):
    """The path of each text in a JSON schema that has no bound of its own, and whether it has one."""
    if isinstance(schema, list):
        for part in schema:
            yield from texts(part, path)
    elif isinstance(schema, dict) and schema.keys() != {
        "required",
        "properties",
    }:  # "one of these is there" bounds nothing
        if schema.get("type") == "string" or "string" in (schema.get("type") or ()):
            yield path, "maxLength" in schema or "enum" in schema or "const" in schema or _is_bounded(schema)
        for name, part in schema.items():
            if name == "properties":
                for field, value in part.items():
                    yield from texts(value, (*path, field))
            elif isinstance(part, dict | list):
                yield from texts(part, path)


def _is_bounded(schema):
    """A pattern that repeats nothing without an end: `^-?[0-9]{1,11}$`."""
    pattern = schema.get("pattern", "*")
    return not set(pattern) & set("*+") and ",}" not in pattern


def test_every_text_of_a_request_has_a_bound():
    _, schema = models_json_schema([(model, "validation") for model in REQUESTS])
    found = {(name, *path) for name, part in schema["$defs"].items() for path, bounded in texts(part) if not bounded}
    assert found == UNBOUNDED.keys()


def test_a_text_without_a_bound_is_found():
    """In a list, in a choice, and with a pattern that has no end."""
    nested = {"properties": {"a": {"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}
    assert list(texts(nested)) == [(("a",), False)]
    assert list(texts({"type": "string", "pattern": "^a+$"})) == [((), False)]
    assert list(texts({"type": "string", "pattern": "^a{1,9}$"})) == [((), True)]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"headline": "x" * 20_001}, "headline"),
        ({"sport_event": {"event_type": "soccer.goal", "time_of_play": "9" * 20_001}}, "sport_event.time_of_play"),
        ({"media": [{"url": "https://a.example/" + "x" * 5_000}]}, "media.0.url"),
        ({"tag_ids": ["x" * 256]}, "tag_ids.0"),
        ({"local_id": "2026/11/goal"}, "local_id"),
        ({"contents": [{"_type": POLL, "local_id": "2026\\11"}]}, "contents.0.local_id"),
        ({"media": [{"local_id": "a/b", "url": "https://a.example/"}]}, "media.0.local_id"),
    ],
)
async def test_a_text_that_is_too_long_or_makes_dead_links_is_named(server, body, field):
    """422 with the path; what is as long as it may be is taken. Ids stand in paths: with a slash nobody could comment or vote."""
    await server.add(matchday.Liveblog())
    desk = Desk(server.http)
    assert await desk.refused("create", body, ticker_local_id="gderby") == (422, field)
    assert (await desk.create({"headline": "x" * 20_000}))["headline"] == "x" * 20_000
