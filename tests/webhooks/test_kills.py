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

from store import webhooks
from store.database import Store
from store.liveblogs import insert_game
from store.tables import outbox
from tests.store.conftest import ORGANIZATION, new_game
from tests.webhooks.conftest import ROOT

GAMES = 5
CONNECTIONS = 4


def start(url, total):
    command = [sys.executable, "-m", "tests.webhooks.sender", url, str(total)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process):
    process.kill()
    process.wait()
    process.stdout.close()


async def prepare(url, hooks):
    """The liveblogs and their subscriptions."""
    store = await Store.open(url)
    for each in hooks:
        work = partial(
            webhooks.subscribe, organization_id=ORGANIZATION, url=each, secret=webhooks.new_secret(), limit=1000
        )
        await store.write(work)
    for number in range(1, GAMES + 1):
        await store.write(partial(insert_game, game=new_game(number)))
    await store.close()


async def outbox_of(url):
    store = await Store.open(url)
    rows = await store.read(lambda conn: conn.execute(select(outbox.c.game_id, outbox.c.version)).all())
    await store.close()
    return {tuple(row) for row in rows}


def by_receiver(receiver):
    found = defaultdict(list)
    for request in receiver.requests():
        body = json.loads(request["body"])
        found[request["name"]].append((body["ticker_id"], int(body["version"])))
    return found


async def play(folder, receiver, *, updates, live, dead, kills, seed=1):
    url = f"sqlite+aiosqlite:///{folder / 'hooks.db'}"
    names = [f"live{number}" for number in range(live)]
    hooks = [receiver.url("ok", name) for name in names]
    hooks += [receiver.url(("hang", "500")[number % 2], f"dead{number}") for number in range(dead)]
    await prepare(url, hooks)
    chance, expected = random.Random(seed), updates * live
    process = start(url, updates)
    try:
        for number in range(kills):
            at = expected * (number + chance.random()) / (kills + 1)
            async with asyncio.timeout(600):
                while sum(len(rows) for name, rows in by_receiver(receiver).items() if name in names) < at:
                    await asyncio.sleep(0.05)
            kill(process)
            process = start(url, updates)
        async with asyncio.timeout(900):
            while any(len(set(by_receiver(receiver)[name])) < updates for name in names):
                await asyncio.sleep(0.25)
    finally:
        kill(process)
    everything, received = await outbox_of(url), by_receiver(receiver)
    assert len(everything) == updates
    for name in names:
        rows = received[name]
        assert set(rows) == everything, name
        assert len(rows) - len(everything) <= kills * CONNECTIONS, name
        first = list(dict.fromkeys(rows))
        for game in {game for game, _ in first}:
            versions = [version for each, version in first if each == game]
            assert versions == sorted(versions), (name, game)


async def test_every_version_arrives_although_the_process_is_killed(tmp_path, receiver):
    """500 updates, eight receivers, one of them dead, two kills: nothing is lost, first deliveries come in order, and at
    most what was under way at a kill comes twice."""
    await play(tmp_path, receiver, updates=500, live=7, dead=1, kills=2)


@pytest.mark.soak
async def test_ten_kills(tmp_path, receiver):
    """10,000 updates, fifty receivers, two of them dead, ten kills."""
    await play(tmp_path, receiver, updates=10_000, live=48, dead=2, kills=10)
