"""Bodies of every route and texts of every document have bounds, and the longest texts fit into every index."""

import secrets

import pytest
from pydantic import TypeAdapter

from api.http.openapi import SchemaOf
from api.http.routing import ESCAPED_BYTES, READER_BYTES
from api.routes import ROUTES
from store.clients import clients
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.event_desk import CONTENT, Desk
from tests.kit.matchday import ORGANIZATION
from tests.kit.opening import store_at
from tests.kit.settings import configure
from tests.kit.sqlite import migrated_url


def longest(size=255):
    """Four bytes a character, and random, so that no page of an index is saved by compression."""
    return "".join(chr(0x20000 + secrets.randbelow(0xA000)) for _ in range(size))


@pytest.fixture(params=["sqlite", "postgresql"])
async def server(request, tmp_path):
    url = migrated_url(tmp_path / "long.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    store = await store_at(url, clock=lambda: NOW, migrate=True)
    everything = matchday.client("all", "read", "write", "stats", "webhooks", "external", "comments")
    await store.write(lambda unit: clients.declare(unit, (*matchday.CLIENTS, everything)))
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as made:
        configure(made.services.settings, ORGANIZATION, comments="post")
        yield made
    await store.close()


async def sent(server, path, body, **more):
    response = await server.http.post(path, json=body, auth=("all", matchday.SECRET), **more)
    assert response.status_code == 200, (path, response.status_code, response.text[:300])
    return response.json()


WRITE = "/api/v5/write"
PHOTO = "https://photos.example.org/"
ONCE = {"Idempotency-Key": "k" * 255}


async def test_the_longest_ids_and_names_are_stored(server):
    """Liveblog, post, blocks, files, poll, master data, keys, addresses: 200 each, and the liveblog is found by its words."""
    title = longest(1000)
    made = await sent(server, f"{WRITE}/ticker/create.json", liveblog(title), headers=ONCE)
    options = [{"id": longest(), "text": "Us"}, {"id": longest(), "text": "Them"}]
    poll = {
        "_type": f"{CONTENT}::PollContentBlock",
        "local_id": longest(),
        "question": longest(1000),
        "options": options,
    }
    media = [{"local_id": longest(), "url": PHOTO + longest(400)}]
    post = {"local_id": longest(), "headline": longest(20_000), "contents": [poll], "media": media}
    event = await sent(
        server, f"{WRITE}/event/create.json", post, params={"ticker_id": made["ticker_id"]}, headers=ONCE
    )
    for kind in ("player", "team", "tournament"):
        record = {"name": longest(1000), "owner_id": ORGANIZATION, "sportstype": "soccer"}
        more = {"player": {"ext_id": longest()}, "tournament": {}}.get(kind, {"image": PHOTO + longest(400)})
        await sent(server, f"{WRITE}/{kind}/create.json", record | more)
    await take_part(server, event["local_id"], poll["local_id"], options[0]["id"])
    address = "https://hooks.example/" + longest(500)
    await sent(server, f"/apigw/webhooks/v2/organization/{ORGANIZATION}/subscribe", {"url": address})

    query = {"q": title[:60], "organization_id": ORGANIZATION}
    found = await server.http.get(f"{WRITE}/ticker/search.json", params=query, auth=("all", matchday.SECRET))
    assert [each["local_id"] for each in found.json()["objects"]] == [made["local_id"]]


def liveblog(title):
    meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": title, "allow_comments": True}
    return {
        "_type": "Svc::Model::Game",
        "organization_id": ORGANIZATION,
        "template_id": "soccer",
        "external_id": longest(255 - len(ORGANIZATION) - 1),
        "meta_info": meta,
    }


async def take_part(server, channel, poll, option):
    """As a reader: a comment, a report, a vote."""
    token = (await sent(server, f"/api/readers/v1/organization/{ORGANIZATION}/token", {"name": longest(200)}))["token"]
    reader = {"Reader-Token": token, **ONCE}
    path = f"/api/comments/v1/owner/{ORGANIZATION}/public/{channel}/comments"
    comment = await sent(server, f"{path}.json", {"text": longest(1900)}, headers=reader)
    await sent(server, f"{path}/{comment['id']}/report.json", None, headers=reader)
    voted = await sent(server, f"/apigw/polls/v1/polls/{poll}/votes", {"options": [option]}, headers=reader)
    assert voted["total_votes"] == 1


DOCUMENTS = 1_048_576
COMMENT = 2_000
OF_STRANGERS = {"open", "page", "feed", "reader"}


@pytest.mark.parametrize("route", ROUTES, ids=lambda each: f"{each.method} {each.path}")
def test_every_route_has_a_bound_of_its_body(route):
    """What strangers may send is a comment at most and a few kB, everything else a document of the setting."""
    bound = route.largest_body(DOCUMENTS, COMMENT)
    assert 0 < bound <= DOCUMENTS
    if route.method == "POST" and route.access in OF_STRANGERS:
        assert bound <= READER_BYTES + ESCAPED_BYTES * COMMENT


async def test_a_large_body_of_a_reader_is_refused(store):
    """A megabyte of empty arrays is 413 before it is parsed."""
    path = f"/api/readers/v1/organization/{ORGANIZATION}/token"
    async with serving(store, public_feeds=True) as server:
        response = await server.http.post(path, content=b"[" + b"[]," * 340_000 + b"[]]")
    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


UNBOUNDED = {
    ("RichTextContentBlock", "text"): "an article; its markup is sanitised in one pass",
    ("QuoteContentBlock", "text"): "the same, as plain text",
    ("BasicEventInfo", "title"): "the older form of an article",
    ("BasicEventInfo", "attributes_json"): "the older form of an article, with its markup",
    ("UploadFields", "file"): "the bytes of a file, bounded by `uploads` as they come",
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


def referred(value):
    """The documents that operations refer to."""
    match value:
        case SchemaOf():
            yield value
        case dict():
            yield from referred(list(value.values()))
        case list() | tuple():
            for each in value:
                yield from referred(each)


def test_every_text_of_a_request_has_a_bound():
    documents = set(referred([route.operation for route in ROUTES]))
    inputs = [(each.name, each.mode, TypeAdapter(each.model)) for each in documents if each.mode == "validation"]
    _, schema = TypeAdapter.json_schemas(inputs)
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
