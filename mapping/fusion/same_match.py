"""Whether two sources that a person named for a match can be about the same one; the person decides, this only refuses."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from mapping.errors import Unprocessable
from mapping.fusion.joined_people import share_beginning, team_tokens, which_team
from mapping.match.match import Match, Side

APART = 3 * 3600
"""Seconds between the kick-offs of two sources that may still be the same match."""
COMPARABLE = frozenset({"soccer"})
"""Sports in which incidents of two sources can be compared."""


class Mismatch(StrEnum):
    """In what two matches differ; the value says it in English."""

    SPORT = "one is {first}, the other one {second}"
    KICK_OFF = "the kick-offs are more than three hours apart"
    SIDES = "home and away are the other way round: {first} and {second}"
    TEAMS = "the teams differ: {first} and {second}"


class Contradiction(NamedTuple):
    """Why two matches cannot be the same one, and what each of them says."""

    mismatch: Mismatch
    first: str = ""
    second: str = ""

    def __str__(self) -> str:
        return self.mismatch.format(first=self.first, second=self.second)


class OtherMatch(Unprocessable):
    """What is to stand by for a match is another one; `why`: in what they differ."""

    def __init__(self, why: Contradiction, *, field: str | None = None) -> None:
        super().__init__(f"this is another match: {why}", field=field)
        self.why = why


def why_other_match(lead: Match, other: Match) -> Contradiction | None:
    """Why the two cannot be the same match; None where they can. What is not known contradicts nothing."""
    if lead.sport != other.sport:
        return Contradiction(Mismatch.SPORT, lead.sport, other.sport)
    if _kickoffs_apart(lead, other):
        return Contradiction(Mismatch.KICK_OFF)
    return _why_other_teams(lead, other)


def _why_other_teams(lead: Match, other: Match) -> Contradiction | None:
    if len(lead.sides) + len(other.sides) < 4 or _all_alike(lead.sides, other.sides):
        return None
    turned = _all_alike(lead.sides, other.sides[::-1])
    return Contradiction(Mismatch.SIDES if turned else Mismatch.TEAMS, _teams_text(lead), _teams_text(other))


def _all_alike(sides: Iterable[Side], others: Iterable[Side]) -> bool:
    return all(_alike(one, other) for one, other in zip(sides, others, strict=True))


def _kickoffs_apart(lead: Match, other: Match) -> bool:
    known = lead.kickoff is not None and other.kickoff is not None and not (lead.kickoff_open or other.kickoff_open)
    return known and abs((lead.kickoff or 0) - (other.kickoff or 0)) > APART


def _alike(one: Side, other: Side) -> bool:
    """Whether the names share a word, or the beginning of one, and mean the same of a club's teams."""
    names, others = (one.name, one.short_name), (other.name, other.short_name)
    same = which_team(*names) == which_team(*others)
    return same and share_beginning(team_tokens(*names), team_tokens(*others))


def _teams_text(match: Match) -> str:
    return " – ".join(side.name for side in match.sides)
