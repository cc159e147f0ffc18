"""A stream of one process sends what another has written, by PostgreSQL's notices alone: the look behind is an hour away."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest

from api.stream import streams
from store.clients import clients
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import record
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.event_desk import Desk, post
from tests.kit.notices import broken_off
from tests.kit.opening import store_at
from tests.kit.streaming import Reader, over_http

HOUR = 3600.0
TICKER = matchday.Liveblog().ticker_id


@asynccontextmanager
async def process(url, **settings):
    """The API over a store of its own."""
    store = await store_at(url, migrate=True, clock=lambda: NOW)
    try:
        async with serving(store, client_per_second=0, public_per_second=0, **settings) as server:
            yield server
    finally:
        await store.close()


@pytest.fixture
async def two(postgres_url, monkeypatch):
    """Who writes and who serves streams."""
    monkeypatch.setitem(streams.Streams.__init__.__kwdefaults__, "poll", HOUR)
    async with process(postgres_url) as writes, process(postgres_url) as serves:
        await writes.store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        await writes.add(matchday.Liveblog())
        yield writes, serves


@asynccontextmanager
async def reading(server):
    """A reader that has been notified of all there is, and goes on."""
    async with over_http(server.app) as http:
        reader = Reader(http)
        following = asyncio.create_task(reader.follow(until=10**9, within=60))
        await reached(reader, 1)
        yield reader
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def reached(reader, version):
    async with asyncio.timeout(30):
        while reader.version < version:
            await asyncio.sleep(0.005)


async def test_what_one_process_posts_a_reader_of_another_sees(two):
    """Posts, corrections, deletions, in order, each as it is committed."""
    writes, serves = two
    desk = Desk(writes.http)
    async with reading(serves) as reader:
        await asyncio.sleep(0.2)
        made = await desk.create(post("Kick-off"))
        await reached(reader, 2)
        await desk.update(made["local_id"], {"headline": "Second thoughts"})
        await reached(reader, 3)
        assert reader.kept[made["local_id"]]["headline"] == "Second thoughts"
        await desk.delete(made["local_id"])
        await reached(reader, 4)

    assert (reader.kept, reader.ids) == ({}, [1, 2, 3, 4])


async def test_nothing_is_lost_while_the_listening_connection_is_away(two):
    """What was written then is sent as soon as it is back, and what comes afterwards is heard again."""
    writes, serves = two
    async with reading(serves) as reader:
        for version in (2, 3, 4):
            async with broken_off(writes.store):
                write = EventWrite.new(local_id=f"e{version}", document=post(), created_at=version)
                await writes.store.write(partial(record, game_id=TICKER, change=Change(events=(write,))))
            await reached(reader, version)
        await Desk(writes.http).create(post(local_id="e5"))
        await reached(reader, 5)

    assert set(reader.kept) == {"e2", "e3", "e4", "e5"}
