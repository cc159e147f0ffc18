"""Flags and safety cars: which rows tell of one incident, and what is in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.match import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from providers.heim.sports.races import RaceEvent

YELLOW, RED = "yellow-flag", "red-flag"
TRACK = frozenset({"safety-car", "virtual-safety-car", RED, YELLOW})
ONE_INCIDENT = 120
"""Seconds between two yellow flags of one incident, where the laps are not told."""


def merged(events: Sequence[RaceEvent]) -> list[list[RaceEvent]]:
    """The rows in groups of one incident each: yellow flags of one incident (several sectors, its end) are one."""
    groups: list[list[RaceEvent]] = []
    waving: list[RaceEvent] = []
    for event in events:
        if event.kind == YELLOW and waving and _belongs(waving, event):
            waving.append(event)
            continue
        groups.append([event])
        if event.kind == YELLOW:
            waving = [] if event.over else groups[-1]
        elif event.kind in TRACK:
            waving = []  # a safety car or a red flag says more, and what follows is something new
    return groups


def _belongs(waving: Sequence[RaceEvent], event: RaceEvent) -> bool:
    """Whether a yellow flag goes on: until it is lifted, within its lap, or soon after where no lap is told."""
    last = waving[-1]
    if last.over:
        return False
    if event.over or (last.lap is not None and event.lap is not None and last.lap == event.lap):
        return True
    if last.created_at is None or event.created_at is None or (last.lap is not None and event.lap is not None):
        return False
    return event.created_at - last.created_at <= ONE_INCIDENT


def stopped(events: Sequence[RaceEvent]) -> bool:
    """Whether a red flag has stopped the session and nobody has restarted it."""
    turns = [event for event in events if event.kind in (RED, "start")]
    return bool(turns) and turns[-1].kind == RED and not turns[-1].over


def flag_in_force(events: Sequence[RaceEvent], status: Status) -> str | None:
    """The last word of the race control; a yellow flag is forgotten in the next lap."""
    if status is Status.FINISHED:
        return "chequered-flag"
    if not status.running:
        return None
    last = next((event for event in reversed(events) if event.kind in TRACK or event.kind == "start"), None)
    if last is None or last.kind == "start" or last.over:
        return "green-flag"
    laps = [event.lap for event in events if event.lap is not None]
    if last.kind == YELLOW and last.lap is not None and max(laps) > last.lap:
        return "green-flag"
    return last.kind
