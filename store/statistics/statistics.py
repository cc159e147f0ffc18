"""Readers' statistics: batches that add up whoever writes them, roll-ups, and what is forgotten when."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Table,
    delete,
    func,
    insert,
    literal_column,
    select,
    tuple_,
    union_all,
    update,
)

from mapping.statistics.periods import DAY, QUARTER, last_use, months_between
from mapping.statistics.reader_sketch import ReaderSketch
from store.engine.statements import add_numbers, insert_ignore, insert_new, update_rows, write_batch
from store.engine.unit import Unit
from store.public import DELETED_GAMES
from store.statistics.tables import beacon_intakes, load_counts, load_days, load_rollups, reader_salts, reader_sketches

SALT_BYTES = 32
PURGED = 500
"""Rows that one unit forgets or rolls up."""
SUMS = ("loads", "more", "sampled", "retention_ms", "retention_views")


class CountKey(NamedTuple):
    """Where and when loads were: the start of the minute or quarter in Unix seconds, the origin and the page."""

    slot: int
    origin: str
    location: str


class LoadSums(NamedTuple):
    """Loads, clicks on load more, loads whose reader is in a sketch, visible milliseconds, and of how many views."""

    loads: int = 0
    more: int = 0
    sampled: int = 0
    retention_ms: int = 0
    retention_views: int = 0

    def plus(self, other: LoadSums) -> LoadSums:
        return LoadSums(*(ours + theirs for ours, theirs in zip(self, other, strict=True)))


class SketchKey(NamedTuple):
    """Whose readers a sketch holds."""

    salt: str
    slot: int
    origin: str
    location: str


class LoadBatch(NamedTuple):
    """What a process has counted of a liveblog; `number` rises by one with each batch of the run `intake`."""

    intake: str
    number: int
    beacons: int
    counts: Mapping[CountKey, LoadSums]
    readers: Mapping[SketchKey, set[int]]


def salts(unit: Unit, names: Iterable[str]) -> dict[str, bytes]:
    """The salts of these names, each made by the process that needs it first; those of the past are deleted."""
    unit.conn.execute(delete(reader_salts).where(reader_salts.c.last_use <= unit.now))
    for name in sorted(names):
        insert_new(unit.conn, reader_salts, name=name, value=secrets.token_bytes(SALT_BYTES), last_use=last_use(name))
    rows = unit.conn.execute(select(reader_salts.c.name, reader_salts.c.value))
    return {name: bytes(value) for name, value in rows}


def add(unit: Unit, game_id: str, batch: LoadBatch) -> list[SketchKey]:
    """Add the batch, unless it was added before, by a try whose outcome nobody learned.

    Returns the stored sketches that this version cannot read: they stay as they are, and count none of these readers.
    """
    noted = unit.conn.execute(
        update(beacon_intakes)
        .where(beacon_intakes.c.id == batch.intake, beacon_intakes.c.batches < batch.number)
        .values(batches=batch.number, counted=beacon_intakes.c.counted + batch.beacons, written_at=unit.now)
    )
    if noted.rowcount != 1:
        return []
    if batch.counts:
        _count(unit, game_id, batch.counts)
    return _add_readers(unit.conn, game_id, batch.readers)


def begin_intake(unit: Unit, intake: str) -> None:
    """A process begins to count."""
    zeros = dict.fromkeys(("batches", "counted", "dropped", "lost"), 0)
    unit.conn.execute(insert(beacon_intakes).values(id=intake, written_at=unit.now, **zeros))


def end_intake(unit: Unit, intake: str, *, received: int, dropped: int) -> int | None:
    """A process has ended that had received and dropped so many; note and return how many of them were lost with it.

    None for a process that did not count into this database.
    """
    counted = unit.conn.scalar(select(beacon_intakes.c.counted).where(beacon_intakes.c.id == intake))
    if counted is None:
        return None
    lost = max(0, received - dropped - int(counted))
    row = {"dropped": dropped, "lost": lost, "written_at": unit.now}
    unit.conn.execute(update(beacon_intakes).where(beacon_intakes.c.id == intake).values(**row))
    return lost


def sums(conn: Connection, game_id: str, start: int, end: int, origin: str | None = None) -> dict[int, LoadSums]:
    """What was counted from `start` on and before `end` (Unix seconds), by quarter of an hour; of one origin where it is named."""
    quarter = load_counts.c.slot - load_counts.c.slot % literal_column(str(QUARTER))  # PostgreSQL compares the texts
    where = [load_counts.c.game_id == game_id, load_counts.c.slot >= start, load_counts.c.slot < end]
    where += [] if origin is None else [load_counts.c.origin == origin]
    query = select(quarter.label("quarter"), *_summed_columns()).where(*where).group_by(quarter)
    return {row[0]: LoadSums(*map(int, row[1:])) for row in conn.execute(query)}


def sums_by_place(conn: Connection, game_id: str, origin: str | None = None) -> dict[str, LoadSums]:
    """What was ever counted by origin, or by page of the origin that is named; `""` for what nobody knows.

    Of days that are rolled up, and of the quarters and minutes since: as many rows as the liveblog has days and pages.
    """
    until = select(load_rollups.c.until).where(load_rollups.c.game_id == game_id).scalar_subquery()
    parts = []
    for table, more in ((load_days, []), (load_counts, [load_counts.c.slot >= func.coalesce(until, 0)])):
        place = table.c.origin if origin is None else table.c.location
        where = [table.c.game_id == game_id, *more, *([] if origin is None else [table.c.origin == origin])]
        parts.append(select(place.label("place"), *(table.c[name] for name in SUMS)).where(*where))
    found = union_all(*parts).subquery()
    query = select(found.c.place, *(func.sum(found.c[name]) for name in SUMS)).group_by(found.c.place)
    return {row[0]: LoadSums(*map(int, row[1:])) for row in conn.execute(query)}


def months_counted(conn: Connection, game_id: str) -> list[str]:
    """The months under whose salts the liveblog may have readers, by their names (`2026-11`), oldest first."""
    of_game = reader_sketches.c.game_id == game_id
    first, last = (conn.scalar(select(pick(reader_sketches.c.salt)).where(of_game)) for pick in (func.min, func.max))
    return months_between(first, last) if first and last else []


def sketches(
    conn: Connection, game_id: str, salts: Sequence[str], *, start: int, end: int, origin: str | None = None
) -> list[tuple[SketchKey, bytes]]:
    """Stored sketches under these salts, of slots from `start` on and before `end`, maybe of one origin."""
    table = reader_sketches.c
    where = [table.game_id == game_id, table.salt.in_(salts), table.slot >= start, table.slot < end]
    where += [] if origin is None else [table.origin == origin]
    query = select(table.salt, table.slot, table.origin, table.location, table.sketch).where(*where)
    return [(SketchKey(*row[:4]), bytes(row[4])) for row in conn.execute(query)]


def page(conn: Connection, game_id: str, after: CountKey | None, limit: int) -> list[tuple[CountKey, LoadSums]]:
    """Rows of the liveblog in the order of time and place, from the one after `after` on."""
    table = load_counts.c
    query = select(table.slot, table.origin, table.location, *(table[name] for name in SUMS)).where(
        table.game_id == game_id
    )
    if after is not None:
        same_slot = (table.origin > after.origin) | ((table.origin == after.origin) & (table.location > after.location))
        query = query.where((table.slot > after.slot) | ((table.slot == after.slot) & same_slot))
    rows = conn.execute(query.order_by(table.slot, table.origin, table.location).limit(limit))
    return [(CountKey(*row[:3]), LoadSums(*row[3:])) for row in rows]


def roll_up(unit: Unit, before: int, *, limit: int = PURGED) -> bool:
    """Add minutes from before that time to their quarters of an hour, `limit` rows at most; whether there may be more."""
    table = load_counts.c
    query = select(table.game_id, table.slot, table.origin, table.location, *(table[name] for name in SUMS))
    minute = (table.slot % literal_column(str(QUARTER))) != literal_column("0")  # as the index of minutes says it
    minutes = query.where(table.slot < before - before % QUARTER, minute).order_by(table.slot).limit(limit)
    rows = unit.conn.execute(minutes.with_for_update()).all()
    quarters: dict[tuple[str, CountKey], LoadSums] = defaultdict(LoadSums)
    for row in rows:
        key = row.game_id, CountKey(row.slot - row.slot % QUARTER, row.origin, row.location)
        quarters[key] = quarters[key].plus(LoadSums(*row[4:]))
        same = (column == value for column, value in zip(load_counts.primary_key, row[:4], strict=True))
        unit.conn.execute(delete(load_counts).where(*same))
    _add_sums(unit.conn, quarters)
    return len(rows) == limit


def roll_up_day(unit: Unit, now: int) -> bool:
    """Add up one day of one liveblog that has been over for a day; whether there may be more.

    A process that adds to that day later adds to its sum as well; so late a process of an older version would be that holds
    what it counted back for a day.
    """
    table = load_rollups.c
    due = select(table.game_id, table.until).where(table.due_at <= now).order_by(table.due_at).limit(1)
    row = unit.conn.execute(due.with_for_update(skip_locked=True)).first()
    if row is None:
        return False
    over = now - now % DAY - DAY
    counted = load_counts.c.game_id == row.game_id, load_counts.c.slot >= row.until
    first = unit.conn.scalar(select(func.min(load_counts.c.slot)).where(*counted))
    if first is None or first >= over:
        due_at = None if first is None else _due_at(first)
        _set_rollup(unit, row.game_id, until=max(over, row.until), due_at=due_at)
    else:
        day = first - first % DAY
        place = load_counts.c.origin, load_counts.c.location
        query = select(*place, *_summed_columns()).where(*counted, load_counts.c.slot < day + DAY).group_by(*place)
        rows = unit.conn.execute(query).all()
        days = {(row.game_id, CountKey(day, *each[:2])): LoadSums(*map(int, each[2:])) for each in rows}
        _add_sums(unit.conn, days, load_days)
        _set_rollup(unit, row.game_id, until=day + DAY)
    return True


def purge(unit: Unit, before: int, *, limit: int = PURGED) -> bool:
    """Forget what was counted before the day (UTC) of that time, or for a deleted liveblog, and old runs.

    Returns whether there may be more.
    """
    before -= before % DAY
    unit.conn.execute(delete(beacon_intakes).where(beacon_intakes.c.written_at < before))
    unit.conn.execute(delete(reader_salts).where(reader_salts.c.last_use <= unit.now))
    full = False
    for table in (load_counts, load_days, reader_sketches):
        key = tuple(table.primary_key)
        old = unit.conn.execute(select(*key).where(table.c.slot < before).limit(limit)).all()
        gone = unit.conn.execute(select(*key).where(table.c.game_id.in_(DELETED_GAMES)).limit(limit)).all()
        for row in {*map(tuple, old), *map(tuple, gone)}:
            unit.conn.execute(delete(table).where(*(column == value for column, value in zip(key, row, strict=True))))
        full = full or limit in {len(old), len(gone)}
    if not full:
        of = load_rollups.c
        for gone_too in (of.due_at.is_(None) & (of.until <= before), of.game_id.in_(DELETED_GAMES)):
            unit.conn.execute(delete(load_rollups).where(gone_too))
    return full


def _count(unit: Unit, game_id: str, counts: Mapping[CountKey, LoadSums]) -> None:
    """Add to the counts, and of days that are rolled up to their sums as well."""
    rollup = _locked_rollup(unit, game_id)
    _add_sums(unit.conn, {(game_id, key): sums for key, sums in counts.items()})
    late: dict[tuple[str, CountKey], LoadSums] = defaultdict(LoadSums)
    for key, sums in counts.items():
        if key.slot < rollup.until:
            day = game_id, key._replace(slot=key.slot - key.slot % DAY)
            late[day] = late[day].plus(sums)
    _add_sums(unit.conn, late, load_days)
    first = min((key.slot for key in counts if key.slot >= rollup.until), default=None)
    if first is not None and (rollup.due_at is None or _due_at(first) < rollup.due_at):
        _set_rollup(unit, game_id, due_at=_due_at(first))


def _locked_rollup(unit: Unit, game_id: str) -> Any:
    """How far the liveblog is rolled up: `until` and `due_at`."""
    query = select(load_rollups.c.until, load_rollups.c.due_at).where(load_rollups.c.game_id == game_id)
    found = unit.conn.execute(query.with_for_update()).first()
    if found is None:
        insert_new(unit.conn, load_rollups, game_id=game_id, until=0, due_at=None)
        found = unit.conn.execute(query.with_for_update()).one()
    return found


def _set_rollup(unit: Unit, game_id: str, **values: int | None) -> None:
    unit.conn.execute(update(load_rollups).where(load_rollups.c.game_id == game_id).values(**values))


def _due_at(slot: int) -> int:
    """When the day of that slot has been over for a day."""
    return slot - slot % DAY + 2 * DAY


def _summed_columns() -> list[Any]:
    return [func.sum(load_counts.c[name]) for name in SUMS]


def _add_sums(conn: Connection, counted: Mapping[tuple[str, CountKey], LoadSums], table: Table = load_counts) -> None:
    rows = [
        {"game_id": game_id, **key._asdict(), **counted[game_id, key]._asdict()} for game_id, key in sorted(counted)
    ]
    write_batch(conn, add_numbers(table, rows))


def _add_readers(conn: Connection, game_id: str, readers: Mapping[SketchKey, set[int]]) -> list[SketchKey]:
    """Add the readers to the sketches; those that are of another version."""
    keys = sorted(readers)
    empty = [{"game_id": game_id, **key._asdict(), "sketch": b""} for key in keys]
    write_batch(conn, insert_ignore(reader_sketches, empty))
    grown, unread = [], []
    for key, stored in _locked_sketches(conn, game_id, keys):
        try:
            sketch = ReaderSketch(stored)
        except ValueError:
            unread.append(key)
            continue
        if sketch.add(readers[key]):
            grown.append({"game_id": game_id, **key._asdict(), "sketch": sketch.to_bytes()})
    write_batch(conn, update_rows(reader_sketches, grown))
    return unread


def _locked_sketches(conn: Connection, game_id: str, keys: Sequence[SketchKey]) -> list[tuple[SketchKey, bytes]]:
    """These sketches, less those that were forgotten meanwhile, in an order that all processes lock them in."""
    table = reader_sketches.c
    names = (table.salt, table.slot, table.origin, table.location)
    same = table.game_id == game_id, tuple_(*names).in_(keys)
    rows = conn.execute(select(*names, table.sketch).where(*same).order_by(*names).with_for_update())
    return [(SketchKey(*row[:4]), bytes(row[4])) for row in rows]
