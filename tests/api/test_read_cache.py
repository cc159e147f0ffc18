"""Reads of what has not changed: no trip to the database, one rendering for all, and nothing older than is promised."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from api.http.caching import OVERHEAD
from api.view.liveblog_reads import FRESH, DelayedView, ReadCache
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import record
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.event_desk import post

FEED = "/api/embed/v4/feed/liveblog"
READS = {
    "rss": f"{FEED}.rss?liveblogId=gderby",
    "atom": f"{FEED}.atom?liveblogId=gderby",
    "json": f"{FEED}.json?liveblogId=gderby",
    "page": "/liveblogs/gderby",
    "fragment": "/liveblogs/gderby?fragment=1",
    "changes": "/liveblogs/gderby?fragment=1&refresh=1",
    "delta": "/api/v6/ticker/show.json?id=gderby",
}
TICKER = matchday.Liveblog().ticker_id


class WatchedStore:
    """A store whose reads are counted and can be held back once they are made; its listeners can be kept in the dark."""

    def __init__(self, store):
        self._store = store
        self.reads = 0
        self.held = None
        self.listeners = []

    def __getattr__(self, name):
        return getattr(self._store, name)

    def on_step(self, listener):
        self.listeners.append(listener)
        self._store.on_step(listener)

    async def read(self, query, *, at=None):
        held, result = self.held, await self._store.read(query, at=at)
        self.reads += 1
        if held is not None:
            await held.wait()
        return result

    async def change(self, text="Changed"):
        """One step through the only door, of this process."""
        event = EventWrite.new(local_id="e1", document=post(text), created_at=1)
        await self._store.write(lambda unit: record(unit, TICKER, Change(events=(event,))))

    async def change_unheard(self, text="Changed"):
        """The step of another process, whose notification is lost."""
        listeners, self._store._listeners = self._store._listeners, []
        await self.change(text)
        self._store._listeners = listeners


@asynccontextmanager
async def watched(store, **settings):
    seen = WatchedStore(store)
    async with serving(seen, client_per_second=0, public_per_second=0, public_feeds=True, **settings) as server:
        await server.add(matchday.Liveblog())
        yield server, seen


@pytest.fixture
async def public(store):
    async with watched(store) as both:
        yield both


async def body(server, kind="json"):
    response = await server.http.get(READS[kind])
    assert response.status_code == 200, response.text
    return response.text


@pytest.mark.parametrize("kind", READS)
async def test_a_read_of_what_has_not_changed_leaves_the_database_alone(public, kind):
    """The second response, and the 304 after it, are made of what the first one left; a second later one read asks again."""
    server, seen = public
    await seen.change()
    first = await server.http.get(READS[kind])
    before = seen.reads
    second = await server.http.get(READS[kind])
    third = await server.http.get(READS[kind], headers={"If-None-Match": first.headers["etag"]})
    assert (first.content, 304, before) == (second.content, third.status_code, seen.reads)

    server.ticks += FRESH
    await server.http.get(READS[kind])
    assert seen.reads == before + 1


async def test_a_page_that_shows_the_version_is_answered_without_the_database(public):
    """204 where nothing has changed since."""
    server, seen = public
    await body(server, "page")
    before = seen.reads

    response = await server.http.get("/liveblogs/gderby?fragment=1&refresh=1")

    assert (response.status_code, seen.reads) == (204, before)


@pytest.mark.parametrize("kind", READS)
async def test_a_body_is_rendered_once_however_many_ask(public, kind):
    """A hundred readers at one moment cost what one costs."""
    server, seen = public
    await seen.change()
    alone = 2  # the liveblog and what is rendered of it

    found = await asyncio.gather(*(body(server, kind) for _ in range(100)))

    assert (len(set(found)), seen.reads) == (1, alone)


@pytest.mark.parametrize("kind", READS)
async def test_an_own_commit_is_seen_at_once(public, kind):
    """By whoever asks after it, also while a read is under way that has seen the state before."""
    server, seen = public
    await seen.change("Before")
    await body(server, kind)
    server.ticks += FRESH
    before, seen.held = seen.reads, asyncio.Event()
    slow = asyncio.create_task(body(server, kind))
    while seen.reads == before:
        await asyncio.sleep(0.01)
    held, seen.held = seen.held, None
    await seen.change("After")

    during = await asyncio.wait_for(body(server, kind), 5)
    held.set()
    await slow

    assert ("Before" in during, "After" in during) == (False, True)
    assert "Before" not in await body(server, kind)


@pytest.mark.parametrize("kind", READS)
async def test_a_lost_notification_is_made_up_for_within_a_second(public, kind):
    """What another process wrote is shown once what is known is too old, whoever kept silent."""
    server, seen = public
    await seen.change("Before")
    await body(server, kind)
    await seen.change_unheard("After")
    server.ticks += FRESH

    assert "Before" not in await body(server, kind)
    assert FRESH <= 1


async def test_after_lost_notifications_nothing_is_believed(public):
    """A listener that comes back has everything read again, and what was being read meanwhile is not kept."""
    server, seen = public
    await seen.change("Before")
    await body(server)
    seen.held = asyncio.Event()
    server.ticks += FRESH
    slow = asyncio.create_task(body(server))
    before = seen.reads
    while seen.reads == before:
        await asyncio.sleep(0.01)
    held, seen.held = seen.held, None
    await seen.change_unheard("After")
    for listener in seen.listeners:
        listener(None)
    held.set()
    await slow

    assert "After" in await body(server)


PRESENT = DelayedView(None, 0, 0.0, None)


class Endless:
    """Any number of liveblogs with documents as large as those of imported matches, without a database."""

    def on_step(self, listener):
        pass

    async def read(self, query, *, at=None):
        return query(at)


async def test_as_many_bodies_are_kept_as_the_setting_allows():
    """With what is beside each; those that were wanted least recently go first."""
    cache, size = ReadCache(Endless(), lambda: 0.0, 50 * (1024 + OVERHEAD)), 1024
    for number in range(200):
        await cache.body(("feed", number), lambda _: bytes(size), PRESENT)

    assert sorted(key[-1][1] for key in cache._bodies._kept) == [*range(150, 200)]
