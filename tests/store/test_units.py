"""Units on both databases: alone in failure, unharmed by their callers, closed in order."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest
from sqlalchemy import select, update

from mapping.errors import StoreUnavailable
from store.engine.errors import SchemaOutdated
from store.liveblogs.liveblogs import Change, EventWrite, event, events, insert_game, record, require_game
from store.tables import games
from tests.kit.opening import store_at
from tests.store.conftest import failing, new_game, post, writing


async def test_a_failing_unit_harms_no_neighbour(store, game):
    """Of units written together, those that raise leave nothing and the others everything."""
    works = [
        failing(game.id, f"bad{number}", KeyError(number)) if number % 3 == 0 else writing(game.id, f"good{number}")
        for number in range(30)
    ]
    outcomes = await asyncio.gather(*(store.write(work) for work in works), return_exceptions=True)
    stored = {item.local_id for item in await store.read(lambda conn: events(conn, game.id))}

    assert [type(outcome) for outcome in outcomes[::3]] == [KeyError] * 10
    assert stored == {f"good{number}" for number in range(30) if number % 3}
    assert (await store.read(partial(require_game, name=game.id))).version == 21


@pytest.mark.parametrize("headline", ["\ud800", float("nan")])
async def test_poison_fails_its_own_unit(store, game, headline):
    """A text or number that cannot be stored is a ValueError for the unit that brought it, and for nobody else."""
    poison = store.write(
        lambda unit: record(unit, game.id, Change(events=(post("bad", document={"headline": headline}),)))
    )
    outcomes = await asyncio.gather(store.write(writing(game.id, "a")), poison, return_exceptions=True)

    assert isinstance(outcomes[0], int)
    assert not isinstance(outcomes[1], (int, StoreUnavailable))
    assert [item.local_id for item in await store.read(lambda conn: events(conn, game.id))] == ["a"]


async def test_a_number_beyond_64_bits_fails_its_own_unit(store, game):
    """What no column can hold is refused without an outage."""
    huge = EventWrite.new(local_id="bad", document={}, created_at=2**70)
    outcomes = await asyncio.gather(
        store.write(lambda unit: record(unit, game.id, Change(events=(huge,)))),
        store.write(writing(game.id, "a")),
        return_exceptions=True,
    )

    assert not isinstance(outcomes[0], (int, StoreUnavailable))
    assert isinstance(outcomes[1], int)


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


async def test_a_schema_that_is_not_current_is_refused_on_postgresql(bare_postgres_url):
    """A shared database is upgraded by its operator, and the message says how."""
    with pytest.raises(SchemaOutdated, match="matchwire db upgrade"):
        await store_at(bare_postgres_url)
