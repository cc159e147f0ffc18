"""Reads where a match of HEIM:SPIEL stands: status, clock, phases, and the starts and ends of periods, sent or implied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import TypeVar

from mapping.match.match import Clock, Incident, Status
from providers.fault_collector import FaultCollector, read_if_fits
from providers.heim.catalog import PERIOD_KEYS, PERIODS, Period
from providers.heim.payload import MATCH, Found
from providers.heim.read import RUNNING, Event, Row, seconds, table
from providers.match_lists import Candidate

T = TypeVar("T")

ABANDONED_END = ("game-start", "game-end")
"""Of a match that was broken off nothing is known but that it began and ended."""

LAST_MINUTES = ((45, 1), (90, 2), (105, 3), (120, 4))
"""The feed caps the minute at the end of its phase, so it shows the phase."""


PLAY = {kind: period for kind, period in PERIODS.items() if period.starts and period.phase <= len(LAST_MINUTES)}
"""The starts of phases with a clock: the shoot-out has none."""


def current_period(match: Row, faults: FaultCollector, markers: Mapping[str, Incident]) -> str:
    """The kind of the last period row according to the match, `""` before the start.

    Bodies of list resources do not have it; there the last period row among the events does.
    """
    kind = named_period(match, faults, PERIOD_KEYS)
    if not match.has("current_period"):
        return max(markers, key=lambda kind: list(PERIODS).index(kind), default="")
    if kind and kind not in PERIODS:
        faults.add("current_period", f"unknown period {kind[:40]!r}", keep=PERIOD_KEYS)
    return kind


def named_period(match: Row, faults: FaultCollector, keep: Iterable[str]) -> str:
    """`current_period`, `""` before the start. Only bodies of list resources lack it, together with the minute.

    `keep`: keys of the incidents that it implies.
    """
    if match.data.get("current_period") is None and (match.has("current_period") or match.has("current_minute")):
        faults.add("current_period", "missing", keep=keep)
    return faults.try_read(match.text, "current_period", keep=keep) or ""


def is_finished(match: Row, faults: FaultCollector, keep: Iterable[str]) -> bool:
    """The flag, which every match has. `keep`: keys of the incidents that it implies."""
    return bool(faults.try_read(match.needed_flag, "finished", keep=keep))


def status(match: Row, period: str, faults: FaultCollector, names: Mapping[str, str]) -> Status:
    """From `finished`, `current_period` and `match_incident`, the only three fields that the feed has for it."""
    over = is_finished(match, faults, PERIOD_KEYS) or period == "game-end"
    special = special_status(names, incident_of(match, faults, names, PERIOD_KEYS))
    if special is not None and special.over:
        return special
    if over:
        return Status.FINISHED
    if period:
        return _running_status(period)
    return special or Status.SCHEDULED


def _running_status(period: str) -> Status:
    if period == "penalty-start":
        return Status.SHOOTOUT
    marker = PERIODS.get(period)
    return Status.LIVE if marker is None or marker.starts else Status.BREAK


def special_status(names: Mapping[str, str], incident: str | None) -> Status | None:
    """Abandoned, cancelled or postponed, by the id of the `match_incident`; None for any other."""
    known = (Status.ABANDONED, Status.CANCELLED, Status.POSTPONED)
    return next((each for each in known if incident and incident == names[f"incident_{each.value}"]), None)


def incident_of(match: Row, faults: FaultCollector, names: Mapping[str, str], keep: Iterable[str]) -> str | None:
    """Id of what is special about the match's course (postponed, after extra time, …); most matches have none.

    `keep`: keys of the incidents that it implies.
    """
    row = faults.try_read(match.part, "match_incident", keep=keep)
    found = faults.try_read(row.needed_ident, "id", keep=keep) if row is not None else None
    if row is not None and found and found not in [id_ for name, id_ in names.items() if name.startswith("incident_")]:
        faults.add(row.at("id"), f"unknown incident {found!r}", keep=keep)
    return found


def clock(period: str, since: int | None, markers: Mapping[str, Incident]) -> Clock:
    """The phase that runs or ran last (the shoot-out is none), since when, and whether there is a break.

    `since` (Unix seconds): when `period`, the last period row, was.
    """
    marker = PERIODS.get(period)
    if marker is None:
        return Clock()
    phase = _phase_of_play(marker, markers)
    start = next(kind for kind, spec in PLAY.items() if spec.phase == phase)
    started = _moment(markers, start)
    if period == start:
        return Clock(phase=phase, phase_started_at=since if since is not None else started)
    if marker.starts or period == "game-end":
        return Clock(phase=phase, phase_started_at=started)
    ended = _moment(markers, period)
    return Clock(
        phase=phase, phase_started_at=started, in_break=True, break_started_at=ended if ended is not None else since
    )


def _phase_of_play(marker: Period, markers: Mapping[str, Incident]) -> int:
    if marker.kind not in ("penalty-start", "game-end"):
        return marker.phase
    return max((PERIODS[kind].phase for kind in markers if kind in PLAY), default=2)


def _moment(markers: Mapping[str, Incident], kind: str) -> int | None:
    return markers[kind].created_at if kind in markers else None


def kickoff(match: Row, zone: tzinfo, faults: FaultCollector) -> int | None:
    """Unix seconds; None while the day or the hour is not fixed."""
    day = faults.try_read(match.text, "match_date")
    hour = faults.try_read(match.text, "match_time")
    if day is None or hour is None or hour == "unknown":
        return None
    return faults.try_read(
        lambda: seconds(f"{day} {hour}", ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"), zone, "match_date")
    )


def is_open(match: Row) -> bool:
    """Whether the hour is 00:00, which stands for "not fixed" (assumed); of a match that has begun it is a real one (recorded)."""
    return match.data.get("match_time") in ("00:00", "00:00:00")


def phase_of_minute(minute: int) -> int:
    """The phase that a capped minute belongs to."""
    return next((phase for last, phase in LAST_MINUTES if minute <= last), len(LAST_MINUTES))


def phases(rows: Sequence[tuple[T, int | None, str | None]]) -> Mapping[T, int]:
    """The phase of each row that has a minute, from (row, minute, kind of a period row) in the feed's order.

    The minute decides; a row on the last minute of a phase, but behind the start of the next, belongs to that.
    """
    found: dict[T, int] = {}
    reached = 0
    for row, minute, kind in sorted(_rows_with_minute(rows), key=lambda timed: timed[1]):
        if kind is not None and kind in PERIODS:
            reached = max(reached, PERIODS[kind].phase) if PERIODS[kind].starts else reached
            continue
        phase = phase_of_minute(minute)
        on_the_edge = any(minute == last for last, _ in LAST_MINUTES)
        beyond = minute >= LAST_MINUTES[-1][0] and reached > phase
        found[row] = reached if beyond or (on_the_edge and reached == phase + 1) else phase
    return found


def _rows_with_minute(rows: Iterable[tuple[T, int | None, str | None]]) -> list[tuple[T, int, str | None]]:
    return [(row, minute, kind) for row, minute, kind in rows if minute is not None]


def sent_markers(events: Iterable[Event]) -> Mapping[str, Incident]:
    """Kind → incident of the feed's period rows; of two rows for one period the later stands."""
    latest: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: (event.created_at or 0, int(event.id))):
        if event.action == "match" and event.kind in PERIODS:
            latest[event.kind] = event
    return {kind: _marker(PERIODS[kind], event) for kind, event in latest.items()}


def _marker(period: Period, event: Event) -> Incident:
    return Incident(
        key=period.key,
        kind=period.type,
        order=event.position,
        minute=event.minute,
        added=event.added,
        phase=event.period or period.phase,
        created_at=event.created_at,
    )


def implied_kinds(current: str, status: Status, course: Iterable[str] = ()) -> frozenset[str]:
    """The kinds that must have happened; extra time only where the status has been in it.

    `course`: kinds that a finished match went through according to its result.
    """
    if status is Status.FINISHED:
        return frozenset().union(*(_before(kind) for kind in (current, "game-end", *course)))
    if status.over and current == "game-end":
        return frozenset(ABANDONED_END)
    return _before(current) if status.running or status.over else frozenset()


def course(names: Mapping[str, str], ending: str | None, *, extra_time: bool) -> tuple[str, ...]:
    """Kinds that a match with this `match_incident` went through; `extra_time`: its result knows 120 minutes."""
    if ending is None:
        return ()
    if ending == names["incident_shootout"]:
        return ("penalty-start", "second-extra-end") if extra_time else ("penalty-start",)
    return ("second-extra-start",) if ending == names["incident_extra_time"] else ()


def _before(kind: str) -> frozenset[str]:
    """The kind and all that must have happened before it."""
    period = PERIODS.get(kind)
    if period is None:
        return frozenset()
    return frozenset({kind}).union(*(_before(earlier) for earlier in period.after))


def complete_markers(
    markers: Mapping[str, Incident], wanted: frozenset[str], current: str, current_since: int | None
) -> Mapping[str, Incident]:
    """The feed's markers and the synthesised ones in playing order, the end in the phase that it came in."""
    missing = {
        kind: Incident(
            key=PERIODS[kind].key,
            kind=PERIODS[kind].type,
            order=-1,
            minute=PERIODS[kind].minute,
            phase=PERIODS[kind].phase,
            created_at=current_since if kind == current else None,
            synthesised=True,
        )
        for kind in wanted - markers.keys()
    }
    found = {kind: {**markers, **missing}[kind] for kind in PERIODS if kind in markers or kind in missing}
    return _ended_in_its_phase(found)


def _ended_in_its_phase(found: Mapping[str, Incident]) -> Mapping[str, Incident]:
    end = found.get("game-end")
    if end is None:
        return found
    last = max((PERIODS[kind] for kind in found if PERIODS[kind].starts), key=lambda period: period.phase, default=None)
    phase = max(end.phase or 0, last.phase) if last is not None else end.phase
    late = phase is not None and phase > PERIODS["game-end"].phase
    minute = PERIODS["second-extra-end"].minute if end.synthesised and late else end.minute
    return {**found, "game-end": replace(end, phase=phase, minute=minute)}


def place_incidents(markers: Mapping[str, Incident], others: Sequence[Incident], size: int) -> tuple[Incident, ...]:
    """All incidents in the feed's order; a synthesised marker stands where its minute belongs and moves the rest on.

    `size` is the number of rows in the feed, incidents or not.
    """
    timeline: list[Incident | None] = [None] * size
    for incident in (*others, *(marker for marker in markers.values() if not marker.synthesised)):
        timeline[incident.order] = incident
    after = -1
    for kind, marker in markers.items():
        if not marker.synthesised:
            after = max(after, timeline.index(marker))
            continue
        at = max(after + 1, _belongs(timeline, PERIODS[kind], marker))
        timeline.insert(at, marker)
        after = at
    return tuple(replace(incident, order=at) for at, incident in enumerate(timeline) if incident is not None)


def _belongs(timeline: Sequence[Incident | None], period: Period, marker: Incident) -> int:
    """Index of the first incident that comes after the marker: what happens in the same minute follows a start."""
    minute = marker.minute or 0
    first = minute if period.starts else minute + 1
    later = (
        at
        for at, incident in enumerate(timeline)
        if incident is not None
        and ((incident.minute or 0) >= first or (incident.minute == minute and _came_later(incident, marker)))
    )
    return next(later, len(timeline))


def _came_later(incident: Incident, marker: Incident) -> bool:
    """Whether an incident is known to have come after the whistle, as a card that is shown then."""
    times = incident.created_at, marker.created_at
    return times[0] is not None and times[1] is not None and times[0] > times[1]


def candidate(found: Found, names: Mapping[str, str], zone: tzinfo) -> Candidate | None:
    """A match of a phase or an overall with what it is chosen by; None where it has no id."""
    faults, match_id = FaultCollector(MATCH, ""), read_if_fits(found.match.ident, "id")
    if match_id is None:
        return None
    now = listed_status(found.match, faults, names)
    return Candidate(now, kickoff(found.match, zone, faults), int(match_id), match_id)


def listed_status(match: Row, faults: FaultCollector, names: Mapping[str, str]) -> Status:
    """Where a match of a list stands. Matches of tennis name no period; their first set shows that they have begun."""
    now = status(match, current_period(match, faults, {}), faults, names)
    begun = now is Status.SCHEDULED and table(match, faults).keys() - {RUNNING}
    return Status.LIVE if begun else now
