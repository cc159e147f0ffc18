"""Slow but healthy receivers take room from their own organization only, and from each other before anybody else."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import asynccontextmanager
from functools import partial
from statistics import quantiles

import pytest

from ingest.delivering import Rhythm
from store.liveblogs import insert_game
from tests.store.conftest import ORGANIZATION, new_game
from tests.webhooks.conftest import start_receiver

SLOW = (ORGANIZATION, "5f0c1de2a1b2c3d4e5f60719")
OTHER = "5f0c1de2a1b2c3d4e5f6071a"


@pytest.fixture
def second_receiver(tmp_path):
    """A receiver at an address of its own."""
    (tmp_path / "second").mkdir()
    running = start_receiver(tmp_path / "second")
    yield running
    running.process.kill()
    running.process.wait()
    running.process.stdout.close()


async def games_of(house, organization, first, count):
    """The ids of so many new liveblogs."""
    made = [new_game(number, organization_id=organization) for number in range(first, first + count)]
    return [(await house.store.write(partial(insert_game, game=game))).id for game in made]


async def subscribe_slow(house, receiver, organization, count, seconds):
    """Subscriptions of receivers that take so long to answer, and are healthy."""
    for number in range(count):
        await house.subscribe(receiver.url(f"after-{seconds}", f"{organization[-2:]}-{number}"), organization)


async def one_by_one(house, receiver, name, game_id, count):
    """Seconds from each commit to its arrival; the next change is made when this one has arrived."""
    taken = []
    for _ in range(count):
        version, began = await house.change(game_id), time.monotonic()
        await receiver.until(lambda version=version: version in receiver.versions(name), within=30)
        taken.append(time.monotonic() - began)
    return taken


async def test_slow_receivers_leave_room_for_quick_ones(house, receiver, second_receiver):
    """Two organizations whose receivers take three seconds want five times the rounds that the process may have at a
    time; nobody else waits as long as for one answer of theirs, nor does a quick receiver of one of them."""
    games = {each: await games_of(house, each, 10 * index + 2, 4) for index, each in enumerate((*SLOW, OTHER))}
    await house.subscribe(second_receiver.url("ok", "other"), OTHER)
    await house.subscribe(second_receiver.url("ok", "own"), SLOW[0])
    for each in SLOW:
        await subscribe_slow(house, receiver, each, 20, 3)
    async with house.deliver(Rhythm(rate=0, rounds=32, organization_rounds=16)):
        await one_by_one(house, second_receiver, "other", games[OTHER][0], 2)
        await one_by_one(house, second_receiver, "own", games[SLOW[0]][0], 2)
        for _ in range(5):
            for game_id in (*games[SLOW[0]], *games[SLOW[1]]):
                await house.change(game_id)
        await asyncio.sleep(1)
        taken = [
            *await one_by_one(house, second_receiver, "other", games[OTHER][0], 20),
            *await one_by_one(house, second_receiver, "own", games[SLOW[0]][0], 10),
        ]

    assert max(taken) < 3
    assert len(receiver.requests()) > 24


async def test_organizations_take_turns_at_the_same_host(house, receiver):
    """What one organization has queued for a host keeps another one waiting for a turn or two, not for all of it."""
    games = {each: await games_of(house, each, 10 * index + 2, 4) for index, each in enumerate(SLOW)}
    for number in range(20):
        await house.subscribe(receiver.url("ok", f"many-{number}"), SLOW[0])
    await house.subscribe(receiver.url("ok", "few"), SLOW[1])
    async with house.deliver(Rhythm(rate=40)):
        for _ in range(10):
            for game_id in games[SLOW[0]]:
                await house.change(game_id)
        await receiver.until(lambda: len(receiver.requests()) > 60)
        await one_by_one(house, receiver, "few", games[SLOW[1]][0], 8)
        order = [row["name"] for row in receiver.requests()]

    between = order[order.index("few") :]
    assert between.count("few") == 8
    assert len(between) < 8 * 20  # eighty are queued at any time


@asynccontextmanager
async def changing(house, game_ids, pause):
    """Steps these liveblogs in turn, all the time."""

    async def change():
        while True:
            for game_id in game_ids:
                await house.change(game_id)
                await asyncio.sleep(pause)

    task = asyncio.create_task(change())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def latencies(house, receiver, name, game_ids, count, pause):
    """Seconds from each of `count` commits to its arrival, endless for what has not come a minute after the last."""
    committed = {}
    for number in range(count):
        game_id = game_ids[number % len(game_ids)]
        version = await house.change(game_id)
        committed[game_id, str(version)] = time.time()
        await asyncio.sleep(pause)
    until, rows = time.monotonic() + 60, {}
    while committed.keys() - rows.keys() and time.monotonic() < until:
        await asyncio.sleep(0.5)
        for row in receiver.requests(name):
            body = receiver.body(row)
            rows.setdefault((body["ticker_id"], body["version"]), row["at"])
    return sorted(rows.get(key, math.inf) - at for key, at in committed.items())


def shown(values):
    """Median and 99th percentile in milliseconds, and how many never came."""
    came = [each for each in values if each < math.inf]
    missing = f", {len(values) - len(came)} of {len(values)} never" if len(came) < len(values) else ""
    if len(came) < 2:
        return missing
    return f"median {came[len(came) // 2] * 1000:.0f} ms, p99 {p99(came) * 1000:.0f} ms, max {came[-1] * 1000:.0f} ms{missing}"


def p99(values):
    return quantiles(values, n=100, method="inclusive")[98]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("organizations", "seconds"), [(1, 4.9), (1, 9.9), (2, 4.9), (2, 9.9)], ids=lambda value: f"{value}"
)
async def test_a_hundred_slow_subscriptions_of_an_organization(
    house, receiver, second_receiver, organizations, seconds
):
    """With the default settings: a receiver of another organization, and a quick one of the same, are as fast as alone."""
    slow = SLOW[:organizations]
    games = {each: await games_of(house, each, 100 * index + 10, 10) for index, each in enumerate((*slow, OTHER))}
    await house.subscribe(second_receiver.url("ok", "other"), OTHER)
    await house.subscribe(second_receiver.url("ok", "own"), slow[0])
    async with house.deliver(Rhythm()):
        without = await latencies(house, second_receiver, "other", games[OTHER], 600, 0.05)
        for each in slow:
            await subscribe_slow(house, receiver, each, 100, seconds)
        async with changing(house, [game_id for each in slow for game_id in games[each]], 0.1):
            await asyncio.sleep(15)
            other, own = await asyncio.gather(
                latencies(house, second_receiver, "other", games[OTHER], 600, 0.05),
                latencies(house, second_receiver, "own", games[slow[0]], 60, 0.5),
            )
    print(f"\nalone: {shown(without)}\nother organization: {shown(other)}\nsame organization: {shown(own)}")  # noqa: T201

    assert p99(other) <= 3 * p99(without)
