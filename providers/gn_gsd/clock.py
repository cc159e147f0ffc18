"""Reads where a match of Global Sports Data stands, and when in it something happened."""

from __future__ import annotations

import re
from typing import NamedTuple

from mapping.match.match import Clock, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.gn_gsd.catalog import AWARDED, LAST_MINUTES, SHOOTOUT_PHASE, STAGES, STATUSES, STOPPED, WAITING, Stage
from providers.gn_gsd.names import keywords
from providers.gn_gsd.read import Node, scalar

OUTRANKING = frozenset({Status.BREAK, Status.FINISHED, Status.POSTPONED, Status.ABANDONED, Status.CANCELLED})
"""What a status says whatever the period says."""
LEAST = {Status.FINISHED: 2, Status.POSTPONED: 0}
"""Status → the phase that it has come to at least; else the first."""

WRITTEN = re.compile(r"([0-9]{1,3})['’.]?(?:\s*\+\s*([0-9]{1,2})['’.]?)?", re.ASCII)
TIMED = re.compile(r"([0-9]{1,3}):([0-5][0-9])(?:[:.][0-9]+)?", re.ASCII)
PLAIN = re.compile(r"[0-9]{1,9}", re.ASCII)
LONGEST_MINUTE = 200
"""A plain number up to here is a minute, a larger one milliseconds, unless `clock_unit` says what it is."""

UNITS = {"minutes": 0, "seconds": 60, "milliseconds": 60_000}


class State(NamedTuple):
    """`stopped`: play is, or has not gone on yet. `awarded`: the result is one by decision."""

    status: Status
    stopped: bool = False
    awarded: bool = False


class Moment(NamedTuple):
    """When something happened: running minute from 1, minutes of added time on top, phase from 1."""

    minute: int | None = None
    added: int | None = None
    phase: int | None = None


def stage(match: Node, faults: FaultCollector) -> Stage | None:
    """Where the match stands according to its period, None where it does not say."""
    given = faults.try_read(match.keywords, "period") or ()
    for key, found in STAGES.items():
        if any(keyword in keywords(match.names, key) for _, keyword in given):
            return found
    if given:
        faults.add(given[0][0], f"unknown period {given[0][1][:40]!r}")
    return None


def state(match: Node, period: Stage | None, faults: FaultCollector, *, played: bool) -> State:
    """The first known keyword of the status; the period says more of a running match. `played`: something happened."""
    word = _word(match, faults)
    stated = STATUSES.get(word)
    played = played or (period is not None and period.status is not Status.SCHEDULED)
    if word == STOPPED or (word == WAITING and played):
        running = period is not None and period.status.running
        return State(period.status if period is not None and running else Status.LIVE, stopped=True)
    if stated in OUTRANKING:
        return State(stated, awarded=word == AWARDED)
    if period is not None and not (period.status is Status.SCHEDULED and stated is not None):
        return State(period.status)
    if stated is not None:
        return State(stated)
    if faults.try_read(match.moment, "ended") is not None:
        return State(Status.FINISHED)
    return State(Status.LIVE if played or faults.try_read(match.moment, "started") is not None else Status.SCHEDULED)


def _word(match: Node, faults: FaultCollector) -> str:
    """The name of the first known keyword; empty where there is none."""
    given = faults.try_read(match.keywords, "status") or ()
    for _, keyword in given:
        for key in STATUSES:
            if keyword in keywords(match.names, key):
                return key
    if given:
        faults.add(given[0][0], f"unknown status {given[0][1][:40]!r}")
    return ""


def clock(match: Node, of: State, period: Stage | None, reached: int, faults: FaultCollector) -> Clock:
    """The phase that runs or ran last (the shoot-out is none), as far as the period or else `reached` shows it."""
    if of.status is Status.SCHEDULED:
        return Clock()
    phase = _phase_of_play(of.status, period, reached)
    if of.stopped or of.status is Status.POSTPONED:
        return Clock(phase=phase, in_break=of.status is Status.BREAK, stopped=of.stopped)
    since = faults.try_read(match.moment, "period_started") if period is not None else None
    began = faults.try_read(match.moment, "started") if phase == 1 else None
    if of.status is Status.BREAK:
        return Clock(phase=phase, phase_started_at=began, in_break=True, break_started_at=since)
    return Clock(phase=phase, phase_started_at=since if of.status is Status.LIVE and since is not None else began)


def _phase_of_play(now: Status, period: Stage | None, reached: int) -> int:
    named = period.phase if period is not None and period.phase < SHOOTOUT_PHASE else 0
    if named and not now.over:
        return named
    return max(named, reached, LEAST.get(now, 1))


def moment(action: Node, faults: FaultCollector) -> Moment:
    """When an action happened: its period, and its clock, which runs on into added time."""
    phase = faults.try_read(_phase, action)
    given = faults.try_read(_minute, action)
    if given is None:
        return Moment(phase=phase)
    minute, added = given
    if phase is None:
        return Moment(minute, added, next((at for last, at in LAST_MINUTES if minute <= last), len(LAST_MINUTES)))
    last = next((last for last, at in LAST_MINUTES if at == phase), minute)
    return Moment(last, minute - last, phase) if added is None and minute > last else Moment(minute, added, phase)


def _phase(action: Node) -> int | None:
    given = action.keywords("action_period")
    for key, found in STAGES.items():
        if found.phase and any(keyword in keywords(action.names, key) for _, keyword in given):
            return found.phase
    if given:
        raise ValueMismatch(given[0][0], f"unknown period {given[0][1][:40]!r}")
    return None


def _minute(action: Node) -> tuple[int, int | None] | None:
    """(running minute, added minutes where written apart) of `mm:ss`, `45+2`, minutes, seconds or milliseconds."""
    path, value = action.first("action_time")
    text = scalar(path, value)
    if text is None:
        return None
    if PLAIN.fullmatch(text):
        return _minute_of(int(text), action.names["clock_unit"]), None
    timed = TIMED.fullmatch(text)
    if timed is not None:
        return int(timed[1]) + 1, None
    written = WRITTEN.fullmatch(text)
    if written is None:
        raise ValueMismatch(path, f"time of the clock expected, not {text[:20]!r}")
    return max(int(written[1]), 1), int(written[2]) if written[2] else None


def _minute_of(value: int, unit: str) -> int:
    per_minute = UNITS.get(unit, UNITS["minutes" if value <= LONGEST_MINUTE else "milliseconds"])
    return value // per_minute + 1 if per_minute else max(value, 1)
