"""What happens to the server: stopped, killed, frozen; and races between processes that share it."""

import asyncio
import gc
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from mapping.errors import StoreUnavailable
from store.engine.postgres.sessions import Session
from store.engine.settings import parse_url
from store.liveblogs.liveblogs import events, insert_game, require_game
from tests.kit.faults_postgres import frozen
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import new_game, open_store, writing

PATIENCE = 2.0
IDLE = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"


@asynccontextmanager
async def opened(url, **limits):
    store = await open_store(url, migrate=True)
    await store.close()
    store = await open_store(url, pool=pool_settings(**{"timeout": PATIENCE, **limits}))
    try:
        yield store
    finally:
        await store.close()


async def outcomes_of(store, game, number=12):
    """Writes and reads at the same time: their outcomes, and how long the slowest took, which only a long run compares."""
    started = time.monotonic()
    reads = (store.read(partial(require_game, name=game.id)) for _ in range(number))
    writes = (store.write(writing(game.id, f"e{index}")) for index in range(number))
    outcomes = await asyncio.gather(*reads, *writes, return_exceptions=True)
    return outcomes, time.monotonic() - started


async def healed(store):
    async with asyncio.timeout(60):
        while True:
            try:
                return await store.ping()
            except StoreUnavailable:
                await asyncio.sleep(0.05)


@pytest.fixture(params=["direct", pytest.param("pgbouncer", marks=pytest.mark.proof)])
def way(request, postgres_url):
    """The address of an empty database, straight and through a transaction pooler."""
    return postgres_url if request.param == "direct" else request.getfixturevalue("pgbouncer_url")


@pytest.mark.proof
@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_a_server_that_goes_away_is_an_outage_and_comes_back(postgres_cluster, way, end):
    """While it is away everybody gets StoreUnavailable in bounded time; when it is back so is the store."""
    async with opened(way) as store:
        game = await store.write(partial(insert_game, game=new_game()))
        await outcomes_of(store, game, 3)  # connections that will be dead
        await asyncio.to_thread(getattr(postgres_cluster, end))
        try:
            outcomes, _ = await outcomes_of(store, game)
        finally:
            await asyncio.to_thread(postgres_cluster.start)
        await healed(store)

        assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
        assert await store.write(writing(game.id, "after")) > 1


@pytest.mark.proof
async def test_a_frozen_server_costs_no_caller_more_than_the_timeout(postgres_cluster, way):
    """Callers hear StoreUnavailable in time; afterwards no transaction is left open and nothing is half done."""
    async with opened(way) as store:
        game = await store.write(partial(insert_game, game=new_game()))
        await outcomes_of(store, game, 3)
        with frozen(postgres_cluster.process):
            outcomes, _ = await outcomes_of(store, game)
        await healed(store)
        await asyncio.sleep(2 * PATIENCE)
        idle = await store.read(lambda conn: conn.execute(text(IDLE)).scalar())
        version = (await store.read(partial(require_game, name=game.id))).version
        stored = await store.read(partial(events, game_id=game.id))

        assert {type(outcome) for outcome in outcomes} == {StoreUnavailable}
        assert idle == 0
        assert {item.version for item in stored} | {1} <= set(range(1, version + 1))
        assert await store.write(writing(game.id, "after")) == version + 1


def sockets():
    """How many sockets this process has open."""
    links = (each.readlink() for each in Path("/proc/self/fd").iterdir() if each.exists())
    return sum(str(each).startswith("socket:") for each in links)


@pytest.mark.proof
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
@pytest.mark.parametrize("kind", ["session", "cancelled", "pool"])
async def test_an_attempt_that_is_given_up_leaves_no_socket(postgres_cluster, postgres_url, kind):
    """Nor does it wait for garbage to be looked for: the server would keep a place for each, a minute after it is back."""

    kept = []

    async def attempt():
        if kind == "pool":
            await store_at(postgres_url, pool=pool_settings(timeout=PATIENCE))
            return
        opening = asyncio.create_task(Session.open(parse_url(postgres_url), pool_settings(timeout=PATIENCE), "test"))
        if kind == "cancelled":
            await asyncio.sleep(PATIENCE / 2)
            opening.cancel()
        kept.append(opening)
        await opening

    with frozen(postgres_cluster.process):
        gc.collect()
        gc.disable()
        try:
            before = sockets()
            with pytest.raises((TimeoutError, StoreUnavailable, asyncio.CancelledError)):
                await attempt()
            after = sockets()
        finally:
            gc.enable()

    assert before == after


@pytest.mark.proof
async def test_a_lock_that_is_never_released_is_an_outage_for_those_who_need_it(postgres_url):
    """A row that somebody else has locked makes its writers fail in bounded time, and nobody else."""
    async with opened(postgres_url) as store:
        locked, free = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
        foreign = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
        async with foreign.transaction():
            await foreign.execute("SELECT 1 FROM games WHERE id = $1 FOR UPDATE", locked.id)
            blocked = asyncio.create_task(store.write(writing(locked.id, "e1")))
            assert await store.write(writing(free.id, "e2")) == 2
            with pytest.raises(StoreUnavailable):
                await blocked
        await foreign.close()

        assert await store.write(writing(locked.id, "e1")) == 2


async def test_two_processes_that_create_the_same_event_write_it_once(way):
    """Who loses the race runs again, finds the other's event and replaces it: no error, no second event."""
    async with opened(way, timeout=5) as one, opened(way, timeout=5) as two:
        game = await one.write(partial(insert_game, game=new_game()))
        versions = await asyncio.gather(
            *(store.write(writing(game.id, f"e{number}")) for number in range(20) for store in (one, two))
        )
        stored = await one.read(partial(events, game_id=game.id))

        assert sorted(versions) == list(range(2, 42))
        assert sorted(item.local_id for item in stored) == sorted(f"e{number}" for number in range(20))
