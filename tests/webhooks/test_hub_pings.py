"""The public hub is pinged for each feed that has changed: once, by one process, once its readers can see it."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from types import SimpleNamespace
from urllib.parse import parse_qsl

import pytest

from api.feeds.feed_selection import feed_topics
from ingest.webhooks import hub_ping
from ingest.webhooks.hub_ping import HubPings
from providers.http_server import bind_socket, listening
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.api.conftest import NOW
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


class CountedPings(HubPings):
    """Counts its turns at which something was due."""

    turns = 0

    async def _ping(self, due):
        await super()._ping(due)
        self.turns += bool(due)

    async def has_turned(self, number):
        """So often something was due, and has been pinged for, or not."""
        async with asyncio.timeout(60):
            while self.turns < number:
                await asyncio.sleep(0.01)

    async def rests(self):
        """Nothing waits, and nothing is being pinged for."""
        async with asyncio.timeout(60):
            while self._called.is_set():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def hub():
    made = PublicHub()
    async with listening(made, bind_socket("127.0.0.1", 0)) as address:
        made.address = address
        yield made


@asynccontextmanager
async def pinging(store, address, **delays):
    settings = configured(public_url=PUBLIC, public_delays=delays, hub=address, hub_pause=0.01)
    topics = partial(feed_topics, settings.public_url, limit_max=settings.limits.feed_limit_max)
    pings = CountedPings(store, settings, topics)
    store.on_step(pings.hear)
    task = asyncio.create_task(pings.run())
    try:
        yield pings
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await pings.close()


@pytest.fixture(autouse=True)
def hands(hands, monkeypatch):
    """The clock of the pings, which the test moves."""
    monkeypatch.setattr(hub_ping, "TICK", 0.01)
    monkeypatch.setattr(hub_ping, "time", SimpleNamespace(monotonic=hands.steady))
    return hands


@pytest.fixture
async def store(tmp_path):
    opened = await store_at(migrated_url(tmp_path / "pings.db"), clock=lambda: NOW)
    await opened.write(partial(matchday.insert, matchday.Liveblog()))
    await opened.write(partial(matchday.insert, matchday.Liveblog(local_id="gother", ticker_id="7b" * 12)))
    yield opened
    await opened.close()


async def step(store, game_id=TICKER, **change):
    await store.write(partial(liveblogs.record, game_id=game_id, change=Change(**change)))


async def test_a_change_pings_the_topics_of_its_feeds(store, hands):
    """One form for all formats, by the addresses that the feeds call themselves; changes that come together are one ping."""
    async with hub() as public, pinging(store, public.address) as pings:
        pings._pause = 1
        for _ in range(3):
            await step(store)
        hands.pass_(1)
        await pings.has_turned(1)
        await step(store, "7b" * 12)
        hands.pass_(1)
        await pings.has_turned(2)

    assert public.topics() == [TOPICS["gderby"], TOPICS["gother"]]
    assert public.pings[0] == ("POST", [("hub.mode", "publish"), *(("hub.url", each) for each in TOPICS["gderby"])])


async def test_what_readers_do_not_see_is_not_pinged_for(store):
    """A liveblog that is unpublished; the last change before that is none that the hub could fetch."""
    async with hub() as public, pinging(store, public.address) as pings:
        await step(store, local_status=60)
        await pings.has_turned(1)
        await step(store, "7b" * 12)
        await pings.has_turned(2)
    assert public.topics() == [TOPICS["gother"]]


async def test_readers_who_see_everything_later_are_sent_it_later(store, hands):
    """The hub fetches the feed as they see it."""
    async with hub() as public, pinging(store, public.address, **{matchday.ORGANIZATION: 900}) as pings:
        await step(store)
        await pings.has_turned(1)
        assert public.pings == []
        assert pings._waiting[TICKER].at > hands.steady() + 800
        hands.pass_(901)
        await public.has(1)
    assert public.topics() == [TOPICS["gderby"]]


async def test_one_of_several_processes_pings(two_stores):
    """Both hear of each commit."""
    one, other = two_stores
    await one.write(partial(matchday.insert, matchday.Liveblog()))
    async with hub() as public, pinging(one, public.address) as first, pinging(other, public.address) as second:
        both = (first, second)
        while not all(each.turns for each in both):  # until both listen
            await step(one)
            await asyncio.sleep(0.05)
        await asyncio.gather(*(each.rests() for each in both))
        known = len(public.pings)
        for number in range(5):
            before = [each.turns for each in both]
            await step(other if number % 2 else one)
            for each, turns in zip(both, before, strict=True):
                await each.has_turned(turns + 1)
        assert public.topics() == [TOPICS["gderby"]] * (known + 5)


async def test_a_hub_that_fails_is_pinged_again_a_few_times(store, hands):
    """Five times for a change, logged once; the next change begins anew."""
    async with hub() as public, pinging(store, public.address) as pings:
        public.status = 503
        await step(store)
        for number in range(1, hub_ping.TRIES + 1):
            await pings.has_turned(number)
            hands.pass_(hub_ping.RETRY * 2**number)
        assert pings._waiting == {}
        assert len(public.pings) == hub_ping.TRIES
        public.status = 202
        await step(store)
        await pings.has_turned(hub_ping.TRIES + 1)
    assert public.topics() == [TOPICS["gderby"]] * (hub_ping.TRIES + 1)


async def test_a_hub_that_is_not_there_costs_nothing_but_pings(store):
    """Nothing waits for it, and what waits is bounded."""
    async with pinging(store, "http://127.0.0.1:9") as pings:
        for number in range(hub_ping.MOST_WAITING + 10):
            pings.hear({f"g{number}": 1})
        assert len(pings._waiting) <= hub_ping.MOST_WAITING
        pings._waiting.clear()
        await step(store)
