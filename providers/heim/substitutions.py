"""The feed sends a substitution as two rows that do not refer to each other; this finds the pairs."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from providers.heim.events import Event

OUT, IN = ("playing", "substitute-out"), ("playing", "substitute-in")
MAX_APART = 2
"""Minutes between the two rows of one change; the desk corrects the minute of one before the other."""


def pairs(events: Iterable[Event]) -> Mapping[str, Event]:
    """Id of each `in` row → its `out` row, as far as that has arrived.

    Per team and in the order of ids, each `in` takes the free `out` nearest in time, then the one with the lowest id.
    """
    rows = [event for event in sorted(events, key=lambda event: int(event.id)) if event.word in (IN, OUT)]
    free: defaultdict[tuple[str | None, int | None], deque[Event]] = defaultdict(deque)
    for leaving in rows:
        if leaving.word == OUT:
            free[leaving.team_id, leaving.minute].append(leaving)
    found: dict[str, Event] = {}
    for entering in rows:
        heads = (
            [] if entering.word == OUT or entering.minute is None else _near(free, entering.team_id, entering.minute)
        )
        if heads:
            found[entering.id] = heads[0].popleft()
    return found


def _near(
    free: Mapping[tuple[str | None, int | None], deque[Event]], team_id: str | None, minute: int
) -> list[deque[Event]]:
    """The queues of the team's `out` rows around a minute that still hold any, the best one first."""
    minutes = range(minute - MAX_APART, minute + MAX_APART + 1)
    queues = [queue for at in minutes if (queue := free.get((team_id, at)))]
    return sorted(queues, key=lambda queue: (abs((queue[0].minute or 0) - minute), int(queue[0].id)))
