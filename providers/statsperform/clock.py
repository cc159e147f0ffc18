"""Reads where a match of Stats Perform's stands: status, clock, and the starts and ends of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.match.match import PERIOD_KEY, Clock, Incident, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.statsperform.catalog import BEFORE, END, MARKS, OVER, PERIODS, PLACES
from providers.statsperform.payload import Row, moment_of

LAST, SHOOTOUT = 2, 5
"""The part with which a match ends that has no extra time, and the shoot-out."""


@dataclass(frozen=True, slots=True)
class Whistles:
    """When a part began and ended, Unix seconds; None where that is not known, or has not happened."""

    start: int | None
    end: int | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a match's course. `part`: the part that runs or ran last, 0 before the first; `in_break`: after it."""

    status: Status
    part: int
    in_break: bool
    whistles: Mapping[int, Whistles]
    awarded: bool
    """The result is one by decision."""


def course(details: Row, faults: FaultCollector, names: Mapping[str, str]) -> Course:
    """The course of a match, from its status, its `periodId` and its parts."""
    whistles = _whistles(details, faults)
    named = faults.try_read(lambda: details.needed("matchStatus").text("matchStatus"), keep=MARKS)
    period = faults.try_read(details.number, "periodId", keep=MARKS)
    part, in_break = _place(period, whistles, faults)
    status = _status(named, part, faults, names, in_break=in_break)
    if (part or status.running or status.over) and details.data.get("period") is None:
        faults.add(details.at("period"), "missing", keep=MARKS)
    in_break = in_break and status is not Status.FINISHED
    return Course(status, part, in_break, whistles, awarded=named == names["status_awarded"])


def _whistles(details: Row, faults: FaultCollector) -> dict[int, Whistles]:
    found: dict[int, Whistles] = {}
    for at, item in enumerate(faults.try_read(details.items, "period", keep=MARKS) or ()):
        row = faults.try_read(Row.of, item, f"period.{at}.", keep=MARKS)
        part = None if row is None else faults.try_read(_part, row, keep=MARKS)
        if row is None or part is None:
            continue
        keys = [f"{PERIOD_KEY}{PERIODS[part].start}", f"{PERIOD_KEY}{PERIODS[part].end}", f"{PERIOD_KEY}{END}"]
        start, end = (faults.try_read(row.moment, name, keep=keys) for name in ("start", "end"))
        found[part] = Whistles(start, end, ended=row.data.get("end") is not None)
    return found


def _part(row: Row) -> int:
    part = row.needed("id").number("id")
    if part is None or part not in PERIODS:
        raise ValueMismatch(row.at("id"), f"unknown part {part}")
    return part


def _place(period: int | None, whistles: Mapping[int, Whistles], faults: FaultCollector) -> tuple[int, bool]:
    """(the part that runs or ran last, whether it has ended): of an unknown number what the parts say."""
    if period in PLACES:
        return PLACES[period]
    if period not in {None, BEFORE, OVER}:
        faults.add("periodId", f"unknown part {period}", keep=MARKS)
    last = max(whistles, default=0)
    return last, last in whistles and whistles[last].ended


def _status(
    named: str | None, part: int, faults: FaultCollector, names: Mapping[str, str], *, in_break: bool
) -> Status:
    running = Status.SHOOTOUT if part == SHOOTOUT else Status.BREAK if in_break else Status.LIVE
    suspended = Status.BREAK if part else Status.POSTPONED
    meanings = {"planned": Status.SCHEDULED, "running": running, "over": Status.FINISHED, "awarded": Status.FINISHED,
                "postponed": Status.POSTPONED, "cancelled": Status.CANCELLED, "abandoned": Status.ABANDONED,
                "suspended": suspended}  # fmt: skip
    known = {names[f"status_{name}"]: status for name, status in meanings.items()}
    if named in known:
        return known[named]
    if named is not None:
        faults.add("matchStatus", f"unknown status {named[:40]!r}", keep=MARKS)
    return running if part else Status.SCHEDULED


def clock(of: Course) -> Clock:
    """The state of play; the shoot-out has no clock of its own."""
    phase = min(of.part, SHOOTOUT - 1)
    known = _whistles_of(of, phase)
    ended = known.end if of.in_break else None
    return Clock(phase=phase, phase_started_at=known.start, in_break=of.in_break, break_started_at=ended)


def marks(of: Course) -> tuple[Incident, ...]:
    """The starts and ends of the parts: sent ones with their times, and those that must have happened before."""
    played = {1, LAST, of.part, *of.whistles}
    parts = [each for each in PERIODS if each <= of.part and each in played]
    starts = [
        _mark(PERIODS[each].start, PERIODS[each].start_minute, each, _whistles_of(of, each).start) for each in parts
    ]
    over = parts if of.in_break else parts[:-1]
    ends = [_end(of, PERIODS[each].end, each) for each in over if each != SHOOTOUT]
    last = parts[-1:] if of.status is Status.FINISHED else []
    return (*starts, *ends, *(_end(of, END, each) for each in last))


def _whistles_of(of: Course, part: int) -> Whistles:
    return of.whistles.get(part, Whistles(None, None, ended=False))


def _end(of: Course, kind: str, part: int) -> Incident:
    return _mark(kind, PERIODS[part].end_minute, part, _whistles_of(of, part).end)


def _mark(kind: str, minute: int, phase: int, at: int | None) -> Incident:
    return Incident(
        key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, minute=minute, phase=phase, created_at=at, synthesised=at is None
    )


def kickoff(info: Row, faults: FaultCollector) -> tuple[int | None, bool]:
    """(Unix seconds, whether the hour is open): `date` and `time` in UTC, both ending in Z; without an hour midnight."""
    day, hour = faults.try_read(info.text, "date"), faults.try_read(info.text, "time")
    if day is None:
        return None, False
    text = f"{day.removesuffix('Z')}T{hour or '00:00:00Z'}"
    return faults.try_read(moment_of, text, "date"), hour is None
