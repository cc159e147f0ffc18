"""The periods of statistics by the clock of a time zone, and under which salts a load is counted in them.

Readers are distinguished within each period and in none that is longer.

A salt of the day is used for its day (UTC) and the next, because a day in another zone reaches into both; every load counts
under two of them. A salt of the month is used for its month and a day before and after; within that day loads are kept by
quarters of an hour, so that a month of another zone can be put together, and in between as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

DAY = 86_400
LATE = 3600
"""Seconds for which a load may wait before it is written: salts stay for so long beyond their last one."""


QUARTER = 900
"""Seconds. Since 1973 every zone's clock differs from UTC by whole quarters of an hour, so periods are made of them."""
OLDEST, YOUNGEST = 2000, 2999
"""Years that can be requested."""
WRITTEN = "^2[0-9]{3}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
"""How a year, month or day is written; whether there is such a day no pattern says."""
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


class SaltSlot(NamedTuple):
    """A salt by its name (`2026-11-23` or `2026-11`), and the slot under it by its start in Unix seconds."""

    salt: str
    slot: int


def day_slots(at: int) -> tuple[SaltSlot, SaltSlot]:
    """The slots of the two salts of days under which a load of that instant counts."""
    slot = at - at % QUARTER
    return SaltSlot(utc_day(at), slot), SaltSlot(utc_day(at - DAY), slot)


def month_slots(at: int) -> list[SaltSlot]:
    """The slots of the salts of months: one, and near the end of a month that of the neighbour too."""
    quarter, month = at - at % QUARTER, utc_month(at)
    start, end = month_span(month)
    if start + DAY <= at < end - DAY:
        return [SaltSlot(month, start + DAY)]
    return [SaltSlot(name, quarter) for name in sorted({utc_month(at - DAY), month, utc_month(at + DAY)})]


def month_span(month: str) -> tuple[int, int]:
    """Start and end of a month in UTC."""
    first = datetime.fromisoformat(f"{month}-01").replace(tzinfo=UTC)
    beyond = (first + timedelta(days=32)).replace(day=1)
    return int(first.timestamp()), int(beyond.timestamp())


def months_between(first: str, last: str) -> list[str]:
    """The months (`2026-11`) from that of one salt through that of another, of months or of days.

    From `2026-11-28` through `2027-01` there are three.
    """
    found, month = [], first[: len("2026-11")]
    while month <= last[: len("2026-11")]:
        found.append(month)
        month = utc_month(month_span(month)[1])
    return found


def last_use(salt: str) -> int:
    """When a salt is not used any more, in Unix seconds."""
    if len(salt) == len("2026-11"):
        return month_span(salt)[1] + DAY + LATE
    return int(datetime.fromisoformat(salt).replace(tzinfo=UTC).timestamp()) + 2 * DAY + LATE


class Period(NamedTuple):
    """From `start` on and before `end`, in Unix seconds; `id` is ISO 8601, as short as the period is long."""

    id: str
    start: int
    end: int


class Calendar(NamedTuple):
    """What is requested: a year, a month of it or a day of that."""

    year: int
    month: int | None = None
    day: int | None = None

    def periods(self, zone: ZoneInfo) -> list[Period]:
        """The months, days or hours. An hour that the clock has twice is there twice, with the offsets in their ids."""
        if self.month is None:
            return [_of_days(f"{self.year:04}-{month:02}", *_month(self.year, month), zone) for month in range(1, 13)]
        if self.day is None:
            first, beyond = _month(self.year, self.month)
            days = (first + timedelta(days) for days in range((beyond - first).days))
            found = (_of_days(day.isoformat(), day, day + timedelta(1), zone) for day in days)
            return [each for each in found if each.start < each.end]  # a zone that changed sides never had a day
        day = date(self.year, self.month, self.day)
        return _hours(_of_days(day.isoformat(), day, day + timedelta(1), zone), zone)


def calendar(text: str) -> Calendar:
    """The year (`YYYY`), month (`YYYY-MM`) or day (`YYYY-MM-DD`) that the text names; raises ValueError."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError("expects a year, a month or a day: YYYY, YYYY-MM or YYYY-MM-DD")
    year, month, day = (None if part is None else int(part) for part in found.groups())
    if year is None or not OLDEST <= year <= YOUNGEST:
        raise ValueError(f"expects a year from {OLDEST} to {YOUNGEST}")
    date(year, month or 1, day if day is not None else 1)
    return Calendar(year, month, day)


def utc_day(at: int) -> str:
    """The day of an instant in UTC: `2026-11-22`."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def utc_month(at: int) -> str:
    """The month of an instant in UTC: `2026-11`."""
    return utc_day(at)[:7]


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)


def _of_days(name: str, first: date, beyond: date, zone: ZoneInfo) -> Period:
    """Where the clock jumps over a midnight, the day begins at the jump."""
    start, end = (int(datetime.combine(day, time(), zone).timestamp()) for day in (first, beyond))
    return Period(name, start, end)


def _hours(day: Period, zone: ZoneInfo) -> list[Period]:
    found = list(_spans(day, zone))
    names = [name for name, _, _, _ in found]
    return [
        Period(f"{name}{offset}" if names.count(name) > 1 else name, start, end) for name, offset, start, end in found
    ]


def _spans(day: Period, zone: ZoneInfo) -> Iterator[tuple[str, str, int, int]]:
    """Spans in which the hour on the clock and its distance from UTC stay the same."""
    start = day.start
    while start < day.end:
        reading, end = _reading(start, zone), start
        while end < day.end and _reading(end, zone) == reading:
            end += QUARTER
        yield *reading, start, end
        start = end


def _reading(at: int, zone: ZoneInfo) -> tuple[str, str]:
    local = datetime.fromtimestamp(at, zone).isoformat()
    return local[:13], local[19:]
