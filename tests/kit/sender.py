"""A process of its own that changes liveblogs and delivers, until it is killed."""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import func, select

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.quarantine import Quarantine
from ingest.webhooks.dispatcher import Dispatcher
from store.liveblogs.liveblogs import Change, record
from store.tables import games, outbox
from tests.kit.opening import store_at


async def main(url, total):
    store = await store_at(url)
    delivering = Dispatcher(
        store, SsrfGuard(Webhooks(allow_hosts=["127.0.0.1"])), Webhooks(rate=0), quarantine=Quarantine()
    )
    store.on_step(delivering.wake)
    running = asyncio.create_task(delivering.run(alone=True))
    ids = await store.read(lambda conn: list(conn.scalars(select(games.c.id).order_by(games.c.id))))
    written = await store.read(lambda conn: conn.scalar(select(func.count()).select_from(outbox)))
    print("ready", flush=True)  # noqa: T201
    for number in range(written, total):
        game_id = ids[number % len(ids)]
        await store.write(lambda unit, game_id=game_id: record(unit, game_id, Change()))
        await asyncio.sleep(0.002)
    await running


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
