"""The public hub is pinged for each feed that has changed: once, by one process, once its readers can see it."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from functools import partial
from urllib.parse import parse_qsl

import pytest

from api.feeds.feed import feed_topics
from ingest.webhooks import hub_ping
from ingest.webhooks.hub_ping import HubPings
from providers.http_server import bind_socket, listening
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import Change
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.opening import store_at
from tests.kit.settings import configured
from tests.kit.sqlite import migrated_url

TICKER = matchday.Liveblog().ticker_id
PUBLIC = "https://live.example.org/blogs"
TOPICS = {name: feed_topics(PUBLIC, name, 1000) for name in ("gderby", "gother")}


class PublicHub:
    """A hub that keeps what it is sent, and answers with the status that it is given."""

    def __init__(self):
        self.pings, self.status = [], 204

    async def __call__(self, scope, receive, send):
        assert scope["type"] == "http"
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.pings.append((scope["method"], parse_qsl(body.decode())))
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def topics(self):
        """The topics of each ping."""
        return [[value for name, value in form if name == "hub.url"] for _, form in self.pings]

    async def has(self, number):
        async with asyncio.timeout(30):
            while len(self.pings) < number:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def hub():
    made = PublicHub()
    async with listening(made, bind_socket("127.0.0.1", 0)) as address:
        made.address = address
        yield made


@asynccontextmanager
async def pinging(store, address, **delays):
    settings = configured(public_url=PUBLIC, public_delays=delays, hub=address, hub_pause=0.1)
    pings = HubPings(store, settings)
    store.on_step(pings.hear)
    task = asyncio.create_task(pings.run())
    try:
        yield pings
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pings.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(hub_ping, "TICK", 0.01)
    monkeypatch.setattr(hub_ping, "RETRY", 0.05)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "pings.db")
    return request.getfixturevalue("postgres_cluster").create_database(f"pings_{secrets.token_hex(4)}")


@pytest.fixture
async def store(url):
    opened = await store_at(url, clock=lambda: NOW, migrate=True)
    await opened.write(partial(matchday.insert, matchday.Liveblog()))
    await opened.write(partial(matchday.insert, matchday.Liveblog(local_id="gother", ticker_id="7b" * 12)))
    yield opened
    await opened.close()


async def step(store, game_id=TICKER, **change):
    await store.write(partial(liveblogs.record, game_id=game_id, change=Change(**change)))


async def test_a_change_pings_the_topics_of_its_feeds(store):
    """One form for all formats, by the addresses that the feeds call themselves; changes that come together are one ping."""
    async with hub() as public, pinging(store, public.address):
        for _ in range(3):
            await step(store)
        await public.has(1)
        await step(store, "7b" * 12)
        await public.has(2)
        await asyncio.sleep(0.3)

    assert public.topics() == [TOPICS["gderby"], TOPICS["gother"]]
    assert public.pings[0] == ("POST", [("hub.mode", "publish"), *(("hub.url", each) for each in TOPICS["gderby"])])


async def test_the_topics_are_what_the_feeds_call_themselves(store):
    """So that whoever subscribes to the hub is sent what is pinged for."""
    async with serving(store, public_per_second=0, public_feeds=True, hub="https://hub.example.org/") as server:
        for extension, topic in zip(("rss", "atom", "json"), TOPICS["gderby"], strict=True):
            path = f"/api/embed/v4/feed/liveblog.{extension}"
            response = await server.http.get(path, params={"liveblogId": "gderby"})
            assert response.links["self"]["url"] == topic
            assert response.links["hub"]["url"] == "https://hub.example.org/"


async def test_what_readers_do_not_see_is_not_pinged_for(store):
    """A liveblog that is unpublished; the last change before that is none that the hub could fetch."""
    async with hub() as public, pinging(store, public.address):
        await step(store, local_status=60)
        await step(store, "7b" * 12)
        await public.has(1)
        await asyncio.sleep(0.3)
    assert public.topics() == [TOPICS["gother"]]


async def test_readers_who_see_everything_later_are_sent_it_later(store, monkeypatch):
    """The hub fetches the feed as they see it."""
    async with hub() as public, pinging(store, public.address, **{matchday.ORGANIZATION: 1}):
        began = asyncio.get_running_loop().time()
        await step(store)
        await public.has(1)
        assert asyncio.get_running_loop().time() - began > 2
    assert public.topics() == [TOPICS["gderby"]]


async def test_one_of_several_processes_pings(request):
    """Both hear of each commit."""
    url = request.getfixturevalue("postgres_cluster").create_database(f"pings_{secrets.token_hex(4)}")
    one, other = [await store_at(url, clock=lambda: NOW, migrate=True) for _ in range(2)]
    await one.write(partial(matchday.insert, matchday.Liveblog()))
    async with hub() as public, pinging(one, public.address), pinging(other, public.address):
        for number in range(1, 6):
            await step(one if number % 2 else other)
            await public.has(number)
            await asyncio.sleep(0.4)
        assert public.topics() == [TOPICS["gderby"]] * 5
    for store in (one, other):
        await store.close()


async def test_a_hub_that_fails_is_pinged_again_a_few_times(store):
    """Five times for a change, logged once; the next change begins anew."""
    async with hub() as public, pinging(store, public.address):
        public.status = 503
        await step(store)
        await public.has(hub_ping.TRIES)
        await asyncio.sleep(0.5)
        assert len(public.pings) == hub_ping.TRIES
        public.status = 202
        await step(store)
        await public.has(hub_ping.TRIES + 1)
        await asyncio.sleep(0.3)
    assert public.topics() == [TOPICS["gderby"]] * (hub_ping.TRIES + 1)


async def test_a_hub_that_is_not_there_costs_nothing_but_pings(store):
    """Nothing waits for it, and what waits is bounded."""
    async with pinging(store, "http://127.0.0.1:9") as pings:
        for number in range(hub_ping.MOST_WAITING + 10):
            pings.hear({f"g{number}": 1})
        assert len(pings._waiting) <= hub_ping.MOST_WAITING
        await step(store)
        async with asyncio.timeout(30):
            while pings._waiting.keys() - {TICKER}:
                await asyncio.sleep(0.01)


async def test_feeds_have_no_hub_where_none_is_configured(store):
    async with serving(store, public_per_second=0, public_feeds=True) as server:
        response = await server.http.get("/api/embed/v4/feed/liveblog.json", params={"liveblogId": "gderby"})
        assert "hubs" not in response.json()
        assert "link" not in response.headers
        assert (await server.http.post("/websub", data={"hub.mode": "subscribe"})).status_code == 404
