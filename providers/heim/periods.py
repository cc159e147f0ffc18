"""The incidents that mark periods: those the feed sends, and those that it forgot, but its status implies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.match import Incident, Status
from providers.heim.catalog import PERIODS, Period

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from providers.heim.events import Event

ABANDONED_END = ("game-start", "game-end")
"""Of a match that was broken off nothing is known but that it began and ended."""


def marked(events: Iterable[Event]) -> Mapping[str, Incident]:
    """Kind → incident of the feed's period rows; of two rows for one period the later stands."""
    latest: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: (event.created_at or 0, int(event.id))):
        if event.action == "match" and event.kind in PERIODS:
            latest[event.kind] = event
    return {kind: _incident(PERIODS[kind], event) for kind, event in latest.items()}


def _incident(period: Period, event: Event) -> Incident:
    return Incident(
        key=period.key,
        kind=period.type,
        order=event.position,
        minute=event.minute,
        added=event.added,
        phase=event.period or period.phase,
        created_at=event.created_at,
    )


def implied(current: str, status: Status, course: Iterable[str] = ()) -> frozenset[str]:
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


def completed(
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


def placed(markers: Mapping[str, Incident], others: Sequence[Incident], size: int) -> tuple[Incident, ...]:
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
        at = max(after + 1, _belongs(timeline, PERIODS[kind], marker.minute or 0))
        timeline.insert(at, marker)
        after = at
    return tuple(replace(incident, order=at) for at, incident in enumerate(timeline) if incident is not None)


def _belongs(timeline: Sequence[Incident | None], period: Period, minute: int) -> int:
    """Index of the first incident that comes after the marker: what happens in the same minute follows a start."""
    first = minute if period.starts else minute + 1
    later = (at for at, incident in enumerate(timeline) if incident is not None and (incident.minute or 0) >= first)
    return next(later, len(timeline))
