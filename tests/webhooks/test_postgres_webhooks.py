"""Several processes on one PostgreSQL: nothing is missed, and nobody works on the same receiver at the same time."""

import asyncio
import signal
import time
from functools import partial

import pytest
from sqlalchemy import delete, insert, select

from ingest.webhooks.dispatcher import SoleOwner
from mapping.rules.webhook_delivery import Health
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.tables import webhooks as table
from store.tables import workers
from store.webhooks import deliveries
from store.webhooks.deliveries import AttemptRecord, Delivery, RecordResult, Round
from tests.kit.processes import Process
from tests.store.conftest import new_game
from tests.webhooks.conftest import delivering, subscribe


async def lives(store, *names):
    """Let exactly these processes be counted as alive."""
    rows = [{"id": name, "kind": "", "beat": 0, "seen_at": 0} for name in names]
    await store.write(lambda unit: (unit.conn.execute(delete(workers)), unit.conn.execute(insert(workers), rows)))


async def test_a_receiver_has_one_holder_and_a_late_one_records_nothing(two_stores):
    """A claim holds as long as its holder lives; who comes back after that finds the fence moved."""
    store, other = two_stores
    row = await subscribe(store, "https://cms.example/")
    await lives(store, "one", "two")
    claimed = await store.write(partial(deliveries.claim, webhook_id=row.id, owner="one"))
    assert await other.write(partial(deliveries.claim, webhook_id=row.id, owner="two")) is None

    await lives(store, "two")
    taken = await other.write(partial(deliveries.claim, webhook_id=row.id, owner="two"))
    delivery = Delivery(number=1, game_id="g", local_id="l", version=1)
    done = Round(delivery=delivery, tries=1, at=1.0, took_ms=1, success=True, status_code=200, message="")
    made = partial(AttemptRecord, rounds=(done,), cursor=5, health=Health())
    assert taken is not None
    assert await store.write(partial(deliveries.record_attempts, records=[made(claimed=claimed)])) == RecordResult(
        {}, frozenset()
    )
    await store.write(partial(deliveries.release_claims, claimed=[claimed]))
    assert await store.write(partial(deliveries.claim, webhook_id=row.id, owner="one")) is None
    assert set((await store.write(partial(deliveries.record_attempts, records=[made(claimed=taken)]))).recorded) == {
        row.id
    }
    assert await store.read(lambda conn: deliveries.tried_numbers(conn, row.id, after=0)) == frozenset({1})


@pytest.mark.proof
async def test_two_processes_share_the_receivers(two_stores, receiver):
    """Each update reaches each receiver once, whichever process changed it; when one goes, the other takes over."""
    store, other = two_stores
    games = [await store.write(partial(insert_game, game=new_game(number))) for number in (1, 2)]
    for name in ("a", "b", "c"):
        await subscribe(store, receiver.url("ok", name))
    await lives(store, "one", "two")
    deliver = partial(delivering, alone=False)
    async with deliver(other, claim_owner=SoleOwner("two")):
        async with deliver(store, claim_owner=SoleOwner("one")):
            for number in range(20):
                writer, game = two_stores[number % 2], games[number % 2]
                await writer.write(lambda unit, game=game: record(unit, game.id, Change()))
            await receiver.until(lambda: len(receiver.requests()) >= 60)
            await asyncio.sleep(1.5)
            assert len(receiver.requests()) == 60
        await store.write(lambda unit: record(unit, games[0].id, Change()))
        await receiver.until(lambda: len(receiver.requests()) == 63)
    for name in ("a", "b", "c"):
        versions = receiver.versions(name)
        assert sorted(versions) == sorted([*range(2, 12), *range(2, 12), 12])


@pytest.fixture
async def processes(tmp_path, postgres_url, two_stores):
    """The second is started when the first holds everything."""
    running = [Process(tmp_path, name, postgres_url) for name in ("one", "two")]
    yield running
    for each in running:
        each.end()


NAMES = ("a", "b", "c")


async def holders(store):
    """Owner and fence of each receiver."""
    query = select(table.c.id, table.c.owner, table.c.fence).order_by(table.c.id)
    return await store.read(lambda conn: [tuple(row) for row in conn.execute(query)])


@pytest.mark.proof
@pytest.mark.parametrize(
    ("how", "steps"),
    [
        pytest.param(signal.SIGKILL, (2, -2, 2), marks=pytest.mark.soak, id="killed"),
        pytest.param(signal.SIGSTOP, (2,), id="frozen"),
    ],
)
async def test_a_dead_process_is_replaced_and_no_clock_has_a_say(two_stores, processes, receiver, how, steps):
    """While a process lives, its receivers stay its own, however its clock is set: each update comes once. When it is
    killed or frozen the other has delivered what is left within twelve seconds; when it wakes up it does no harm."""
    store, (one, two) = two_stores[0], processes
    game = await store.write(partial(insert_game, game=new_game(1)))
    for name in NAMES:
        await subscribe(store, receiver.url("ok", name))
    sent = 0

    async def change(within):
        nonlocal sent
        await store.write(lambda unit: record(unit, game.id, Change()))
        sent += 1
        await receiver.until(lambda: all(len(set(receiver.versions(name))) == sent for name in NAMES), within=within)

    await asyncio.to_thread(one.start)
    await change(within=60)
    before = await holders(store)
    assert len({owner for _, owner, _ in before}) == 1
    await asyncio.to_thread(two.start)
    for hours in steps:
        one.step(hours)
        await asyncio.sleep(1.5)
        await change(within=60)
        await asyncio.sleep(1.5)
        await change(within=60)
    assert await holders(store) == before
    assert len(receiver.requests()) == sent * len(NAMES)

    one.process.send_signal(how)
    began = time.monotonic()
    await change(within=60)
    print(f"{how.name}: taken over within {time.monotonic() - began:.1f} s")  # noqa: T201
    after = await holders(store)
    assert all(owner != claimed for (_, owner, _), (_, claimed, _) in zip(before, after, strict=True))
    one.process.send_signal(signal.SIGCONT)
    for _ in range(3):
        await change(within=60)
        await asyncio.sleep(1)
    assert await holders(store) == after
    assert len(receiver.requests()) <= sent * len(NAMES) + len(NAMES)  # what was under way when it froze may come twice
