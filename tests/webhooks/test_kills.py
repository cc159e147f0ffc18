"""At least once, and in order, whatever happens to the process that delivers."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from collections import defaultdict
from functools import partial

import pytest
from sqlalchemy import select

from store.liveblogs.liveblogs import insert_game
from store.tables import outbox, webhook_rounds
from store.tables import webhooks as table
from store.webhooks import webhooks
from tests.kit.command import ROOT
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url
from tests.store.conftest import ORGANIZATION, new_game

pytestmark = pytest.mark.proof

GAMES = 5
CONNECTIONS = 4


def start(url, total):
    command = [sys.executable, "-m", "tests.kit.sender", url, str(total)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process):
    process.kill()
    process.wait()
    process.stdout.close()


async def prepare(url, hooks):
    """The liveblogs and their subscriptions."""
    store = await store_at(url)
    for each in hooks:
        work = partial(
            webhooks.subscribe, organization_id=ORGANIZATION, url=each, secret=webhooks.new_secret(), limit=1000
        )
        await store.write(work)
    for number in range(1, GAMES + 1):
        await store.write(partial(insert_game, game=new_game(number)))
    await store.close()


async def outbox_of(url):
    """Every version of every liveblog, and those of each receiver that were tried again because a try failed."""
    store = await store_at(url)
    rows = await store.read(lambda conn: conn.execute(select(outbox.c.game_id, outbox.c.version)).all())
    query = (
        select(table.c.url, webhook_rounds.c.game_id, webhook_rounds.c.version)
        .join(table, table.c.id == webhook_rounds.c.webhook_id)
        .where(webhook_rounds.c.tries > 1)
    )
    again = await store.read(lambda conn: conn.execute(query).all())
    await store.close()
    return {tuple(row) for row in rows}, {(url.rpartition("/")[2], game, version) for url, game, version in again}


class Tally:
    """What each receiver has been sent, in order, as far as the log has been read."""

    def __init__(self, receiver):
        self.log = receiver.log
        self.read = receiver.begun
        self.kills = 0
        self.rows = defaultdict(list)

    def __call__(self):
        """(liveblog, version, kills before it) of each request, by the receiver's name."""
        with self.log.open("rb") as log:
            log.seek(self.read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.splitlines():
            request = json.loads(line)
            body = json.loads(request["body"])
            self.rows[request["name"]].append((sys.intern(body["ticker_id"]), int(body["version"]), self.kills))
        return self.rows


async def play(folder, receiver, *, updates, live, dead, kills, seed=1):
    url = migrated_url(folder / "hooks.db")
    names = [f"live{number}" for number in range(live)]
    hooks = [receiver.url("ok", name) for name in names]
    hooks += [receiver.url(("hang", "500")[number % 2], f"dead{number}") for number in range(dead)]
    await prepare(url, hooks)
    chance, expected = random.Random(seed), updates * live
    process, tally = start(url, updates), Tally(receiver)
    try:
        for number in range(kills):
            at = expected * (number + chance.random()) / (kills + 1)
            async with asyncio.timeout(600):
                while sum(len(rows) for name, rows in tally().items() if name in names) < at:
                    await asyncio.sleep(0.05)
            kill(process)
            await asyncio.sleep(0.5)  # what it had sent arrives
            tally()
            tally.kills += 1
            process = start(url, updates)
        async with asyncio.timeout(900):
            while any(len({row[:2] for row in tally()[name]}) < updates for name in names):
                await asyncio.sleep(1.0)
    finally:
        kill(process)
    (everything, again), received, twice = await outbox_of(url), tally(), 0
    assert len(everything) == updates
    for name in names:
        rows = received[name]
        assert {row[:2] for row in rows} == everything, name
        first = list(dict.fromkeys(row[:2] for row in rows))
        for game in {game for game, _ in first}:
            versions = [version for each, version in first if each == game]
            assert versions == sorted(versions), (name, game)
        twice += check_repeated(name, rows, again, kills)
    print(f"{updates} updates, {live} live receivers, {kills} kills: {twice} deliveries came twice")  # noqa: T201


def check_repeated(name, rows, again, kills):
    """What came more than once was under way at a kill, or stands in the log as tried again; how many did."""
    without_retries = [row for row in rows if (name, *row[:2]) not in again]
    assert len(set(without_retries)) == len(without_retries), f"{name}: the same twice, and no kill in between"
    twice = len(without_retries) - len({row[:2] for row in without_retries})
    assert twice <= kills * CONNECTIONS, name
    return twice


async def test_every_version_arrives_although_the_process_is_killed(tmp_path, receiver):
    """300 updates, eight receivers, one of them dead, two kills: nothing is lost, first deliveries come in order, and at
    most what was under way at a kill comes twice."""
    await play(tmp_path, receiver, updates=300, live=7, dead=1, kills=2)


@pytest.mark.soak
async def test_ten_kills(tmp_path, receiver):
    """10,000 updates, fifty receivers, two of them dead, ten kills."""
    await play(tmp_path, receiver, updates=10_000, live=48, dead=2, kills=10)
