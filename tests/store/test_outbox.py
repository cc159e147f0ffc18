"""Delivery numbers: given by one process at a time, and never twice."""

import asyncio
import threading
from functools import partial

from sqlalchemy import select

from store.engine.records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.tables import outbox as table
from store.webhooks import outbox
from store.webhooks.outbox import Sequence
from tests.store.conftest import new_game


async def step(store, game, times=1):
    for _ in range(times):
        await store.write(lambda unit: record(unit, game.id, Change()))


async def numbers(store):
    query = select(table.c.number, table.c.version).order_by(table.c.id)
    return await store.read(lambda conn: [tuple(row) for row in conn.execute(query)])


async def test_numbers_go_on_after_everything_is_forgotten(store):
    """The number given last is kept although no row has it any more: cursors point at it."""
    game = await store.write(partial(insert_game, game=new_game()))
    last = (await store.write(outbox.number_committed)).last
    await store.write(partial(outbox.purge, before=2e9))
    assert await numbers(store) == []
    await step(store, game)
    assert (await store.write(outbox.number_committed)).last == last + 1


async def test_one_process_numbers_at_a_time_and_the_others_do_not_wait(two_stores):
    """While one process numbers, another is given what is numbered already, at once."""
    store, other = two_stores
    game = await store.write(partial(insert_game, game=new_game()))
    before = (await store.write(outbox.number_committed)).last
    await step(store, game, 2)
    locked, gate, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    def slowly(unit):
        found = outbox.number_committed(unit)
        loop.call_soon_threadsafe(locked.set)
        assert gate.wait(60)
        return found

    numbering = asyncio.create_task(store.write(slowly))
    await locked.wait()
    assert await other.write(outbox.number_committed) == Sequence(before, complete=False)
    assert not numbering.done()
    gate.set()
    assert await numbering == Sequence(before + 2, complete=True)
    assert await other.write(outbox.number_committed) == Sequence(before + 2, complete=True)
