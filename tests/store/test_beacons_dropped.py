"""Beacons that cannot be written are dropped and counted, and the others of their batch are written, on both databases."""

from functools import partial

import pytest
from sqlalchemy import select, update

from api.statistics import beacon_writer
from mapping.statistics.documents import PageAddress
from store.engine.errors import UnreadableRow
from store.liveblogs.liveblogs import insert_game
from store.statistics.tables import load_counts, reader_sketches
from tests.kit.statistics import BEGIN, Process, a_beacon, overview
from tests.store.conftest import ALIKE, BOTH, new_game

HONEST = [f"https://news.example/{number}" for number in range(50)]
POISON = "https://news.example/" + "".join(chr(0x4E00 + number) for number in range(2_000))
"""Too long for a row of an index of PostgreSQL, however well it is compressed."""


@pytest.fixture
async def process(store, clock, tmp_path):
    clock.now = BEGIN
    await store.write(partial(insert_game, game=new_game()))
    return await Process(store, clock, tmp_path, places=1000).start()


def counted(process, outcome):
    return process.beacons.counter.labels(outcome)._value.get()


async def locations(store):
    return set(await store.read(lambda conn: list(conn.scalars(select(load_counts.c.location)))))


@BOTH
async def test_one_address_that_no_index_takes_loses_itself_alone(process, store, store_url, monkeypatch):
    """The other fifty loads of the batch are written, and the one is counted as dropped."""
    monkeypatch.setattr("api.statistics.beacons.page_address", lambda url: PageAddress("https://news.example", url))
    for number, url in enumerate([*HONEST[:25], POISON, *HONEST[25:]]):
        process.take(a_beacon(url=url), b"%d" % number)
    if store_url.startswith("sqlite"):  # whose indexes take rows of any length
        fail_for(monkeypatch, POISON)
    await process.writer.flush()

    assert await locations(store) == set(HONEST)
    assert (counted(process, "counted"), counted(process, "dropped")) == (50, 1)
    process.take(a_beacon(url=HONEST[0]), b"kim")
    await process.writer.flush()
    assert (counted(process, "counted"), counted(process, "dropped")) == (51, 1)
    assert (await overview(store)).ticker_loads == 51


def fail_for(monkeypatch, poison):
    add = beacon_writer.statistics.add

    def failing(unit, game_id, batch):
        if any(key.location == poison for key in batch.counts):
            raise UnreadableRow("no index takes it")
        return add(unit, game_id, batch)

    monkeypatch.setattr(beacon_writer.statistics, "add", failing)


@ALIKE
@pytest.mark.parametrize("step", ["_games", "_hash_readers"])
async def test_whatever_fails_for_good_before_it_is_written_is_dropped_and_counted(process, monkeypatch, step):
    """A step that fails for everything drops everything, within a bounded number of tries, and the next batch is written."""
    tries = []

    def failing(*args, **more):
        tries.append(step)
        raise ValueError("poison")

    with monkeypatch.context() as patched:
        patched.setattr(beacon_writer, step, failing)
        for number in range(1000):
            process.take(a_beacon(url=f"https://news.example/{number}"), b"%d" % number)
        await process.writer.flush()
    assert (counted(process, "dropped"), counted(process, "counted")) == (1000, 0)
    assert len(tries) <= 2 * beacon_writer.MOST_FAILURES
    process.take(a_beacon())
    await process.writer.flush()
    assert counted(process, "counted") == 1


@BOTH
async def test_a_sketch_of_another_version_costs_its_own_readers_alone(process, store):
    """The loads are counted, other days' readers too, the sketch stays as it is, and reads go on."""
    process.take(a_beacon())
    await process.writer.flush()
    other = b"z of another version"
    await store.write(lambda unit: unit.conn.execute(update(reader_sketches).values(sketch=other)))
    for number in range(3):
        process.take(a_beacon(), b"%d" % number)
    await process.writer.flush()

    assert counted(process, "dropped") == 0
    shown = await overview(store)
    assert (shown.ticker_loads, shown.total_uniques) == (4, 0)
    kept = await store.read(lambda conn: {bytes(each) for each in conn.scalars(select(reader_sketches.c.sketch))})
    assert other in kept
