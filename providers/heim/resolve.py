"""Which match is meant when somebody names a phase or an overall that holds several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.match import Status
from providers.heim import clock
from providers.heim.payload import MATCH
from providers.heim.read import MisfitError, Notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

    from providers.heim.payload import Found

RUNNING, NEXT, LAST = range(3)


def choose(matches: Iterable[Found], names: Mapping[str, str], zone: tzinfo) -> str | None:
    """The id of the running match, else of the next one, else of the last; None where there is none."""
    ranked = [rank for found in matches if (rank := _rank(found, names, zone)) is not None]
    return str(min(ranked)[-1]) if ranked else None


def _rank(found: Found, names: Mapping[str, str], zone: tzinfo) -> tuple[int, int, int] | None:
    """(class, time, id): of running and coming matches the earliest is first, of those that are over the latest."""
    notes = Notes(MATCH, "")
    try:
        match_id = found.match.ident("id")
    except MisfitError:
        return None
    if match_id is None:
        return None
    status = clock.status(found.match, clock.current_period(found.match, notes, {}), notes, names)
    kickoff = clock.kickoff(found.match, zone, notes)
    if status.running:
        return (RUNNING, kickoff or 0, int(match_id))
    if status is Status.SCHEDULED:
        return (NEXT, kickoff if kickoff is not None else 1 << 60, int(match_id))
    return (LAST, -(kickoff or 0), int(match_id))
