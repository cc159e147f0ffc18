"""Feeds and pages are rendered once and kept for a moment: never for another reader or question."""

import asyncio

import httpx
import pytest

from api.http.caching import SingleFlightCache
from api.view.liveblog_reads import ReadCounts
from store.clients import clients
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.delayed import EMBED
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


PAGE, NAME = "/liveblogs/gderby", {"liveblogId": "gderby"}
READS = {
    PAGE: {},
    "/embed/gderby": {},
    f"{EMBED}/feed/liveblog.rss": NAME,
    f"{EMBED}/feed/liveblog.atom": NAME,
    f"{EMBED}/feed/liveblog.json": NAME,
    f"{EMBED}/prefetch/liveblog.json": NAME,
    f"{EMBED}/prefetch/liveblog-teaser.json": NAME,
    "/api/v6/ticker/show.json": {"id": "gderby"},
    "/": {},
}
MADE_UP = (
    [{"post": f"e{each}"} for each in range(9)],
    [{"x": str(each)} for each in range(9)],
    [{"include_continue_event": "1"}, {"include_continue_event": "true"}, {"themeId": "nobodys"}],
    [{"delay": "0" * each} for each in range(1, 9)],
    [{"refresh": str(10**12 + each)} for each in range(9)],
    [{"liveblogUrl": f"https://news.example/{each}"} for each in range(9)],
    [{"includeLiveblogUrl": f"https://news{each}.example"} for each in range(9)],
)


@pytest.fixture
async def room(public):
    await public.add(matchday.derby())
    return public


def made(server):
    return server.services[ReadCounts].made


@pytest.mark.parametrize("path", READS)
async def test_what_is_made_up_makes_no_entry(room, path):
    await room.http.get(path, params=READS[path])
    for wanted in MADE_UP:
        for first in ({}, wanted[0]):  # what is there for all of them
            await room.http.get(path, params={**READS[path], **first})
        before = made(room)
        for each in wanted:
            response = await room.http.get(path, params={**READS[path], **each})
            assert response.status_code == 200
        assert made(room) == before, wanted


async def test_a_post_of_the_liveblog_is_found_by_its_address(room):
    """What means something is shown, of course."""
    response = await room.http.get(PAGE, params={"post": "egoal", "limit": 1})
    assert "egoal" in response.text


def giving(value):
    async def make():
        return value

    return make


@pytest.mark.parametrize(("since", "until"), [(None, 5.0), (lambda value: value, 4.0)])
async def test_a_value_is_kept_for_a_while(since, until):
    """Until it is too old, since it was ready or since the moment that it says itself."""
    now = 0.0
    cache = SingleFlightCache(9, seconds=5.0, since=since, monotonic=lambda: now)
    await cache.get("a", giving(-1.0))
    now = until - 0.1
    assert await cache.get("a", giving(0.0)) == -1.0
    now = until
    assert await cache.get("a", giving(0.0)) == 0.0


async def test_room_is_bounded():
    """What was wanted least recently goes first; what alone is too large is given and not kept."""
    for largest in (None, 8):
        cache = SingleFlightCache(10, size=len, largest=largest)
        for name in "abc":
            await cache.get(name, giving(b"12345"))
        assert [name in cache for name in "abc"] == [False, True, True]
        too_large = bytes((largest or 10) + 1)
        assert await cache.get("d", giving(too_large)) == too_large
        assert ("d" in cache, "c" in cache) == (False, True)
        assert await cache.get("e", giving(too_large[1:])) == too_large[1:]
        assert "e" in cache


async def test_what_is_wanted_meanwhile_is_made_once_unless_it_was_forgotten():
    """All who wait get it, also None; what fails fails for all of them, and is made again; what was forgotten is not kept."""
    cache, ready, made = SingleFlightCache(9), asyncio.Event(), []

    async def slow():
        made.append(len(made))
        await ready.wait()
        if made == [0]:
            raise KeyError

    both = [asyncio.ensure_future(cache.get("a", slow)) for _ in range(2)]
    await asyncio.sleep(0)
    ready.set()
    assert [type(each) for each in await asyncio.gather(*both, return_exceptions=True)] == [KeyError, KeyError]
    assert (await cache.get("a", slow), await cache.get("a", slow), made) == (None, None, [0, 1])

    ready.clear()
    cache.forget()
    before = asyncio.ensure_future(cache.get("a", slow))
    while len(made) < 3:
        await asyncio.sleep(0)
    cache.forget()
    assert await cache.get("a", giving("new")) == "new"
    ready.set()
    assert (await before, await cache.get("a", slow)) == (None, "new")
