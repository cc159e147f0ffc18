"""A receiver's row that somebody has locked holds up the records of no other receiver (PostgreSQL)."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest
from sqlalchemy import NullPool, select
from sqlalchemy.ext.asyncio import create_async_engine

from ingest.webhooks.dispatcher import SoleOwner
from store.engine.records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.tables import webhook_rounds, workers
from store.tables import webhooks as table
from tests.kit.opening import store_at
from tests.store.conftest import new_game
from tests.webhooks.conftest import QUICK, delivering, subscribe

PATIENT = QUICK.model_copy(update={"try_timeout": 30.0, "round_timeout": 60.0})
"""On a busy machine a response that is meant to take 0.2 s comes after the 0.4 s of QUICK, and a try is repeated."""


@pytest.fixture
async def store(postgres_url):
    store = await store_at(postgres_url)
    await store.write(lambda unit: unit.conn.execute(workers.insert().values(id="one", kind="", beat=0, seen_at=0)))
    yield store
    await store.close()


@pytest.fixture
def locked(postgres_url):
    """Somebody else's transaction that holds the row of a receiver, as a slow unsubscription or a person's session does."""

    @asynccontextmanager
    async def lock(webhook_id):
        engine = create_async_engine(postgres_url, poolclass=NullPool)
        async with engine.connect() as conn:
            await conn.execute(select(table.c.id).where(table.c.id == webhook_id).with_for_update())
            yield conn
        await engine.dispose()

    return lock


async def rounds_of(store, row):
    query = select(webhook_rounds.c.version).where(webhook_rounds.c.webhook_id == row.id).order_by(webhook_rounds.c.id)
    return await store.read(lambda conn: list(conn.scalars(query)))


async def until(condition):
    async with asyncio.timeout(30):
        while not await condition():
            await asyncio.sleep(0.05)


@pytest.mark.proof
async def test_the_records_of_others_go_on(store, receiver, locked):
    """While the row of one is locked everything of the other is delivered and recorded; when it is free again the first
    goes on where it was, and each version is recorded once."""
    game = await store.write(partial(insert_game, game=new_game(1)))
    stuck, free = [await subscribe(store, receiver.url("after-0.2", name)) for name in ("stuck", "free")]

    async def recorded(row, versions):
        return await rounds_of(store, row) == versions

    async with delivering(store, PATIENT, alone=False, claim_owner=SoleOwner("one")):
        versions = [await store.write(lambda unit: record(unit, game.id, Change())) for _ in range(10)]
        await until(partial(recorded, free, versions[:1]))
        async with locked(stuck.id):
            before = len(await rounds_of(store, stuck))
            await until(partial(recorded, free, versions))
            assert len(await rounds_of(store, stuck)) == before < 5
        await until(partial(recorded, stuck, versions))
        assert receiver.versions("stuck") == receiver.versions("free") == versions
