"""Delivery numbers: given by one process at a time, and never twice."""

import asyncio
import threading
from functools import partial

import pytest
from sqlalchemy import bindparam, create_engine, select, text

from store.engine.liveblog_records import Change, EventWrite
from store.engine.statements import Among, compiled_for
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import insert_game, lock_event, lock_game, record
from store.tables import ledger, players
from store.tables import outbox as table
from store.webhooks import outbox
from store.webhooks.outbox import Sequence
from tests.kit.opening import store_at
from tests.store.conftest import GAME, new_game


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


OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"


def post(local_id, **document):
    return EventWrite.new(local_id=local_id, document=document, created_at=1)


@pytest.mark.parametrize(("table", "column"), [(players, "ext_id"), (ledger, "key")], ids=["players", "ledger"])
def test_any_number_of_values_are_searched_by_the_index(table, column):
    """On SQLite too: otherwise each poll that finds a goal reads all players that the organization ever had."""
    keys = [each for each in ("owner_id", "source", "sportstype", "game_id", "follow_id") if each in table.c]
    statement = select(table).where(
        *(table.c[each] == bindparam(each) for each in keys), Among(table.c[column], "values")
    )
    engine = create_engine("sqlite://")
    table.metadata.create_all(engine)
    with engine.connect() as conn:
        compiled = compiled_for(engine.dialect, statement)
        plan = conn.exec_driver_sql(
            f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.values(dict.fromkeys([*keys, "values"], "[]"))
        )
        searched = plan.first().detail
    engine.dispose()

    assert f"{column}=?" in searched


async def test_a_schema_that_changes_costs_a_unit_nothing(postgres_url):
    """Statements that a connection has prepared before do not outlive it; the unit runs again."""
    store = await store_at(postgres_url)
    try:
        await store.write(lambda unit: insert_game(unit, new_game()))
        before = await store.write(lambda unit: lock_game(unit, GAME))
        await store.write(lambda unit: unit.conn.execute(text("ALTER TABLE games ALTER COLUMN serial TYPE integer")))

        assert await store.write(lambda unit: lock_game(unit, GAME)) == before
    finally:
        await store.close()


async def test_events_that_are_read_under_their_lock_lose_no_change(game, processes):
    """Two processes (on SQLite two callers) that count up in one event, each from what it reads, count everything."""
    store, _ = processes
    await store.write(lambda unit: record(unit, game.id, Change(events=(post("e1", count=0),))))

    def count(unit):
        before, locked = lock_event(unit, "e1")
        write = post("e1", count=before.document["count"] + 1)
        return liveblogs.write(unit, locked, Change(events=(write,)), known={"e1": before}).version

    versions = await asyncio.gather(*(each.write(count) for _ in range(10) for each in processes))
    final = await store.read(lambda conn: liveblogs.event(conn, "e1"))

    assert final.document == {"count": 20}
    assert sorted(versions) == list(range(3, 23))


async def test_a_connection_that_died_in_idleness_is_made_again(postgres_url):
    """Nobody hears of it: it is noticed by the BEGIN, before anything has happened."""
    store = await store_at(postgres_url)
    control = await store_at(postgres_url)
    game = await store.write(lambda unit: insert_game(unit, new_game()))
    for number in range(3):
        assert await control.write(lambda unit: unit.conn.execute(text(OTHERS)).all())
        await store.write(lambda unit, name=f"e{number}": record(unit, game.id, Change(events=(post(name),))))
        assert await control.write(lambda unit: unit.conn.execute(text(OTHERS)).all())
        await store.ping()
    await store.close()
    await control.close()
