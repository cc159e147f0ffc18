"""The longest texts that a document takes fit into every index that they go into, on both databases."""

import secrets

import pytest

from store.clients import clients
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.event_desk import CONTENT
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
