"""Where the match stands: status, clock, and in which phase something happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from mapping.match import Clock, Incident, Status
from providers.heim.catalog import PERIOD_KEYS, PERIODS
from providers.heim.read import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

    from providers.fault_collector import FaultCollector
    from providers.heim.read import Row

T = TypeVar("T")

LAST_MINUTES = ((45, 1), (90, 2), (105, 3), (120, 4))
"""The feed caps the minute at the end of its phase, so it tells the phase."""


def current_period(match: Row, notes: FaultCollector, markers: Mapping[str, Incident]) -> str:
    """The kind of the last period row according to the match, `""` before the start.

    Bodies of list resources do not tell it; there the last period row among the events does.
    """
    kind = period_word(match, notes, PERIOD_KEYS)
    if not match.has("current_period"):
        return max(markers, key=lambda kind: list(PERIODS).index(kind), default="")
    if kind and kind not in PERIODS:
        notes.add("current_period", f"unknown period {kind[:40]!r}", keep=PERIOD_KEYS)
    return kind


def period_word(match: Row, notes: FaultCollector, keep: Iterable[str]) -> str:
    """`current_period`, `""` before the start. Only bodies of list resources lack it, together with the minute.

    `keep`: keys of the incidents that it implies.
    """
    if match.data.get("current_period") is None and (match.has("current_period") or match.has("current_minute")):
        notes.add("current_period", "missing", keep=keep)
    return notes.try_read(lambda: match.text("current_period"), keep=keep) or ""


def finished(match: Row, notes: FaultCollector, keep: Iterable[str]) -> bool:
    """The flag, which every match has. `keep`: keys of the incidents that it implies."""
    return bool(notes.try_read(lambda: match.needed("finished").flag("finished"), keep=keep))


def status(match: Row, period: str, notes: FaultCollector, names: Mapping[str, str]) -> Status:
    """From `finished`, `current_period` and `match_incident`, the only three words the feed has for it."""
    over = finished(match, notes, PERIOD_KEYS) or period == "game-end"
    incident = incident_of(match, notes, PERIOD_KEYS)
    for word in (Status.ABANDONED, Status.CANCELLED):
        if incident and incident == names[f"incident_{word.value}"]:
            return word
    if over:
        return Status.FINISHED
    if period == "penalty-start":
        return Status.SHOOTOUT
    if period:
        marker = PERIODS.get(period)
        return Status.LIVE if marker is None or marker.starts else Status.BREAK
    if incident and incident == names["incident_postponed"]:
        return Status.POSTPONED
    return Status.SCHEDULED


def incident_of(match: Row, notes: FaultCollector, keep: Iterable[str]) -> str | None:
    """Id of what is special about the match's course (postponed, after extra time, …); most matches have none.

    `keep`: keys of the incidents that it implies.
    """
    row = notes.try_read(lambda: match.part("match_incident"), keep=keep)
    return notes.try_read(lambda: row.needed("id").ident("id"), keep=keep) if row is not None else None


def clock(period: str, since: int | None, markers: Mapping[str, Incident]) -> Clock:
    """The phase that runs or ran last (the shoot-out is none), since when, and whether there is a break.

    `since` (Unix seconds): when `period`, the last period row, was.
    """
    marker = PERIODS.get(period)
    if marker is None:
        return Clock()
    play = {kind: spec for kind, spec in PERIODS.items() if spec.starts and spec.phase <= len(LAST_MINUTES)}
    phase = marker.phase
    if period in ("penalty-start", "game-end"):
        phase = max((PERIODS[kind].phase for kind in markers if kind in play), default=2)
    start = next(kind for kind, spec in play.items() if spec.phase == phase)
    started = markers[start].created_at if start in markers else None
    if period == start:
        return Clock(phase=phase, phase_started_at=since if since is not None else started)
    if marker.starts or period == "game-end":
        return Clock(phase=phase, phase_started_at=started)
    ended = markers[period].created_at if period in markers else None
    return Clock(
        phase=phase, phase_started_at=started, in_break=True, break_started_at=ended if ended is not None else since
    )


def kickoff(match: Row, zone: tzinfo, notes: FaultCollector) -> int | None:
    """Unix seconds; None while the day or the hour is not fixed."""
    day = notes.try_read(lambda: match.text("match_date"))
    hour = notes.try_read(lambda: match.text("match_time"))
    if day is None or hour is None or hour == "unknown":
        return None
    return notes.try_read(lambda: seconds(f"{day} {hour}", ("%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S"), zone, "match_date"))


def phase_of_minute(minute: int) -> int:
    """The phase that a capped minute belongs to."""
    return next((phase for last, phase in LAST_MINUTES if minute <= last), len(LAST_MINUTES))


def phases(rows: Sequence[tuple[T, int | None, str | None]]) -> Mapping[T, int]:
    """The phase of each row that has a minute, from (row, minute, kind of a period row) in the feed's order.

    The minute decides; a row on the last minute of a phase, but behind the start of the next, belongs to that.
    """
    found: dict[T, int] = {}
    reached = 0
    for row, minute, kind in sorted(_timed(rows), key=lambda timed: timed[1]):
        if kind is not None and kind in PERIODS:
            reached = max(reached, PERIODS[kind].phase) if PERIODS[kind].starts else reached
            continue
        phase = phase_of_minute(minute)
        on_the_edge = any(minute == last for last, _ in LAST_MINUTES)
        beyond = minute >= LAST_MINUTES[-1][0] and reached > phase
        found[row] = reached if beyond or (on_the_edge and reached == phase + 1) else phase
    return found


def _timed(rows: Iterable[tuple[T, int | None, str | None]]) -> list[tuple[T, int, str | None]]:
    return [(row, minute, kind) for row, minute, kind in rows if minute is not None]
