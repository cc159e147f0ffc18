"""Numbers of a liveblog's readers from what is stored: sums by quarter of an hour, and sketches of how many people they were.

Readers are recognised within a month. What is longer is the sum of its months: a reader of two months counts twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import reduce

from sqlalchemy import Connection

from mapping.statistics.documents import StatisticsOverview, StatisticsPeriod, StatisticsPlace, VisitorMetrics
from mapping.statistics.periods import Period, month_span, utc_day
from mapping.statistics.reader_sketch import ReaderSketch, unite_sketches
from store.statistics import statistics
from store.statistics.statistics import LoadSums, SketchKey

Found = list[tuple[SketchKey, bytes]]


EVER = 1 << 40
"""An instant after all others, in Unix seconds."""
MOST_PLACES = 1000
"""Origins or pages in one list."""
LONGEST_DAY = 26 * 3600


def overview(conn: Connection, game_id: str) -> StatisticsOverview:
    """The readers of a liveblog since its beginning."""
    counted = reduce(LoadSums.plus, statistics.sums_by_place(conn, game_id).values(), LoadSums())
    return StatisticsOverview(visitor_metrics=_metrics(counted, _of_months(_ever(conn, game_id))))


def periods(conn: Connection, game_id: str, *, wanted: Sequence[Period], origin: str | None) -> list[StatisticsPeriod]:
    """The readers of each of these periods, which follow one another and are all months, all days or all hours."""
    if not wanted:
        return []
    start, end = wanted[0].start, wanted[-1].end
    monthly = wanted[0].end - start > LONGEST_DAY
    counted: dict[int, LoadSums] = defaultdict(LoadSums)
    for slot, sums in statistics.sums(conn, game_id, start, end, origin).items():
        at = _holding(wanted, slot)
        counted[at] = counted[at].plus(sums)
    readers: dict[int, list[bytes]] = defaultdict(list)
    salts = [each.id if monthly else utc_day(each.start) for each in wanted]
    for key, sketch in statistics.sketches(conn, game_id, sorted({*salts}), start=start, end=end, origin=origin):
        at = _holding(wanted, key.slot)
        if key.salt == salts[at]:
            readers[at].append(sketch)
    return [
        StatisticsPeriod(
            id=each.id,
            start_ts=each.start * 1000,
            visitor_metrics=_metrics(counted[at], _uniques(readers[at])),
        )
        for at, each in enumerate(wanted)
    ]


def places(conn: Connection, game_id: str, origin: str | None = None) -> list[StatisticsPlace]:
    """Origins, or the pages of one, those with most loads first; what came from nowhere that is known is in no list."""
    counted = statistics.sums_by_place(conn, game_id, origin)
    known = sorted((name for name in counted if name), key=lambda name: (-_loads(counted[name]), name))[:MOST_PLACES]
    readers: dict[str, Found] = defaultdict(list)
    for key, sketch in _ever(conn, game_id, origin):
        readers[key.origin if origin is None else key.location].append((key, sketch))
    return [
        StatisticsPlace(normalized_url=name, visitor_metrics=_metrics(counted[name], _of_months(readers[name])))
        for name in known
    ]


def _ever(conn: Connection, game_id: str, origin: str | None = None) -> Found:
    months = statistics.months_counted(conn, game_id)
    return statistics.sketches(conn, game_id, months, start=0, end=EVER, origin=origin)


def _of_months(found: Found) -> int:
    """The readers of each month (UTC), added up."""
    months: dict[str, list[bytes]] = defaultdict(list)
    for key, sketch in found:
        start, end = month_span(key.salt)
        if start <= key.slot < end:
            months[key.salt].append(sketch)
    return sum(map(_uniques, months.values()))


def _uniques(stored: Iterable[bytes]) -> int:
    """How many readers they were, without sketches of another version: the process that adds to those logs them."""
    read = []
    for each in stored:
        with suppress(ValueError):
            read.append(ReaderSketch(each))
    return unite_sketches(read).count()


def _holding(wanted: Sequence[Period], at: int) -> int:
    return bisect_right(wanted, at, key=lambda each: each.start) - 1


def _loads(counted: LoadSums) -> int:
    return counted.loads + counted.more


def _metrics(counted: LoadSums, uniques: int) -> VisitorMetrics:
    views = counted.retention_views
    return VisitorMetrics(
        ticker_loads=_loads(counted),
        total_uniques=uniques,
        avg_retention_ms=round(counted.retention_ms / views) if views else 0,
        samples_for_uniques=counted.sampled,
        samples_for_retention=views,
        total_views=_loads(counted),
    )
