"""Under which salts a load is counted, so that readers are distinguished within each period and in none that is longer.

A salt of the day is used for its day (UTC) and the next, because a day in another zone reaches into both; every load counts
under two of them. A salt of the month is used for its month and a day before and after; within that day loads are kept by
quarters of an hour, so that a month of another zone can be put together, and in between as one.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from mapping.rules.periods import QUARTER, utc_day, utc_month

DAY = 86_400
LATE = 3600
"""Seconds for which a load may wait before it is written: salts stay for so long beyond their last one."""


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
    """The months (`2026-11`) from that of one salt through that of another, of months or of days."""
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
