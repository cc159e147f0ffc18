"""Reads where a match of PA's stands: the feed has words for it and no whistles, so starts and ends follow from their order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from mapping.match.match import PERIOD_KEY, Incident, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.pa.catalog import END, EXTRA, HALVES, MARKS, PARTS, STATES, State
from providers.pa.payload import LONDON, Row

HOUR_OPEN = "00:00"


class Situation(NamedTuple):
    """`part`: the part that runs or ran last, 0 before the first; `ended`: whether a break after it is certain."""

    status: Status
    part: int
    extra: bool
    ended: bool


def situation(
    match: Row, faults: FaultCollector, names: Mapping[str, str], *, reached: int = 0, extra: bool = False
) -> Situation:
    """Where the match stands, by its status, `result` and the events: the last part that these `reached`, any of it `extra`."""
    state = _state(match, reached, faults, names)
    status, part = state.status, max(state.part, reached if state.by_events else 0)
    if state.if_result is not None:
        result = faults.try_read(lambda: match.needed("result").text("result"), keep=MARKS)
        status = state.if_result if result == names["yes"] else status
    part = max(part, HALVES) if status is Status.FINISHED else part
    status = Status.SCHEDULED if status is Status.BREAK and not part else status
    # Of a word that may be the last one, nobody knows yet whether a break or nothing comes after it.
    ended = status is Status.BREAK and not state.by_events and state.if_result is None
    ended = ended or (state.by_events and part == 1 and bool(match.inner("homeTeam").data.get("htScore")))
    return Situation(status, part, HALVES < part <= EXTRA or (extra and part > HALVES), ended)


def _state(match: Row, reached: int, faults: FaultCollector, names: Mapping[str, str]) -> State:
    word = faults.try_read(lambda: match.needed("matchStatus").text("matchStatus"), keep=MARKS)
    known = {names[f"status_{name}"]: state for name, state in STATES.items()}
    if word in known:
        return known[word]
    if word is not None:
        faults.add("matchStatus", f"unknown status {word[:40]!r}", keep=MARKS)
    begun = reached > 0 or faults.try_read(match.text, "liveMatch") == names["yes"]
    return State("", Status.LIVE if begun else Status.SCHEDULED, int(begun), Status.FINISHED, by_events=True)


def marks(of: Situation) -> tuple[Incident, ...]:
    """The starts and ends of the parts that must have been, all of them made up: none is sent."""
    played = {1, HALVES, of.part} | ({HALVES + 1, EXTRA} if of.extra else set())
    parts = [each for each in sorted(played) if 0 < each <= of.part]
    over = parts if of.ended else parts[:-1]
    last = parts[-1:] if of.status is Status.FINISHED else []
    kinds = [
        *((PARTS[each].start, PARTS[each].start_minute, each) for each in parts),
        *((PARTS[each].end, PARTS[each].end_minute, each) for each in over),
        *((END, PARTS[each].end_minute, each) for each in last),
    ]
    return tuple(
        Incident(key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, minute=minute, phase=part, synthesised=True)
        for kind, minute, part in kinds
    )


def kickoff(match: Row, faults: FaultCollector) -> tuple[int | None, bool]:
    """(Unix seconds, whether the hour is open): `date` and `koTime` in British local time; midnight is no hour."""
    day = faults.try_read(lambda: match.needed("date").text("date"))
    hour = faults.try_read(match.text, "koTime")
    if day is None:
        return None, False
    return faults.try_read(_moment, f"{day} {hour or HOUR_OPEN}"), hour in {None, HOUR_OPEN}


def _moment(text: str) -> int:
    """`25/08/2014 20:00` → Unix seconds."""
    try:
        return int(datetime.strptime(text, "%d/%m/%Y %H:%M").replace(tzinfo=LONDON).timestamp())
    except (ValueError, OverflowError):
        raise ValueMismatch("date and koTime", f"date and hour expected, not {text[:20]!r}") from None
