"""Results of polls in streams: at most one message a second a poll, to readers who keep up and to those who join later."""

import asyncio
import json
from contextlib import asynccontextmanager
from functools import partial

import pytest

from api.liveblogs.stream_messages import as_json
from api.page.liveblog_page import PageRenderer
from api.stream import streams
from api.stream.channel import StreamRequest
from config import Settings
from store.polls import votes
from tests.kit.matchday import insert
from tests.kit.opening import store_at
from tests.kit.polling_readers import POLL, QUIZ, SOLUTION, liveblog, numbers, poll_post
from tests.kit.sqlite import migrated_url
from tests.kit.streams import Follower

GAME = "9c" * 12
START = 1_790_000_000
EVERY = 0.15
SOON = 20.0


class Watcher(Follower):
    """A reader of streams who keeps the results that it is sent."""

    async def join(self, form=as_json, delay=0):
        game = await self.hub.find("gpolls")
        wanted = StreamRequest(GAME, game.version, 0, form, b": silence", delay)
        self.reader = self.hub.join(wanted, self._send)
        return self

    @property
    def results(self):
        lines = [event.split(b"\n") for event in self.events if event.startswith(b"event: poll\n")]
        return [json.loads(data.removeprefix(b"data: ")) for _, data, *_ in lines]

    async def sees(self, *shares):
        async with asyncio.timeout(SOON):
            while not self.results or numbers(self.results[-1]) != list(shares):
                await asyncio.sleep(0.01)
        return self.results[-1]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return migrated_url(tmp_path / "polls.db")
    return request.getfixturevalue("postgres_url")


@asynccontextmanager
async def process(url, time):
    """A store of its own with its streams."""
    store = await store_at(url, migrate=True, clock=lambda: time[0])
    hub = streams.Streams(store, clock=lambda: time[0], poll=EVERY)
    try:
        yield store, hub
    finally:
        await hub.close()
        await store.close()


async def vote(store, reader, *options, poll="p1"):
    cast = partial(votes.vote, game_id=GAME, poll_id=poll, reader_id=reader, choose=lambda _: options)
    await store.write(cast)


async def test_votes_reach_all_who_watch_now_or_later(url, monkeypatch):
    """Of another process too, and the delayed ones at their time; many votes make few messages, and no solution is among them."""
    monkeypatch.setattr(streams, "RESULTS", EVERY)
    time = [START + 0.5]
    form = PageRenderer(lambda: time[0], b"k" * 32, Settings())
    async with process(url, time) as (store, hub):
        await store.write(partial(insert, liveblog(poll_post(POLL), poll_post({**QUIZ, "results": "voted"}))))
        time[0] += 10
        first, page, late = (Watcher(hub) for _ in range(3))
        await first.join()
        await page.join(form)
        await late.join(delay=5)
        await first.has(1)
        assert first.results == []

        other = process(url, time) if url.startswith("postgresql") else None
        writer = store if other is None else (await other.__aenter__())[0]
        await asyncio.gather(*(vote(writer, f"r{number}", "ab"[number % 2]) for number in range(20)))
        found = await first.sees((10, 50), (10, 50))
        assert (found["id"], found["total_votes"], "vote" in found) == ("p1", 20, False)
        await page.sees((10, 50), (10, 50))
        assert len(first.results) <= 5
        heard = len(first.results)
        await asyncio.sleep(3 * EVERY)
        assert len(first.results) == heard  # what does not change is not sent

        later = await Watcher(hub).join()
        await later.sees((10, 50), (10, 50))
        assert len(later.results) == 1
        assert late.results == []
        await vote(writer, "r1", "a", poll="q1")
        await first.sees((None, None), (None, None))
        time[0] += 6
        async with asyncio.timeout(SOON):
            while {each["id"] for each in late.results} != {"p1", "q1"}:
                await asyncio.sleep(0.01)
        if other is not None:
            await other.__aexit__(None, None, None)
        for reader in (first, page, late, later):
            assert SOLUTION not in str(reader.events)
            reader.leave()
