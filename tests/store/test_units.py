"""Units on both databases: alone in failure, unharmed by their callers, closed in order."""

import asyncio
import threading
from functools import partial

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from mapping.errors import StoreUnavailable
from store.engine.liveblog_records import Change, EventWrite
from store.engine.statements import insert_rows, write_batch
from store.liveblogs.liveblogs import event, events, insert_game, record, require_game
from store.tables import games, outbox
from tests.kit.opening import pool_settings, store_at
from tests.store.conftest import GAME, new_game, post, writing


def raising(unit):
    raise KeyError("mine")


def taking_a_taken_key(unit):
    write_batch(unit.conn, insert_rows(games, [dict(row) for row in unit.conn.execute(select(games)).mappings()]))


def writing_a_number_beyond_64_bits(unit):
    record(unit, GAME, Change(events=(EventWrite.new(local_id="huge", document={}, created_at=2**70),)))


FAILING = {
    "raises": (raising, KeyError),
    "takes a taken key": (taking_a_taken_key, IntegrityError),
    "half a character": (writing(GAME, "half", {"headline": "\ud800"}), Exception),
    "no number": (writing(GAME, "nan", {"headline": float("nan")}), Exception),
    "a number beyond 64 bits": (writing_a_number_beyond_64_bits, Exception),
}
"""What a unit does after it has written an event, and what its caller hears."""


@pytest.mark.parametrize("name", FAILING)
async def test_a_failing_unit_harms_no_neighbour(store, game, name):
    """Of units written together, those that fail leave nothing at all; the others have everything, and count without a gap."""
    fails, error = FAILING[name]

    def doomed(unit):
        writing(game.id, "lost")(unit)
        fails(unit)

    works = [writing(game.id, f"e{number}") if number % 3 else doomed for number in range(12)]
    groups = (None, game.local_id)  # of which those of one share a transaction on PostgreSQL
    written = (store.write(work, group_key=groups[number % 2]) for number, work in enumerate(works))
    outcomes = await asyncio.gather(*written, return_exceptions=True)
    stored = await store.read(lambda conn: [each.local_id for each in events(conn, game.id)])
    versions = await store.read(lambda conn: conn.scalars(select(outbox.c.version)).all())

    assert all(isinstance(each, error) and not isinstance(each, StoreUnavailable) for each in outcomes[::3])
    assert sorted(each for each in outcomes if isinstance(each, int)) == list(range(2, 10))
    assert sorted(stored) == sorted(f"e{number}" for number in range(12) if number % 3)
    assert sorted(versions) == list(range(1, 10))


async def test_a_cancelled_caller_does_not_cancel_its_unit(store, game):
    """The unit of a caller that has gone away is committed, and the store goes on."""
    begun, gate = threading.Event(), threading.Event()

    def slow(unit):
        begun.set()
        assert gate.wait(60)
        return record(unit, game.id, Change(events=(post("late"),)))

    caller = asyncio.create_task(store.write(slow))
    assert await asyncio.to_thread(begun.wait, 60)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    gate.set()
    await store.write(writing(game.id, "next"))
    while not await store.read(lambda conn: event(conn, "late")):
        await asyncio.sleep(0.02)

    stored = await store.read(lambda conn: events(conn, game.id))
    assert {item.local_id for item in stored} == {"late", "next"}


async def test_a_cancelled_reader_leaves_its_connection_usable(store, game):
    """Readers that go away in the middle cost no connection."""
    for _ in range(20):
        reader = asyncio.create_task(store.read(lambda conn: require_game(conn, game.id)))
        await asyncio.sleep(0)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)

    assert (await store.read(lambda conn: require_game(conn, game.id))) == game


async def test_readers_cannot_write(store, game):
    """A write through the read path is refused and changes nothing."""
    with pytest.raises(StoreUnavailable):
        await store.read(lambda conn: conn.execute(update(games).values(title="x")))
    assert (await store.read(partial(require_game, name=game.id))).title == "Derby"


@pytest.mark.parametrize(
    "first",
    [lambda conn, _: conn.scalar(select(games.c.version)), lambda conn, name: require_game(conn, name).version],
    ids=["core", "compiled"],
)
async def test_a_read_sees_one_snapshot(store, game, first):
    """Between two statements of one read nothing changes, whatever is written meanwhile, and by whichever way it begins."""
    began, written, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

    def query(conn):
        before = first(conn, game.id)
        loop.call_soon_threadsafe(began.set)
        return written.wait(60), before, conn.scalar(select(games.c.version))

    reading = asyncio.create_task(store.read(query))
    await began.wait()
    await store.write(writing(game.id, "e1"))
    written.set()

    assert await reading == (True, 1, 1)
    assert await store.read(lambda conn: conn.scalar(select(games.c.version))) == 2


async def test_closing_finishes_what_was_accepted_and_refuses_the_rest(current_url, clock):
    """Units under way are committed before `close` returns; later ones are refused; closing twice is harmless."""
    store = await store_at(current_url, clock=clock)
    game = await store.write(partial(insert_game, game=new_game()))
    writes = [asyncio.create_task(store.write(writing(game.id, f"e{number}"))) for number in range(50)]
    await asyncio.sleep(0)
    await store.close()
    assert sorted(await asyncio.gather(*writes)) == list(range(2, 52))

    await store.close()
    with pytest.raises(StoreUnavailable):
        await store.write(lambda unit: unit.now)
    with pytest.raises(StoreUnavailable):
        await store.ping()


@pytest.mark.parametrize("group_key", [None, "g"])
async def test_more_units_than_may_wait_are_refused_at_once(current_url, clock, group_key):
    """The queue has a cap, also where they have one group key; the accepted ones are done."""
    store = await store_at(current_url, clock=clock, pool=pool_settings(queue=5))
    gate = threading.Event()
    calls = [asyncio.create_task(store.write(lambda _: gate.wait(60), group_key=group_key)) for _ in range(9)]
    await asyncio.sleep(0)
    refused = [type(each.exception()) for each in calls if each.done()]
    gate.set()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    await store.close()

    assert (refused, outcomes.count(True)) == ([StoreUnavailable] * 4, 5)
