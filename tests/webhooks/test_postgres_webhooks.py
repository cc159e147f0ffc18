"""Several processes on one PostgreSQL: nothing is missed, and nobody works on the same receiver at the same time."""

from __future__ import annotations

import asyncio
import time
from functools import partial

import pytest
from sqlalchemy import text, update

from ingest.delivering import Delivering
from ingest.guarded import Guard
from ingest.horizon import Horizon
from mapping.rules.delivery import Health
from store import deliveries, outbox, webhooks
from store.database import Store
from store.deliveries import Delivery, Round, Settlement
from store.liveblogs import Change, insert_game, record
from store.tables import webhooks as table
from tests.store.conftest import ORGANIZATION, new_game
from tests.webhooks.conftest import QUICK


@pytest.fixture
async def stores(postgres_url):
    """Two processes' views of one database."""
    first = await Store.open(postgres_url, migrate=True)
    second = await Store.open(postgres_url)
    yield first, second
    await first.close()
    await second.close()


async def subscribe(store, url):
    work = partial(webhooks.subscribe, organization_id=ORGANIZATION, url=url, secret=webhooks.new_secret(), limit=9)
    return (await store.write(work))[0]


async def test_an_id_that_is_committed_late_is_not_passed_over(stores):
    """The horizon stays below an id that a transaction under way holds, and moves on when it is over."""
    store, other = stores
    slow, quick = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    horizon = Horizon(store)
    assert await horizon.advance()
    before = horizon.value
    holds, go = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slowly(unit):
        record(unit, slow.id, Change())
        loop.call_soon_threadsafe(holds.set)
        unit.conn.execute(text("SELECT pg_sleep(1)"))

    writing = asyncio.create_task(other.write(slowly))
    await holds.wait()
    await store.write(lambda unit: record(unit, quick.id, Change()))
    assert not await horizon.advance()
    assert horizon.value == before
    go.set()
    await writing
    assert await horizon.advance()
    rows = await store.read(
        lambda conn: outbox.rows_of(conn, ORGANIZATION, after=before, through=horizon.value, limit=9)
    )
    assert [row.game_id for row in rows] == [slow.id, quick.id]


async def test_a_receiver_has_one_holder_and_a_late_one_records_nothing(stores):
    """A claim holds until its lease is over; who comes back after that finds the fence moved."""
    store, other = stores
    row = await subscribe(store, "https://cms.example/")
    held = await store.write(partial(deliveries.claim, webhook_id=row.id, owner="one", lease=60))
    assert await other.write(partial(deliveries.claim, webhook_id=row.id, owner="two", lease=60)) is None

    await store.write(lambda unit: unit.conn.execute(update(table).values(lease_until=1.0)))
    taken = await other.write(partial(deliveries.claim, webhook_id=row.id, owner="two", lease=60))
    delivery = Delivery(outbox_id=1, game_id="g", local_id="l", version=1)
    done = Round(delivery=delivery, tries=1, at=1.0, took_ms=1, success=True, status_code=200, message="")
    made = partial(Settlement, rounds=(done,), cursor=5, health=Health(), lease=60)
    assert taken is not None
    assert await store.write(partial(deliveries.settle, settlements=[made(held=held)])) == {}
    assert await store.write(partial(deliveries.renew, held=held, lease=60)) is None
    assert set(await store.write(partial(deliveries.settle, settlements=[made(held=taken)]))) == {row.id}
    assert await store.read(lambda conn: deliveries.tried(conn, row.id, after=0)) == frozenset({1})


async def test_two_processes_share_the_receivers(stores, receiver):
    """Each update reaches each receiver once, whichever process changed it; when one goes, the other takes over."""
    store, other = stores
    games = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    for name in ("a", "b", "c"):
        await subscribe(store, receiver.url("ok", name))
    both = [Delivering(each, Guard(["127.0.0.1"]), QUICK) for each in (store, other)]
    for each, own in zip(stores, both, strict=True):
        each.on_commit = own.wake
    tasks = [asyncio.create_task(each.run()) for each in both]
    try:
        for number in range(20):
            writer, game = stores[number % 2], games[number % 2]
            await writer.write(lambda unit, game=game: record(unit, game.id, Change()))
        await receiver.until(lambda: len(receiver.requests()) >= 60)
        await asyncio.sleep(1.5)
        assert len(receiver.requests()) == 60

        tasks[0].cancel()
        await both[0].stop(grace=1)
        began = time.monotonic()
        await store.write(lambda unit: record(unit, games[0].id, Change()))
        await receiver.until(lambda: len(receiver.requests()) == 63)
        assert time.monotonic() - began < 5
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await both[1].stop(grace=1)
        for each in stores:
            each.on_commit = None
    for name in ("a", "b", "c"):
        versions = receiver.versions(name)
        assert sorted(versions) == sorted([*range(2, 12), *range(2, 12), 12])
