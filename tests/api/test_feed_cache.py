"""Feeds are rendered once and kept for a moment: never for somebody else, another question or another version."""

import httpx
import pytest

from store.clients import clients
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import DESK, STRANGER, Desk, post

BASE = "/api/embed/v4/feed/liveblog"


@pytest.fixture
async def desk(server):
    await server.store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    await server.add(matchday.Liveblog())
    found = Desk(server.http)
    for number in range(3):
        await found.create(post(f"Post {number}", local_id=f"e{number}"))
    return found


async def feed(desk, extension="json", auth=DESK, **query):
    return await desk.http.get(f"{BASE}.{extension}", params={"liveblogId": desk.liveblog, **query}, auth=auth)


def ids(response):
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.json()["items"]]


@pytest.mark.parametrize("extension", ["json", "rss", "atom"])
async def test_what_is_kept_is_given_to_no_stranger(desk, extension):
    """Whoever may read fills the cache; another tenant, a wrong secret and nobody at all are refused as before."""
    assert (await feed(desk, extension)).status_code == 200
    statuses = [
        (await feed(desk, extension, auth)).status_code
        for auth in (STRANGER, ("desk", "wrong"), httpx.BasicAuth("nobody", "x"), None)
    ]

    assert statuses == [404, 401, 401, 401]
    assert (await feed(desk, extension)).headers["cache-control"].startswith("private")


async def test_each_question_has_an_answer_of_its_own(desk):
    """Format, limit, order, place and delay, before which there was nothing, are part of what a response is kept by."""
    requested = [{}, {"limit": 1}, {"sort": "asc"}, {"continue_event_id": "e1"}, {"limit": 2}]
    requested += [{"continue_event_id": "e1", "include_continue_event": "true"}]
    for _ in range(2):  # the second time from what is kept
        found = [ids(await feed(desk, **query)) for query in requested]
        assert found == [["e2", "e1", "e0"], ["e2"], ["e0", "e1", "e2"], ["e0"], ["e2", "e1"], ["e1", "e0"]]
        assert (await feed(desk, delay=900)).status_code == 404
        types = {(await feed(desk, each)).headers["content-type"] for each in ("json", "rss", "atom")}
        assert len(types) == 3


async def test_an_absence_is_not_kept(store):
    """A liveblog that was requested before it existed is there as soon as it is; 404 says that nobody should keep it."""
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as server:
        path = f"{BASE}.json?liveblogId=gderby"
        missing = await server.http.get(path)
        await server.add(matchday.derby())
        found = await server.http.get(path)

    assert (missing.status_code, missing.headers["cache-control"]) == (404, "no-store")
    assert found.status_code == 200
