"""The pool of units on PostgreSQL: everybody is answered in time, and nobody suffers from what others do."""

import asyncio
from contextlib import suppress
from functools import partial

import asyncpg
import pytest
from sqlalchemy import exc, text

from mapping.errors import StoreUnavailable
from store.engine.errors import StoreError
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs.liveblogs import insert_game, lock_game, record, require_game
from tests.kit.faults_postgres import frozen
from tests.kit.opening import pool_settings
from tests.store.conftest import new_game, open_store, writing


@pytest.fixture(params=["direct", pytest.param("pgbouncer", marks=pytest.mark.proof)])
async def opened(request, postgres_url):
    """Opens stores on one database, straight or through a transaction pooler."""
    url = postgres_url if request.param == "direct" else request.getfixturevalue("pgbouncer_url")
    stores = []

    async def made(**limits):
        stores.append(await open_store(url, pool=pool_settings(**limits)))
        return stores[-1]

    yield made
    for store in stores:
        await store.close()


async def test_a_liveblog_that_somebody_locks_keeps_one_thread(opened, postgres_url):
    """Its writers wait, however many they are; all others are served."""
    store = await opened(pool_size=2, timeout=60.0)
    locked, free = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    foreign = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    async with foreign.transaction():
        await foreign.execute("SELECT 1 FROM games WHERE id = $1 FOR UPDATE", locked.id)
        blocked = [
            asyncio.create_task(store.write(writing(locked.id, f"h{n}"), group_key=locked.local_id)) for n in range(20)
        ]
        async with asyncio.timeout(60):
            assert await store.write(writing(free.id, "f"), group_key=free.local_id) == 2
            await store.ping()
        assert not any(task.done() for task in blocked)
    await foreign.close()

    assert await asyncio.gather(*blocked) == list(range(2, 22))


@pytest.mark.proof
async def test_everybody_is_answered_in_time(opened, postgres_url):
    """However many wait for a liveblog that stays locked, and whenever they came."""
    store = await opened(pool_size=2, timeout=1.0)
    locked = await store.write(partial(insert_game, game=new_game()))
    foreign = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    refused = []

    async def waiting(number):
        await asyncio.sleep(number * 0.015)
        with pytest.raises(StoreUnavailable):
            await store.write(writing(locked.id, f"h{number}"), group_key=locked.local_id)
        refused.append(number)

    async with foreign.transaction():
        await foreign.execute("SELECT 1 FROM games WHERE id = $1 FOR UPDATE", locked.id)
        async with asyncio.timeout(30):  # in turn they would wait for sixty seconds
            await asyncio.gather(*(waiting(number) for number in range(60)))
    await foreign.close()

    assert len(refused) == 60
    patient = await opened(timeout=60.0)
    assert await patient.write(writing(locked.id, "after"), group_key=locked.local_id) == 2
    async with asyncio.timeout(60):  # a busy machine may not answer the first of them in time
        while True:
            with suppress(StoreUnavailable):
                await store.write(writing(locked.id, "again"), group_key=locked.local_id)
                break


async def test_an_error_that_a_unit_swallows_is_its_own(opened):
    """The server has given up its transaction: those that shared it run again without that unit."""
    store = await opened()
    game = await store.write(partial(insert_game, game=new_game()))

    def swallowing(unit):
        with suppress(exc.DBAPIError):
            unit.conn.execute(text("SELECT 1 / 0"))
        return "as if nothing had happened"

    works = [writing(game.id, f"e{n}") if n % 3 else swallowing for n in range(12)]
    outcomes = await asyncio.gather(*(store.write(work, group_key="g") for work in works), return_exceptions=True)

    assert {type(outcome) for outcome in outcomes[::3]} == {StoreError}
    assert sorted(outcome for outcome in outcomes if isinstance(outcome, int)) == list(range(2, 10))


async def test_what_the_transaction_has_locked_is_how_the_liveblog_stands(store, game):
    """A second look in the same unit, or in one that shares its transaction, finds what the first has made of it."""

    def twice(unit):
        record(
            unit,
            game.id,
            Change(
                game={**game.document, "summary": "S"},
                events=(EventWrite.new(local_id="e1", document={}, created_at=1),),
            ),
        )
        first = lock_game(unit, game.local_id)
        record(unit, game.local_id, Change(events=(EventWrite.new(local_id="e2", document={}, created_at=1),)))
        second = lock_game(unit, game.id)
        unit.locked.clear()
        return first, second, lock_game(unit, game.id)

    first, second, read_again = await store.write(twice, group_key=game.local_id)

    assert (first.version, first.document["summary"], first.serial) == (2, "S", 1)
    assert (second.version, second.serial) == (3, 2)
    assert second == read_again == await store.read(partial(require_game, name=game.id))


@pytest.mark.proof
async def test_threads_come_back_while_the_server_stands_still(postgres_cluster, opened):
    """No thread is left waiting for a server that does not answer, however long it stands still."""
    store = await opened(pool_size=2, timeout=1.0)
    await asyncio.gather(*(store.write(lambda unit: unit.conn.execute(text("SELECT pg_sleep(0.2)"))) for _ in range(2)))
    with frozen(postgres_cluster.process):
        outcomes = await asyncio.gather(*(store.ping() for _ in range(2)), return_exceptions=True)
        async with asyncio.timeout(60):  # a thread that waits for the server waits for ever
            while store.waiting:
                await asyncio.sleep(0.05)

    assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
