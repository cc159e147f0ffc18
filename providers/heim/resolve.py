"""Which match is meant when somebody names a phase or an overall that holds several."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.match import Status
from providers.choosing import Candidate, choose
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim import clock
from providers.heim.payload import MATCH
from providers.heim.score import RUNNING, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

    from providers.heim.payload import Found


def meant(matches: Iterable[Found], names: Mapping[str, str], zone: tzinfo) -> str | None:
    """The id of the running match, else of the next one, else of the last; None where there is none."""
    return choose(found for each in matches if (found := _candidate(each, names, zone)) is not None)


def _candidate(found: Found, names: Mapping[str, str], zone: tzinfo) -> Candidate | None:
    notes = FaultCollector(MATCH, "")
    try:
        match_id = found.match.ident("id")
    except ValueMismatch:
        return None
    if match_id is None:
        return None
    status = clock.status(found.match, clock.current_period(found.match, notes, {}), notes, names)
    if status is Status.SCHEDULED and table(found.match, notes).keys() - {RUNNING}:
        status = Status.LIVE  # matches of tennis name no period; their first set tells that they have begun
    return Candidate(status, clock.kickoff(found.match, zone, notes), int(match_id), match_id)
