"""What one process hears of the steps of others, and a connection that breaks."""

import asyncio
from contextlib import asynccontextmanager

from sqlalchemy import text

WITHIN = 10.0

PIDS = text(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'matchwire notices' AND datname = current_database()"
)

END = text("SELECT pg_terminate_backend(:pid)")


async def listeners(store):
    return (await store.read(lambda conn: conn.execute(PIDS).scalars().all())) or []


@asynccontextmanager
async def broken_off(store):
    """The listening connections end, and what happens inside, happens while nobody listens."""
    before = set(await listeners(store))
    assert before
    for pid in before:
        await store.write(lambda unit, pid=pid: unit.conn.execute(END, {"pid": pid}))
    yield
    async with asyncio.timeout(WITHIN):
        while not set(await listeners(store)) - before:
            await asyncio.sleep(0.02)
