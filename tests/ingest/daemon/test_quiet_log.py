"""What a daemon logs while its database is away, and when it is stopped in the middle of work: lines, and no traceback."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from providers.http_server import bind_socket, listening
from tests.kit.command import ENVIRON
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.workers import NUMBERS, Upstream, Worker, create, until

pytestmark = pytest.mark.proof


SUBSCRIBE = f"/apigw/webhooks/v2/organization/{ORGANIZATION}/subscribe"
SHOW = "/api/v5/write/ticker/show.json"
PAIRS = {
    "store.unavailable": "store.recovered",
    "notices.lost": "notices.recovered",
    "webhooks.look_failed": "webhooks.look_recovered",
    "streams.delayed": "streams.recovered",
}
"""What is lost with the database, and how its return is logged."""
NOISE = ("Traceback", "never retrieved", "CancelledError", "was destroyed")


class Busy(Worker):
    """A daemon that is kept at work, and whose whole output is kept."""

    def __init__(self, folder, name, role, **values):
        super().__init__(folder, name, role, **values)
        self.environ = {
            **ENVIRON,
            "MATCHWIRE_SERVER__SHUTDOWN_GRACE": "2",
            "MATCHWIRE_WEBHOOKS__ALLOW_HOSTS": '["127.0.0.1"]',
        }
        self.config.write_text(self.config.read_text().replace('"external"]', '"external", "webhooks"]'))
        self.stderr = self.config.with_suffix(".err")
        self._work = []

    async def work(self, liveblog):
        """Readers come and go, and one stays."""
        self._work = [asyncio.create_task(self._read(liveblog)), asyncio.create_task(self._watch(liveblog))]

    async def end(self, *how):
        try:
            return await super().end(*how)
        finally:
            for task in self._work:
                task.cancel()
            await asyncio.gather(*self._work, return_exceptions=True)

    def output(self):
        """All that it wrote, but what it announced."""
        return self.config.with_suffix(".err").read_text() + self.config.with_suffix(".log").read_text()

    def events(self):
        """How often each event was logged."""
        return Counter(json.loads(line)["event"] for line in self.config.with_suffix(".log").read_text().splitlines())

    async def _read(self, liveblog):
        while True:
            with suppress(httpx.HTTPError):
                await self.client.get(SHOW, params={"local_id": liveblog})
            await asyncio.sleep(0.3)

    async def _watch(self, liveblog):
        with suppress(httpx.HTTPError):
            async with self.client.stream("GET", "/api/embed/v4/stream", params={"liveblogId": liveblog}) as stream:
                async for _ in stream.aiter_bytes():
                    pass


@asynccontextmanager
async def at_work(folder, database, receiver, **roles):
    """A provider, and processes of these roles, each with work under way."""
    upstream = Upstream(*NUMBERS)
    async with listening(upstream, bind_socket("127.0.0.1", 0)) as address:
        daemons = [Busy(folder, name, role, database=database, upstream=address) for name, role in roles.items()]
        try:
            await asyncio.gather(*(each.start() for each in daemons))
            liveblogs = [await create(daemons[0], number) for number in NUMBERS[:2]]
            for how in ("ok", "hang"):
                answer = await daemons[0].client.post(SUBSCRIBE, json={"url": receiver.url(how)})
                assert answer.status_code == 200, answer.text
            for each in daemons:
                await each.work(liveblogs[0])
            await until_delivered(receiver)
            yield upstream, daemons
        finally:
            upstream.open.set()
            for each in daemons:
                if each.process.returncode is None:
                    await each.end()


async def until_delivered(receiver):
    async def delivered():
        return receiver.requests("ok") and receiver.requests("hang")

    await until(delivered, within=60)


async def logged(worker, *events):
    """Wait until all of these were logged."""

    async def all_of_them():
        return set(events) <= set(worker.events())

    await until(all_of_them, within=60)


async def test_an_outage_of_the_database_is_a_line_for_each_part_and_one_when_it_is_back(
    tmp_path, postgres_cluster, postgres_url, receiver
):
    """PostgreSQL stops for some seconds under work of all kinds; then SIGTERM comes in the middle of that work."""
    async with at_work(tmp_path, postgres_url, receiver, one="all", api="api") as (upstream, (one, api)):
        await asyncio.to_thread(postgres_cluster.stop)
        try:
            await logged(one, *PAIRS)
            await asyncio.sleep(2)  # what is repeated every second is tried again
        finally:
            await asyncio.to_thread(postgres_cluster.start)
        await logged(one, *PAIRS.values())
        await logged(api, "notices.recovered", "streams.recovered")
        counts = [
            {name: count for name, count in each.events().items() if name in {*PAIRS, *PAIRS.values()}}
            for each in (one, api)
        ]

        upstream.open.clear()
        pending = asyncio.create_task(api.client.post(CREATE, json={"provider": "heim", "matchId": f"{NUMBERS[2]}"}))

        async def waiting():
            return upstream.waiting["one"] and upstream.waiting["api"]

        await until(waiting, within=60)
        ending = asyncio.gather(one.end(), api.end())
        refused = await pending  # for as long as the grace allows
        upstream.open.set()
        codes = await ending

    assert [0, 0] == codes
    assert {1} == {count for each in counts for count in each.values()}, counts
    assert (503, True) == (refused.status_code, refused.json()["retryable"])
    for each in (one, api):
        assert [] == [noise for noise in NOISE if noise in each.output()], each.output()[:4000]
        assert 1 == each.events()["daemon.stopped"]


async def test_a_stop_while_the_database_is_away_is_clean(tmp_path, postgres_cluster, postgres_url, receiver):
    """SIGTERM in the middle of an outage: nothing more than a line of each part, and the exit status 0."""
    async with at_work(tmp_path, postgres_url, receiver, one="all") as (_, (one,)):
        await asyncio.to_thread(postgres_cluster.stop)
        try:
            await logged(one, "store.unavailable")
            code = await one.end()
        finally:
            await asyncio.to_thread(postgres_cluster.start)

    assert 0 == code
    assert [] == [noise for noise in NOISE if noise in one.output()], one.output()[:4000]
    assert {1} == {count for name, count in one.events().items() if name in PAIRS}
    assert 1 == one.events()["daemon.stopped"]
