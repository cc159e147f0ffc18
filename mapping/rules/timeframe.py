"""The time frames of a search as spans of Unix seconds, by the days of a time zone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal, get_args
from zoneinfo import ZoneInfo

Timeframe = Literal[
    "today", "tomorrow", "thisweek", "nextweek", "thismonth", "nextmonth", "upcoming", "current", "future",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "all", "past",
]  # fmt: skip
TIMEFRAMES: tuple[Timeframe, ...] = get_args(Timeframe)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

CURRENT = 12 * 3600
"""Seconds after its start for which a liveblog counts as going on."""
UPCOMING = 7
"""Days, today included, that are upcoming."""

Days = tuple[date, date]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From `start` on and before `end`, in Unix seconds; None is open."""

    start: int | None = None
    end: int | None = None

    def holds(self, instant: int) -> bool:
        return (self.start is None or self.start <= instant) and (self.end is None or instant < self.end)


def span(frame: Timeframe, now: int, zone: ZoneInfo) -> TimeSpan:
    """When a liveblog of the time frame starts. Weeks begin on Monday; a weekday is the next one, today included."""
    today = datetime.fromtimestamp(now, zone).date()
    if frame in DAYS:
        first, beyond = DAYS[frame](today)
        return TimeSpan(_midnight(first, zone), _midnight(beyond, zone))
    return {
        "upcoming": TimeSpan(now, _midnight(_later(today, UPCOMING), zone)),
        "current": TimeSpan(now - CURRENT, now + 1),
        "future": TimeSpan(now),
        "past": TimeSpan(None, now),
        "all": TimeSpan(),
    }[frame]


def _midnight(day: date, zone: ZoneInfo) -> int:
    """The first instant of the day; where the clock jumps over midnight, the instant of the jump."""
    return int(datetime.combine(day, time(), zone).timestamp())


def _later(day: date, days: int) -> date:
    return day + timedelta(days=days)


def _days(offset: int) -> Callable[[date], Days]:
    return lambda today: (_later(today, offset), _later(today, offset + 1))


def _weeks(offset: int) -> Callable[[date], Days]:
    return lambda today: (
        _later(today, 7 * offset - today.weekday()),
        _later(today, 7 * (offset + 1) - today.weekday()),
    )


def _months(offset: int) -> Callable[[date], Days]:
    return lambda today: (_month(today, offset), _month(today, offset + 1))


def _month(today: date, offset: int) -> date:
    months = today.year * 12 + today.month - 1 + offset
    return date(months // 12, months % 12 + 1, 1)


def _weekday(index: int) -> Callable[[date], Days]:
    return lambda today: _days((index - today.weekday()) % 7)(today)


DAYS: Mapping[str, Callable[[date], Days]] = {
    "today": _days(0),
    "tomorrow": _days(1),
    "thisweek": _weeks(0),
    "nextweek": _weeks(1),
    "thismonth": _months(0),
    "nextmonth": _months(1),
    **{name: _weekday(index) for index, name in enumerate(WEEKDAYS)},
}
"""The frames that are whole days: today → the first day and the day after the last."""
