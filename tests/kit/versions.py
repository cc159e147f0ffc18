"""A process of its own that changes liveblogs: many writers at once, each pausing between an outbox row and its commit."""

import asyncio
import random
import sys

from sqlalchemy import Float, bindparam, func, select

from mapping.errors import StoreUnavailable
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import record
from store.tables import games
from tests.kit.opening import pool_settings, store_at

PAUSES = (0.0, 0.0, 0.001, 0.005, 0.02)
"""Seconds; SQL sleeps, so that the transaction stays open while others come and go."""
SLEEP = select(func.pg_sleep(bindparam("seconds", type_=Float)))


async def main(url, total, seed, writers):
    store = await store_at(url, pool=pool_settings(pool_size=writers))
    chance = random.Random(seed)
    ids = await store.read(lambda conn: list(conn.scalars(select(games.c.id).order_by(games.c.id))))
    left = iter(range(total))
    print("ready", flush=True)  # noqa: T201

    async def write():
        for _ in left:
            game_id, pause = chance.choice(ids), chance.choice(PAUSES)

            def change(unit, game_id=game_id, pause=pause):
                record(unit, game_id, Change())
                unit.conn.execute(SLEEP, {"seconds": pause})

            try:
                await store.write(change)
            except StoreUnavailable:
                await asyncio.sleep(0.1)

    await asyncio.gather(*(write() for _ in range(writers)))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], *map(int, sys.argv[2:])))
