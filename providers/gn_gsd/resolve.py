"""What a phase or an overall means: the match to follow of those that it holds, or itself."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mapping.errors import MatchUnknown
from providers.choosing import Candidate, choose
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.gn_gsd import clock
from providers.gn_gsd.payload import MATCH, Target, contained, entity
from providers.gn_gsd.sport import sport_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from providers.gn_gsd.read import Node


def meant(of: Target, body: bytes, names: Mapping[str, str]) -> Target:
    """The running match of a phase or an overall, else the next, else the last; a race without matches is meant itself.

    MatchUnknown where it holds nothing that could be followed.
    """
    found = entity(of, body, names)
    match_id = choose(filter(None, map(_candidate, contained(found))))
    if match_id is not None:
        return Target("match", match_id)
    if sport_of(of, found) == "soccer":
        raise MatchUnknown(f"the provider has no match in this {of.kind}", field=f"{of.kind}Id")
    return of


def _candidate(match: Node) -> Candidate | None:
    notes = FaultCollector(MATCH, "")
    try:
        match_id = match.ident("id")
    except ValueMismatch:
        return None
    if match_id is None:
        return None
    period = clock.stage(match, notes)
    status = clock.status(match, period, notes, played=notes.try_read(partial(match.number, "score_home")) is not None)
    return Candidate(status, notes.try_read(partial(match.moment, "kickoff")), match_id, match_id)
