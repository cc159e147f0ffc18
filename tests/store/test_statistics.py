"""Statistics equal a brute-force count, whoever writes them: zones, months, processes, roll-ups, and what is forgotten."""

import asyncio
import random
from collections import Counter, defaultdict
from functools import partial
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select, update

from api.statistics import reader_numbers
from api.statistics.beacon_writer import CELLS_AT_ONCE, BeaconWriter
from api.statistics.beacons import Audience, BeaconLimits, BeaconTally, count_lost, forget
from mapping.documents.scalars import LocalStatus
from mapping.errors import StoreUnavailable
from mapping.statistics.documents import page_address
from mapping.statistics.periods import Calendar
from mapping.statistics.reader_sketch import EXACT
from store.liveblogs.liveblogs import insert_game
from store.statistics import statistics
from store.statistics.tables import beacon_intakes, load_counts, load_days, reader_salts, reader_sketches
from store.tables import games
from tests.kit.statistics import BEGIN, PLACES, Process, a_beacon, overview
from tests.store.conftest import BOTH, GAME, ORGANIZATION, new_game

DAYS = 9
SHORT = 1_200
SIZES = [(SHORT, 500), pytest.param(1_000_000, 150_000, marks=pytest.mark.soak)]
"""Loads, and the readers that there are at most."""


def simulated(count, readers, seed=3):
    """Loads in the order of time: when, who, where, what, for how long."""
    chance = random.Random(seed)
    minutes = [BEGIN + chance.randrange(DAYS * 86_400) for _ in range(150)]
    for at in sorted(chance.choice(minutes) for _ in range(count)):
        kind = chance.choices(("load", "load_more", "retention"), (8, 1, 1))[0]
        yield at, chance.randrange(readers), chance.randrange(len(PLACES)), kind, chance.randrange(60_000)


def expected(loads):
    """(loads and clicks, average retention, views, loads) as a person would count them, and the readers."""
    kinds = Counter(kind for _, _, _, kind, _ in loads)
    times = [ms for _, _, _, kind, ms in loads if kind == "retention"]
    readers = {who for _, who, _, kind, _ in loads if kind == "load"}
    average = round(sum(times) / len(times)) if times else 0
    return (kinds["load"] + kinds["load_more"], average, len(times), kinds["load"]), len(readers)


def check(metrics, loads):
    counted, readers = expected(loads)
    assert counted == (
        metrics.ticker_loads, metrics.avg_retention_ms, metrics.samples_for_retention, metrics.samples_for_uniques,
    )  # fmt: skip
    assert metrics.total_uniques == pytest.approx(readers, rel=0 if readers <= EXACT else 0.03)
    assert metrics.total_views == metrics.ticker_loads


def batch(*loads, intake, number):
    """A process has counted loads: (seconds after BEGIN, page, how many)."""
    counts = {
        statistics.CountKey(BEGIN + after, *page_address(PLACES[place])): statistics.LoadSums(loads=many)
        for after, place, many in loads
    }
    return statistics.LoadBatch(intake, number, 1, counts, {})


@BOTH
async def test_days_are_added_up_once_whenever_they_are_counted(processes):
    """Before a day is rolled up, while and after it is: no load is missing from the totals, and none is there twice."""
    store, other = processes
    await store.write(partial(insert_game, game=new_game()))
    await store.write(partial(statistics.begin_intake, intake="one"))
    days, number, wanted = 86_400, 0, Counter()

    async def count(*loads):
        nonlocal number
        number += 1
        for _, place, many in loads:
            wanted[page_address(PLACES[place]).origin] += many
        await other.write(partial(statistics.add, game_id=GAME, batch=batch(*loads, intake="one", number=number)))

    async def check(rolled=None):
        sums = await store.read(lambda conn: statistics.sums_by_place(conn, GAME))
        assert {place: each.loads for place, each in sums.items()} == dict(wanted)
        assert (await overview(store)).ticker_loads == wanted.total()
        if rolled is not None:
            query = select(func.count(), func.sum(load_days.c.loads)).select_from(load_days)
            rows, loads = await store.read(lambda conn: conn.execute(query).one())
            assert (rows, int(loads or 0)) == rolled

    await count((0, 0, 1), (60, 1, 2), (900, 2, 4), (days, 3, 8), (3 * days, 0, 16))
    await rolled_up(store, BEGIN + days)
    await check(rolled=(0, 0))  # the first day is not over for a day
    await rolled_up(store, BEGIN + 2 * days + days // 2)
    await check(rolled=(4, 15))  # three pages of the first day, and one of the second
    await count((30, 0, 32), (2 * days, 2, 64), (days + 120, 0, 128))
    await check(rolled=(5, 175))  # what comes late is added to its day; the third day waits
    await rolled_up(store, BEGIN + 9 * days)
    await check(rolled=(7, 255))
    await count((12 * days, 0, 256))
    await check(rolled=(7, 255))
    assert not await store.write(partial(statistics.roll_up_day, now=BEGIN + 13 * days))
    await store.write(partial(statistics.purge, before=BEGIN + days))
    wanted.clear()
    wanted.update({"": 8, "https://a.example": 128 + 16 + 256, "https://b.example": 64})
    await check()  # the first day is gone, whole


@pytest.mark.proof
@pytest.mark.parametrize(("count", "readers"), SIZES)
@BOTH
async def test_loads_by_three_processes_equal_a_brute_force_count(processes, clock, tmp_path, count, readers):
    """In each hour, day and month of each zone, by origin and page, before and after the roll-up."""
    stores = processes
    whole = count > SHORT or stores[0] is stores[1]  # the longest run alone looks at every zone on both databases
    clock.now = BEGIN
    await stores[0].write(partial(insert_game, game=new_game()))
    processes = [await Process(stores[number % 2], clock, tmp_path).start() for number in range(3)]
    beacons = {(kind, url): a_beacon(kind, url) for kind in ("load", "load_more") for url in PLACES}
    loads = list(simulated(count, readers))
    for at, who, where, kind, ms in loads:
        if at > clock.now + 1800:
            await asyncio.gather(*(each.writer.flush() for each in processes))
        clock.now = at
        beacon = beacons.get((kind, PLACES[where])) or a_beacon(kind, PLACES[where], ms=ms, first=True)
        processes[who * 7 % 3].take(beacon, b"%d" % who)
    await asyncio.gather(*(each.writer.stop() for each in processes))

    store = stores[-1]
    await check_everything(store, loads, *(("Europe/Berlin", "Asia/Kathmandu") if whole else ("Asia/Kathmandu",)))
    await rolled_up(store, BEGIN + 6 * 86_400)
    before = await store.read(lambda conn: conn.scalar(select(func.count()).select_from(load_counts)))
    await asyncio.gather(*(roll_up(each) for each in stores))  # as where processes take each other's place
    after = await store.read(lambda conn: conn.scalar(select(func.count()).select_from(load_counts)))
    assert after < before
    await check_everything(
        store, loads, *(("UTC", "America/New_York", "Asia/Kolkata") if whole else ("America/New_York",))
    )
    lost = await store.read(
        lambda conn: conn.execute(select(func.sum(beacon_intakes.c.counted), func.sum(beacon_intakes.c.lost))).one()
    )
    assert tuple(map(int, lost)) == (len(loads), 0)
    assert not list(tmp_path.glob("*.beacons"))


async def roll_up(store):
    while await store.write(partial(statistics.roll_up, before=BEGIN + 12 * 86_400)):
        pass


async def rolled_up(store, now):
    """Each day that has been over for a day at that time."""
    while await store.write(partial(statistics.roll_up_day, now=now)):
        pass


async def check_everything(store, loads, *zones):
    by_time = defaultdict(list)
    for each in loads:
        by_time[each[0]].append(each)
    for zone in map(ZoneInfo, zones):
        for wanted in (
            Calendar(2026),
            Calendar(2026, 10),
            Calendar(2026, 11),
            Calendar(2026, 10, 25),
            Calendar(2026, 11, 1),
        ):
            origin = "https://a.example" if wanted.day == 1 else None
            periods = wanted.periods(zone)
            found = await store.read(partial(reader_numbers.periods, game_id=GAME, wanted=periods, origin=origin))
            assert [each.id for each in found] == [each.id for each in periods]
            for period, shown in zip(periods, found, strict=True):
                own = [each for at in by_time if period.start <= at < period.end for each in by_time[at]]
                own = own if origin is None else [each for each in own if each[2] < 2]
                assert shown.start_ts == period.start * 1000
                check(shown.visitor_metrics, own)
    months = [[each for each in loads if (each[0] < BEGIN + 7.5 * 86_400) == first] for first in (True, False)]
    metrics = await overview(store)
    assert metrics.ticker_loads == expected(loads)[0][0]
    assert metrics.total_uniques == pytest.approx(sum(expected(each)[1] for each in months), rel=0.03)
    origins = await store.read(partial(reader_numbers.places, game_id=GAME))
    assert [each.normalized_url for each in origins] == ["https://a.example", "https://b.example"]
    pages = await store.read(partial(reader_numbers.places, game_id=GAME, origin="https://a.example"))
    by_page = {each.normalized_url: each.visitor_metrics.ticker_loads for each in pages}
    assert by_page == {PLACES[at]: expected([each for each in loads if each[2] == at])[0][0] for at in (0, 1)}


@pytest.fixture
async def process(sqlite_store, clock, tmp_path):
    await sqlite_store.write(partial(insert_game, game=new_game()))
    return await Process(sqlite_store, clock, tmp_path).start()


async def rows(store, table):
    return await store.read(lambda conn: conn.execute(select(table)).all())


async def test_what_may_not_be_counted_is_dropped_and_counted_as_that(process, clock):
    """Liveblogs that do not exist, are deleted or another client's, and organizations that want no numbers."""
    store = process.store
    await store.write(partial(insert_game, game=new_game(2)))
    await store.write(partial(insert_game, game=new_game(3, organization_id="other")))
    gone = update(games).where(games.c.id == f"{GAME[:-4]}0002").values(local_status=LocalStatus.DELETED)
    await store.write(lambda unit: unit.conn.execute(gone))
    for name in ("gnever", new_game(2).local_id, new_game(3).local_id):
        process.take(a_beacon(liveblog=name))
    process.beacons.take(a_beacon(), Audience(GAME, frozenset({"stranger"})), b"kim".ljust(16, b"\0"))
    process.beacons.take(a_beacon(), Audience(GAME, frozenset({ORGANIZATION})), b"kim".ljust(16, b"\0"))
    process.take(a_beacon(liveblog=new_game().local_id))
    await process.writer.stop()

    metrics = await overview(store)
    assert (metrics.ticker_loads, metrics.total_uniques, metrics.samples_for_uniques) == (2, 1, 2)
    assert [tuple(each)[2:] for each in await rows(store, beacon_intakes)] == [(1, 2, 4, 0)]
    assert {each.game_id for each in await rows(store, load_counts)} == {GAME}


async def test_strangers_fill_neither_memory_nor_tables(sqlite_store, clock, tmp_path):
    """Of a hundred thousand made-up pages and readers a bounded number is kept; each load counts, or is counted as dropped."""
    await sqlite_store.write(partial(insert_game, game=new_game()))
    process = await Process(sqlite_store, clock, tmp_path, BeaconLimits(50, 30), places=5).start()
    for number in range(2_000):
        process.take(a_beacon(url=f"https://{number}.example/"), b"%d" % number)
        process.take(a_beacon(liveblog=f"g{number}"))
    await process.writer.stop()

    places = {(each.origin, each.location) for each in await rows(sqlite_store, load_counts)}
    assert len(places) <= 6
    assert ("", "") in places
    metrics = await overview(sqlite_store)
    assert metrics.ticker_loads == 2_000
    assert metrics.samples_for_uniques <= 30
    ((_, _, _, counted, dropped, lost),) = await rows(sqlite_store, beacon_intakes)
    assert (counted, counted + dropped, lost) == (2_000, 4_000, 0)


async def test_a_batch_is_written_once_although_nobody_learned_its_outcome(process, clock, monkeypatch):
    """A commit whose response is lost is tried again and adds nothing; a database that is away keeps the batch waiting."""
    process.take(a_beacon())
    store, write = process.store, process.store.write

    async def written_but_lost(work, **more):
        await write(work, **more)
        raise StoreUnavailable("nobody knows")

    monkeypatch.setattr(store, "write", written_but_lost)
    with pytest.raises(StoreUnavailable):  # the salts
        await process.writer.flush()
    monkeypatch.setattr(store, "write", write)
    process.take(a_beacon())
    await process.writer.flush()
    process.take(a_beacon())
    monkeypatch.setattr(store, "write", written_but_lost)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await process.writer.flush()
    monkeypatch.setattr(store, "write", write)
    await process.writer.stop()

    assert (await overview(store)).ticker_loads == 3
    assert [tuple(each)[3:] for each in await rows(store, beacon_intakes)] == [(3, 0, 0)]


@pytest.mark.parametrize("call", range(4), ids=["liveblogs", "salts", "first batch", "second batch"])
async def test_a_stop_in_the_middle_of_a_write_loses_nothing(process, clock, monkeypatch, call):
    """Wherever the writer is when its process ends in order: what was received is counted."""
    store = process.store
    await store.write(partial(insert_game, game=new_game(2)))
    for liveblog in (GAME, new_game(2).id, GAME):
        process.take(a_beacon(liveblog=liveblog))
    reached, calls = asyncio.Event(), count()

    def stuck(kind):
        async def wait(work):
            if next(calls) == call:
                reached.set()
                await asyncio.Event().wait()
            return await kind(work)

        return wait

    with monkeypatch.context() as held:
        for name in ("read", "write"):
            held.setattr(store, name, stuck(getattr(store, name)))
        writing = asyncio.create_task(process.writer.flush())
        await reached.wait()
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    process.take(a_beacon())
    await process.writer.stop()

    assert (await overview(store)).ticker_loads == 3
    ((_, _, _, counted, dropped, lost),) = await rows(store, beacon_intakes)
    assert (counted, dropped, lost) == (4, 0, 0)


async def test_what_dies_with_a_process_is_counted_by_the_next(process, clock, tmp_path):
    """The file outlives the process; that of a process that lives is left alone, and that of one with another database."""
    stranger = BeaconTally(tmp_path)
    stranger.receive()
    stranger.abandon()
    process.take(a_beacon())
    await process.writer.flush()
    for _ in range(7):
        process.take(a_beacon())
    count = partial(process.store.write, partial(count_lost, folder=tmp_path))
    assert await count() == {}
    process.tally.abandon()

    assert await count() == {process.tally.id: 7}
    assert await count() == {process.tally.id: 7}  # a unit may run twice
    forget(tmp_path, [process.tally.id])
    assert await count() == {}
    assert [each.stem for each in tmp_path.glob("*.beacons")] == [stranger.id]
    assert [each.lost for each in await rows(process.store, beacon_intakes)] == [7]
    assert (await overview(process.store)).ticker_loads == 1


async def test_a_stop_without_the_database_lets_go_of_the_file(process, tmp_path, monkeypatch):
    """After a reload the same process counts what its last run has lost."""
    process.take(a_beacon())
    await process.writer.flush()
    process.take(a_beacon())
    store, write = process.store, process.store.write

    async def away(*_, **__):
        raise StoreUnavailable("away")

    monkeypatch.setattr(store, "write", away)
    await process.writer.stop()
    monkeypatch.setattr(store, "write", write)

    assert await write(partial(count_lost, folder=tmp_path)) == {process.tally.id: 1}


async def test_salts_and_what_is_old_or_deleted_go(process, clock):
    """A salt of a day lives two days and an hour, that of a month no day longer than it is needed; no address is stored."""
    store, start = process.store, int(clock.now)
    process.take(a_beacon(), b"kim")
    await process.writer.flush()
    names = {each.name for each in await rows(store, reader_salts)}
    day, before, month = "2023-11-14", "2023-11-13", "2023-11"
    assert names == {day, before, month}
    assert all(b"kim" not in bytes(each.sketch) for each in await rows(store, reader_sketches))
    for days, left in ((1, {day, month}), (3, {month}), (40, set())):
        clock.now = start + days * 86_400
        await store.write(partial(statistics.purge, before=0))
        assert {each.name for each in await rows(store, reader_salts)} == left

    assert (await overview(store)).total_uniques == 1
    await store.write(partial(statistics.purge, before=int(clock.now)))
    assert not await rows(store, load_counts)
    process.take(a_beacon())
    await process.writer.flush()
    gone = update(games).values(local_status=LocalStatus.DELETED)
    await store.write(lambda unit: unit.conn.execute(gone))
    assert not await store.write(partial(statistics.purge, before=0))
    assert not await rows(store, load_counts)
    assert not await rows(store, reader_sketches)
    await process.writer.stop()


async def test_no_unit_holds_the_writer_for_long(process, clock, monkeypatch):
    """4,000 loads on 500 pages are written in five pieces of few rows each."""
    writer = BeaconWriter(
        process.store, process.beacons, process.tally, interval=5, places=1000, clock=clock, counts={ORGANIZATION}.__contains__
    )  # fmt: skip
    for number in range(4_000):
        process.take(a_beacon(url=f"https://news.example/{number % 500}"), b"%d" % number)
    add, pieces = statistics.add, []

    def counted(unit, **what):
        pieces.append(len(what["batch"].counts))
        return add(unit, **what)

    monkeypatch.setattr(statistics, "add", counted)
    await writer.flush()

    assert len(pieces) == 5
    assert max(pieces) <= CELLS_AT_ONCE
    assert (await overview(process.store)).ticker_loads == 4_000
