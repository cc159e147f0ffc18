"""Resolves local times in nights when clocks change: which of two instants each time means.

Set back, an hour comes twice. Set forward, an hour is left out, and a provider whose clock does not follow goes on in it. The
rows beside a time and the minutes of play decide; where they do not, a time is the first that it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import TypeVar

Name = TypeVar("Name")

NIGHT = 3 * 3600
"""Seconds around a change of clocks in which times are doubtful."""
BREAK = 15
"""Minutes between the halves."""
HALF = 45
ANCHOR = 0.25
"""What a second's distance from the planned kick-off weighs beside one from the row before: kick-offs are late."""
BACK = 2.0
"""What a second weighs by which a row is earlier than the one before."""


@dataclass(frozen=True, slots=True)
class ClockChange:
    """Clocks are set forward by `seconds` at this instant (Unix seconds); back where that is negative."""

    at: int
    seconds: int

    def readings(self, moment: int) -> tuple[int, ...]:
        """The instants that a local time may mean, of which `moment` is the first."""
        begin, end = (self.at + self.seconds, self.at) if self.seconds < 0 else (self.at, self.at + NIGHT)
        return (moment, moment + abs(self.seconds)) if begin <= moment < end else (moment,)


@dataclass(frozen=True, slots=True)
class TimedRow:
    """A row with the first instant that its time may mean, and its minute of play where it has one."""

    moment: int
    minute: int | None = None


def change_within(moments: Iterable[int], zone: tzinfo) -> ClockChange | None:
    """The change of clocks around these instants, None where there is none."""
    known = list(moments)
    if not known:
        return None
    low, high = min(known) - NIGHT, max(known) + NIGHT
    before, after = _offset(low, zone), _offset(high, zone)
    if before == after:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, zone) == before else (low, middle)
    return ClockChange(high, after - before)


def settle_times(rows: Mapping[Name, TimedRow], change: ClockChange, kickoff: int | None) -> dict[Name, int]:
    """When each row really was; they stand in the order in which they were entered."""
    return dict(zip(rows, _likeliest(list(rows.values()), change, kickoff), strict=True))


def nearest(moment: int | None, to: int | None, zone: tzinfo) -> int | None:
    """The instant of those that a local time may mean that is nearest to another one; the first where that is not known."""
    change = None if moment is None or to is None else change_within((moment,), zone)
    if change is None or moment is None or to is None:
        return moment
    return min(change.readings(moment), key=lambda each: abs(each - to))


def _likeliest(rows: Sequence[TimedRow], change: ClockChange, kickoff: int | None) -> list[int]:
    """For each row the instant with which all of them fit best: the cheapest way through the readings of one after another."""
    ways = {each: (_off_plan(rows[0], each, change, kickoff), [each]) for each in change.readings(rows[0].moment)}
    for before, row in pairwise(rows):
        ways = {
            each: _best(ways, before, row, each, _off_plan(row, each, change, kickoff))
            for each in change.readings(row.moment)
        }
    return min(ways.values(), key=lambda way: way[0])[1]


Way = tuple[float, list[int]]


def _best(ways: Mapping[int, Way], before: TimedRow, row: TimedRow, moment: int, cost: float) -> Way:
    spent, path = min(
        ((spent + _step(before, row, moment - last), path) for last, (spent, path) in ways.items()),
        key=lambda way: way[0],
    )
    return spent + cost, [*path, moment]


def _step(before: TimedRow, row: TimedRow, seconds: int) -> float:
    """What it costs that a row comes so many seconds after the one before."""
    back = BACK * max(-seconds, 0)
    if not before.minute or not row.minute:
        return back
    return back + abs(seconds - _seconds_of_play(row.minute) + _seconds_of_play(before.minute))


def _off_plan(row: TimedRow, moment: int, change: ClockChange, kickoff: int | None) -> float:
    """What it costs that a row is not when it would be after a kick-off in time."""
    if kickoff is None or not row.minute:
        return 0.0
    played = _seconds_of_play(row.minute)
    return ANCHOR * min(abs(moment - each - played) for each in change.readings(kickoff))


def _seconds_of_play(minute: int) -> int:
    """Seconds from kick-off to a minute of play."""
    return 60 * (minute - 1 + (BREAK if minute > HALF else 0))


def _offset(moment: int, zone: tzinfo) -> int:
    offset = datetime.fromtimestamp(moment, UTC).astimezone(zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())
