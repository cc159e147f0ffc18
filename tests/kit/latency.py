"""How long deliveries take from the commit to the arrival."""

import asyncio
import math
import time
from contextlib import asynccontextmanager
from functools import partial
from statistics import quantiles

from store.liveblogs.liveblogs import insert_game
from tests.store.conftest import ORGANIZATION, new_game

SLOW = (ORGANIZATION, "5f0c1de2a1b2c3d4e5f60719")
OTHER = "5f0c1de2a1b2c3d4e5f6071a"


async def games_of(hub, organization, first, count):
    """The ids of so many new liveblogs."""
    made = [new_game(number, organization_id=organization) for number in range(first, first + count)]
    return [(await hub.store.write(partial(insert_game, game=game))).id for game in made]


async def one_by_one(hub, receiver, name, game_id, count):
    """Seconds from each commit to its arrival; the next change is made when this one has arrived."""
    taken = []
    for _ in range(count):
        version, began = await hub.change(game_id), time.monotonic()
        await receiver.until(lambda version=version: version in receiver.versions(name), within=30)
        taken.append(time.monotonic() - began)
    return taken


@asynccontextmanager
async def changing(hub, game_ids, pause):
    """Steps these liveblogs in turn, all the time."""

    async def change():
        while True:
            for game_id in game_ids:
                await hub.change(game_id)
                await asyncio.sleep(pause)

    task = asyncio.create_task(change())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def latencies(hub, receiver, name, game_ids, count, pause):
    """Seconds from each of `count` commits to its arrival, endless for what has not come a minute after the last."""
    committed = {}
    for number in range(count):
        game_id = game_ids[number % len(game_ids)]
        version = await hub.change(game_id)
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
