"""Every team of a match: the two that meet, or those of a race, which stand in its ranking only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapping.match import Match, Side


def teams(match: Match) -> tuple[Side, ...]:
    """The sides; of a race the teams with their people as the line-up, in the order of the teams' ids."""
    found: dict[str, Side] = {}
    for place in match.race.ranking if match.race is not None else ():
        if place.team is not None:
            team = found.get(place.team.ext_id, place.team)
            people = {who.ext_id: who for who in (*team.lineup, place.person) if who is not None}
            found[team.ext_id] = replace(team, lineup=tuple(people.values()))
    return match.sides or tuple(found[name] for name in sorted(found))
