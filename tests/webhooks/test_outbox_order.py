"""On PostgreSQL every committed version is delivered, whatever other transactions are open, and in order."""

import asyncio
import json
import random
import time
from collections import defaultdict
from functools import partial

import asyncpg
import pytest
from prometheus_client import generate_latest
from sqlalchemy import func, select, text
from structlog.testing import capture_logs

from ingest.webhooks import receiver_rows
from mapping.errors import ServiceError
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.tables import outbox, outbox_sequence, webhook_rounds
from store.webhooks import webhooks
from tests.kit.opening import store_at
from tests.kit.postgres import Cluster, binaries, server_folder
from tests.kit.processes import Process, Writer
from tests.store.conftest import ORGANIZATION, new_game
from tests.webhooks.conftest import delivering, subscribe

GAMES = 8
DAEMONS = 2
WRITERS = 16


async def test_a_row_of_the_newest_transaction_is_delivered_once_it_commits(two_stores, receiver):
    """What the cluster's newest transaction has written, while a numbering passed it by, is delivered after its commit."""
    store, other = two_stores
    slow, quick = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    await subscribe(store, receiver.url("ok"))
    async with delivering(store) as own:
        await other.write(lambda unit: record(unit, quick.id, Change()))
        while not await store.read(lambda conn: conn.scalar(select(func.count()).select_from(webhook_rounds))):
            await asyncio.sleep(0.02)  # now no transaction is under way, and the next one is the newest
        holds, loop = asyncio.Event(), asyncio.get_running_loop()

        def slowly(unit):
            record(unit, slow.id, Change())
            loop.call_soon_threadsafe(holds.set)
            unit.conn.execute(text("SELECT pg_sleep(1)"))

        writing = asyncio.create_task(other.write(slowly))
        await holds.wait()
        while not writing.done():
            own.wake()
            await asyncio.sleep(0.05)
        await other.write(lambda unit: record(unit, quick.id, Change()))
        await receiver.until(lambda: len(receiver.requests()) >= 3, within=60)
    assert sorted(receiver.versions("ok")) == [2, 2, 3]


async def test_a_transaction_in_another_database_of_the_cluster_delays_nothing(two_stores, postgres_cluster, receiver):
    """A forgotten session elsewhere, which has a transaction id, does not hold webhooks up."""
    store, other = two_stores
    game = await store.write(partial(insert_game, game=new_game()))
    await subscribe(store, receiver.url("ok"))
    stranger = await asyncpg.connect(postgres_cluster.url().replace("+asyncpg", ""))
    try:
        transaction = stranger.transaction()
        await transaction.start()
        await stranger.fetchval("SELECT txid_current()")
        async with delivering(store):
            for _ in range(5):
                await other.write(lambda unit: record(unit, game.id, Change()))
            await receiver.until(lambda: len(receiver.requests()) == 5)
        await transaction.rollback()
    finally:
        await stranger.close()


async def test_a_version_that_is_under_way_at_a_subscription_is_delivered_after_it(two_stores, receiver):
    """A version that commits after `subscribe` has answered is delivered, although its row was drawn before."""
    store, other = two_stores
    slow, quick = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    holds, loop = asyncio.Event(), asyncio.get_running_loop()

    def slowly(unit):
        record(unit, slow.id, Change())
        loop.call_soon_threadsafe(holds.set)
        unit.conn.execute(text("SELECT pg_sleep(1)"))

    async with delivering(store):
        writing = asyncio.create_task(other.write(slowly))
        await holds.wait()
        await store.write(lambda unit: record(unit, quick.id, Change()))
        await subscribe(store, receiver.url("ok"))
        assert not writing.done()
        await writing
        await receiver.until(lambda: 2 in receiver.versions("ok"))
        ids = {row["body"] for row in receiver.requests()}
    assert any(slow.id in each for each in ids)


@pytest.mark.proof
async def test_numbers_that_do_not_move_are_an_alarm(two_stores, receiver, monkeypatch):
    """Rows that wait for a number while none is given are logged once and counted, and so is the end of it."""
    monkeypatch.setattr(receiver_rows, "STUCK_AFTER", 1.0)
    store, other = two_stores
    game = await store.write(partial(insert_game, game=new_game()))
    await subscribe(store, receiver.url("ok"))
    holds, loop = asyncio.Event(), asyncio.get_running_loop()

    def occupy(unit):
        unit.conn.execute(select(outbox_sequence).with_for_update())
        loop.call_soon_threadsafe(holds.set)
        unit.conn.execute(text("SELECT pg_sleep(4)"))

    with capture_logs() as logs:
        async with delivering(store) as own:
            await asyncio.sleep(0.5)
            stranger = asyncio.create_task(other.write(occupy))
            await holds.wait()
            await store.write(lambda unit: record(unit, game.id, Change()))
            while not any(line["event"] == "outbox.stuck" for line in logs):
                await asyncio.sleep(0.05)
            assert not stranger.done()
            assert b"matchwire_outbox_unnumbered 1.0" in generate_latest(own.metrics.registry)
            await stranger
            await receiver.until(lambda: receiver.versions("ok") == [2])
            while not any(line["event"] == "outbox.moving" for line in logs):
                await asyncio.sleep(0.05)
            assert b"matchwire_outbox_unnumbered 0.0" in generate_latest(own.metrics.registry)
    assert [line["event"] for line in logs if line["event"].startswith("outbox.")] == ["outbox.stuck", "outbox.moving"]


class Play:
    """Writers, daemons that deliver, subscriptions that come and go; and everything is killed now and then."""

    def __init__(self, cluster, url, folder, receiver, seed):
        self.cluster, self.url, self.receiver = cluster, url, receiver
        self.chance = random.Random(seed)
        self.seed = seed
        self.daemons = [Process(folder, f"daemon{number}", url) for number in range(DAEMONS)]
        self.writers = []
        self.floors = {}
        self.read = receiver.begun
        self.sent = defaultdict(dict)
        """The versions of each liveblog that each receiver got, in the order of their first arrival."""

    async def again(self, work):
        """What it comes to, once the database answers."""
        async with asyncio.timeout(60):
            while True:
                try:
                    return await work()
                except ServiceError:
                    await asyncio.sleep(0.1)

    async def versions(self):
        """The version that each liveblog has committed."""
        query = select(outbox.c.game_id, func.max(outbox.c.version)).group_by(outbox.c.game_id)
        return await self.again(lambda: self.store.read(lambda conn: {row[0]: row[1] for row in conn.execute(query)}))

    async def join(self, name):
        """Subscribe; what commits from now on has to arrive."""
        await self.again(lambda: subscribe(self.store, self.receiver.url("ok", name)))
        self.floors[name] = await self.versions()

    async def leave(self, name):
        del self.floors[name]
        url = self.receiver.url("ok", name)
        await self.again(lambda: self.store.write(lambda unit: webhooks.unsubscribe(unit, ORGANIZATION, url)))

    async def run(self, *, total, kills, restarts, processes):
        self.store = await store_at(self.url, migrate=True)
        for number in range(1, GAMES + 1):
            await self.store.write(partial(insert_game, game=new_game(number)))
        for name in ("a", "b"):
            await self.join(name)
        self.writers = [
            Writer(self.url, total // processes, self.seed * 10 + number, WRITERS // processes)
            for number in range(processes)
        ]
        try:
            for each in (*self.daemons, *self.writers):
                await asyncio.to_thread(each.start)
            await self._disturb(total, kills, restarts)
            return await self._arrived()
        finally:
            for each in (*self.daemons, *self.writers):
                each.end()
            await self.store.close()

    async def _disturb(self, total, kills, restarts):
        events = ["kill"] * kills + ["restart"] * restarts + ["join", "leave"] * (kills + 2)
        self.chance.shuffle(events)
        events = sorted(zip((self.chance.uniform(0.05, 0.95) * total for _ in events), events, strict=True))
        for number, (at, event) in enumerate(events):
            await self._written(at)
            match event:
                case "kill":
                    one = self.chance.choice([*self.daemons, *self.writers])
                    one.end()
                    await asyncio.to_thread(one.start)
                case "restart":
                    self.cluster.kill()
                    await asyncio.to_thread(self.cluster.start)
                case "join":
                    await self.join(f"late{number}")
                case "leave" if len(self.floors) > 4:
                    await self.leave(self.chance.choice(sorted(self.floors.keys() - {"a", "b"})))
        await self._written(10**9)

    async def _written(self, total):
        moved, last = time.monotonic(), 0
        while (written := sum((await self.versions()).values())) < total and not all(
            each.over for each in self.writers
        ):
            moved, last = (time.monotonic(), written) if written > last else (moved, last)
            assert time.monotonic() - moved < 60, "nothing is written any more"
            await asyncio.sleep(0.1)

    async def _arrived(self):
        """Every version above a receiver's floor, and what it was sent, as soon as nothing more comes."""
        ends = await self.versions()
        moved, seen = time.monotonic(), -1
        while True:
            sent = self._sent()
            missing = {
                (name, game, version)
                for name, floor in self.floors.items()
                for game, end in ends.items()
                for version in range(floor[game] + 1, end + 1)
                if version not in sent[name, game]
            }
            count = sum(map(len, sent.values()))
            moved, seen = (time.monotonic(), count) if count > seen else (moved, seen)
            if not missing or time.monotonic() - moved > 60:
                return sent, missing, sum(ends.values())
            await asyncio.sleep(0.5)

    def _sent(self):
        with self.receiver.log.open("rb") as log:
            log.seek(self.read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():
            row = json.loads(line)
            body = json.loads(row["body"])
            self.sent[row["name"], body["ticker_id"]].setdefault(int(body["version"]))
        return self.sent


async def play(tmp_path, receiver, **plan):
    with server_folder() as folder:
        cluster = Cluster(folder, binaries())
        try:
            cluster.create()
            url = cluster.create_database("order")
            sent, missing, total = await Play(cluster, url, tmp_path, receiver, seed=1).run(**plan)
        finally:
            cluster.kill()
    arrived = sum(map(len, sent.values()))
    print(f"{total} versions, {arrived} deliveries, {len(missing)} missing")  # noqa: T201
    assert not missing, sorted(missing)[:20]
    for (name, game), versions in sent.items():
        assert list(versions) == sorted(versions), (name, game)


@pytest.mark.proof
async def test_nothing_is_lost_between_writers_and_receivers(tmp_path, receiver, postgres_cluster):
    """300 versions by 16 writers in two processes, one kill of a process, one of PostgreSQL: all arrive, in order."""
    await play(tmp_path, receiver, total=300, kills=1, restarts=1, processes=2)
