"""The delta read and the stream: what a reader knows plus what they tell is what there is."""

from __future__ import annotations

import asyncio
import random
import time

import pytest

from api.stream import streams
from store import clients
from store.database import Store
from store.liveblogs import Change, EventWrite, record
from store.tables import outbox
from tests.api import matchday
from tests.api.conftest import NOW, serving
from tests.api.streaming import STREAM, Reader, over_http
from tests.api.writing import DELTA, DESK, STRANGER, Desk, applied, post

TICKER = matchday.Liveblog().ticker_id


@pytest.fixture
async def desk(server):
    await server.add(matchday.Liveblog())
    return Desk(server.http)


async def test_a_delta_holds_what_changed_and_tombstones(desk):
    """Changed posts in full, deleted and withdrawn ones as tombstones, others not at all."""
    for name in ("stays", "changes", "goes", "hides"):
        await desk.create(post(name, local_id=name))
    known = (await desk.delta())["version"]
    await desk.update("changes", {"headline": "New"})
    await desk.delete("goes")
    await desk.update("hides", {"local_status": 60})
    answer = await desk.delta(refresh=known)
    events = {event["local_id"]: event for event in answer["events"]}

    assert next(iter(answer)) == "_type"
    assert answer["_type"] == "Svc::Model::Api::GameShowResponse"
    assert (answer["version"], answer["more"], answer["game"]["version"]) == (8, False, 8)
    assert answer["game"]["scoreboard"]["score"]["home_score"] == "2"
    assert "events" not in answer["game"]
    assert (set(events), events["changes"]["headline"]) == ({"changes", "goes", "hides"}, "New")
    assert {name: events[name]["local_status"] for name in ("goes", "hides")} == {"goes": 100, "hides": 60}
    assert set(events["goes"]) == {"_type", "local_id", "version", "local_status", "sort", "tag_ids"}
    assert {event["local_id"] for event in (await desk.delta())["events"]} == {"stays", "changes"}


async def test_filters_and_order(desk):
    """`tags`, `highlights`, `include_milestone_events`, `reverse`, `limit` and continuing."""
    plan = [("e0", {}), ("e1", {"tag_ids": ["a"]}), ("e2", {"highlight": "inplace", "tag_ids": ["b"]}),
            ("e3", {"highlight": "milestone"}), ("e4", {"highlight": "stickyNoHighlight"})]  # fmt: skip
    for at, (name, more) in enumerate(plan):
        await desk.create(post(local_id=name, created_at=at, **more))

    async def ids(**params):
        return [event["local_id"] for event in (await desk.delta(**params))["events"]]

    assert await ids() == ["e4", "e3", "e2", "e1", "e0"]
    assert await ids(reverse="true") == ["e0", "e1", "e2", "e3", "e4"]
    assert await ids(tags="a,b") == ["e2", "e1"]
    assert await ids(highlights="true") == ["e3", "e2"]
    assert await ids(tags="a", include_milestone_events="true") == ["e3", "e1"]
    assert await ids(limit=2, continue_event_id="e3") == ["e2", "e1"]
    assert await ids(limit=2, continue_event_id="e3", include_continue_event="true") == ["e3", "e2"]
    assert (await desk.delta(limit=5))["more"] is False
    assert (await desk.delta(limit=4))["more"] is True


async def test_a_post_that_leaves_the_filter_is_a_tombstone(desk):
    """A reader of highlights alone is told that a post is none any more."""
    await desk.create(post(local_id="e1", highlight="inplace"))
    await desk.update("e1", {"highlight": ""})

    [gone] = (await desk.delta(refresh=2, highlights="true"))["events"]
    assert (gone["local_id"], gone["local_status"]) == ("e1", 60)


async def test_a_withdrawn_or_deleted_liveblog_says_so(desk, store):
    """Everywhere else it is 404; here its status is told, and nothing of its contents."""
    await desk.create()
    for status in (60, 100):
        await store.write(lambda unit, status=status: record(unit, TICKER, Change(local_status=status)))
        answer = await desk.delta(refresh=1)
        assert (answer["game"]["local_status"], answer["events"]) == (status, [])
        assert "scoreboard" not in answer["game"]


@pytest.mark.parametrize("path", [DELTA, STREAM])
async def test_readers_need_a_client_of_the_organization(desk, path):
    """No credentials 401, a wrong secret 401, another tenant 404 as for what does not exist, no liveblog 400."""
    name = {"id": "gderby", "liveblogId": "gderby"}
    none = {"id": "gnone", "liveblogId": "gnone"}

    assert (await desk.http.get(path, params=name)).status_code == 401
    assert (await desk.http.get(path, params=name, auth=("desk", "wrong"))).status_code == 401
    others = [await desk.http.get(path, params=params, auth=STRANGER) for params in (name, none)]
    assert [answer.status_code for answer in others] == [404, 404]
    assert others[0].json() == others[1].json()
    assert (await desk.http.get(path, auth=DESK)).status_code == 400
    assert (await desk.http.get(path, params={**name, "refresh": "-1"}, auth=DESK)).status_code == 400


class Newsroom:
    """Clients that create, edit and delete at random, and what they know exists."""

    def __init__(self, desk, seed):
        self.desk, self.random, self.known = desk, random.Random(seed), []

    async def work(self, steps):
        for _ in range(steps):
            await getattr(self, self.random.choice(("create", "create", "edit", "edit", "hide", "delete")))()

    async def create(self):
        at = {"created_at": self.random.randrange(1000)} if self.random.random() < 0.5 else {}
        self.known.append((await self.desk.create(post(str(self.random.random()), **at)))["local_id"])

    async def edit(self):
        await self._change({"headline": str(self.random.random()), "created_at": self.random.randrange(1000)})

    async def hide(self):
        await self._change({"local_status": self.random.choice((0, 60))})

    async def delete(self):
        if self.known:
            await self.desk.delete(self.random.choice(self.known))

    async def _change(self, body):
        if self.known:
            answer = await self.desk.ask("update", body, event_local_id=self.random.choice(self.known))
            assert answer.status_code in {200, 404}  # deleted by another client


@pytest.mark.parametrize("seed", range(3))
async def test_eight_clients_at_once_leave_no_gap_and_deltas_rebuild_the_whole(desk, store, seed):
    """Versions are 1..n, and from any version that a reader has held the delta leads to the full read."""
    room = Newsroom(desk, seed)
    seen = []

    async def look():
        for _ in range(12):
            version, events = await desk.whole()
            again, _ = await desk.whole()
            if version == again:  # nobody wrote between its pages: it is what stood at that version
                seen.append((version, events))
            await asyncio.sleep(0)

    await asyncio.gather(look(), *(room.work(12) for _ in range(8)))
    query = outbox.select().order_by(outbox.c.id)
    versions = [row.version for row in await store.read(lambda conn: conn.execute(query).all())]
    last, full = await desk.whole()

    assert versions == list(range(1, last + 1))
    assert last > 40
    assert set(await desk.feed()) == set(full)
    assert len(seen) >= 3
    for version, held in seen:
        assert applied(held, (await desk.whole(refresh=version))[1]) == full


async def test_postgresql_leaves_no_gap_either(postgres_url):
    """The same with a transaction for every write."""
    store = await Store.open(postgres_url, migrate=True, clock=lambda: NOW)
    try:
        await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        async with serving(store, client_per_second=0, public_per_second=0) as server:
            await server.add(matchday.Liveblog())
            await test_eight_clients_at_once_leave_no_gap_and_deltas_rebuild_the_whole(Desk(server.http), store, 5)
    finally:
        await store.close()


async def test_streams_with_reconnects_rebuild_the_whole(desk, server):
    """Readers that come and go, and one that stays, hold what the full read gives; ids only rise."""
    room = Newsroom(desk, 7)
    async with over_http(server.app) as http:
        comes_and_goes, stays = [Reader(http) for _ in range(3)], Reader(http)
        done = asyncio.Event()

        async def restless(reader, count):
            while not done.is_set():
                await reader.read(messages=count)

        pending = [asyncio.create_task(restless(each, count + 1)) for count, each in enumerate(comes_and_goes)]
        staying = asyncio.create_task(stays.follow(until=10**9))
        await asyncio.gather(*(room.work(10) for _ in range(8)))
        last, full = await desk.whole()
        done.set()
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        for reader in comes_and_goes:
            await reader.follow(until=last)
        async with asyncio.timeout(5):
            while stays.version < last:
                await asyncio.sleep(0.01)
        staying.cancel()
        await asyncio.gather(staying, return_exceptions=True)

        assert all(reader.held == full for reader in (*comes_and_goes, stays))
        assert len(stays.ids) >= 2


async def test_a_large_liveblog_comes_in_several_messages(desk, server, store, monkeypatch):
    """No version is cut in two, and whoever leaves between two messages misses nothing."""
    monkeypatch.setattr(streams, "EVENTS", 10)
    for size in (25, 1, 8, 4):
        writes = tuple(EventWrite(local_id=f"e{size}n{n}", document=post(), created_at=n) for n in range(size))
        await store.write(lambda unit, writes=writes: record(unit, TICKER, Change(events=writes)))
    async with over_http(server.app) as http:
        reader = Reader(http)
        sizes = []
        while reader.version < 5:
            await reader.read(messages=1)
            sizes.append(len(reader.held))

    assert sizes == [25, 34, 38]
    assert reader.held == (await desk.whole())[1]


async def test_watchers_of_one_liveblog_share_a_read(desk, server, monkeypatch):
    """One read per version, however many watch."""
    reads = []
    real = streams.read
    monkeypatch.setattr(streams, "read", lambda conn, **what: reads.append(what) or real(conn, **what))
    async with over_http(server.app) as http:
        readers = [Reader(http) for _ in range(6)]
        await asyncio.gather(*(reader.read(messages=1) for reader in readers))
        following = [asyncio.create_task(reader.follow(until=4)) for reader in readers]
        await asyncio.sleep(0.3)
        reads.clear()
        for _ in range(3):
            await desk.create()
        await asyncio.gather(*following)

    assert len(reads) <= 3


async def test_a_reader_that_does_not_keep_up_is_dropped(desk, server, monkeypatch):
    """Its unread messages are bounded; it comes back and loses nothing."""
    monkeypatch.setattr(streams, "BACKLOG", 2)
    hub = streams.Streams(server.store, poll=0.1)
    game = await server.store.read(lambda conn: streams.liveblogs.require_game(conn, "gderby"))
    slow = hub.messages(game, 0)
    first = await anext(slow)
    while await anext(slow) is not None:
        pass
    for _ in range(6):
        await desk.create()
        await asyncio.sleep(0.02)
    told = [message async for message in slow]
    back = hub.messages(game, told[-1].version)
    caught_up = await anext(back)
    await back.aclose()
    await hub.close()

    assert (first.version, [message.version for message in told]) == (1, [2, 3])
    assert caught_up.since <= 3
    assert caught_up.version >= 4
    assert len(hub) == 0


async def test_what_other_processes_write_is_noticed(desk, server, monkeypatch):
    """Without a call from a commit of this process the poll finds the new version."""
    hub = streams.Streams(server.store, poll=0.05)
    server.store._listeners.clear()
    game = await server.store.read(lambda conn: streams.liveblogs.require_game(conn, "gderby"))
    messages = hub.messages(game, 1)
    assert await anext(messages) is None
    coming = asyncio.ensure_future(anext(messages))
    await desk.create()

    assert (await asyncio.wait_for(coming, 3)).version == 2
    await messages.aclose()
    await hub.close()


async def test_the_end_of_the_liveblog_ends_the_stream(desk, server, store):
    """The last message tells the status; coming back is 404."""
    async with over_http(server.app) as http:
        reader = Reader(http)
        reading = asyncio.create_task(reader.read())
        while reader.version < 1:
            await asyncio.sleep(0.01)
        await store.write(lambda unit: record(unit, TICKER, Change(local_status=100)))
        await asyncio.wait_for(reading, 5)
        gone = await http.get(STREAM, params={"liveblogId": "gderby", "client_id": "desk"})

    assert (reader.game["local_status"], gone.status_code) == (100, 404)


async def test_streams_end_when_the_service_stops(desk, server):
    """Closing ends them at once, so that the server need not wait."""
    hub = streams.Streams(server.store)
    game = await server.store.read(lambda conn: streams.liveblogs.require_game(conn, "gderby"))
    messages = hub.messages(game, 1)
    assert await anext(messages) is None
    coming = asyncio.ensure_future(anext(messages))
    await asyncio.sleep(0)
    began = time.monotonic()
    await hub.close()

    with pytest.raises(StopAsyncIteration):
        await coming
    assert time.monotonic() - began < 1


async def test_a_silent_stream_is_kept_alive(desk, server, monkeypatch):
    """A comment now and then; it is no message."""
    monkeypatch.setattr("api.stream.endpoint.HEARTBEAT", 0.05)
    async with over_http(server.app) as http:
        params = {"liveblogId": "gderby", "client_id": "desk", "refresh": "1"}
        async with http.stream("GET", STREAM, params=params) as answer:
            lines = answer.aiter_lines()
            found = [await anext(lines) for _ in range(5)]

    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert found[0] == "retry: 2000"
    assert found[2] == ": still here"
