"""Whether two sources that a person named for a match can be about the same one; the person decides, this only refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapping.fusion.name_tokens import share_beginning, team_tokens, which_team

if TYPE_CHECKING:
    from mapping.match import Match, Side

APART = 3 * 3600
"""Seconds between the kick-offs of two sources that may still be the same match."""


def why_other_match(lead: Match, other: Match) -> str | None:
    """Why the two cannot be the same match, in plain English; None where they can. What is not known contradicts nothing."""
    if lead.sport != other.sport:
        return f"one is {lead.sport}, the other one {other.sport}"
    if _kickoffs_apart(lead, other):
        return "the kick-offs are more than three hours apart"
    if lead.home is None or lead.away is None or other.home is None or other.away is None:
        return None
    if _alike(lead.home, other.home) and _alike(lead.away, other.away):
        return None
    if _alike(lead.home, other.away) and _alike(lead.away, other.home):
        return f"home and away are the other way round: {_named(lead)} and {_named(other)}"
    return f"the teams differ: {_named(lead)} and {_named(other)}"


def _kickoffs_apart(lead: Match, other: Match) -> bool:
    known = lead.kickoff is not None and other.kickoff is not None and not (lead.kickoff_open or other.kickoff_open)
    return known and abs((lead.kickoff or 0) - (other.kickoff or 0)) > APART


def _alike(one: Side, other: Side) -> bool:
    """Whether the names share a word, or the beginning of one, and mean the same of a club's teams."""
    names, others = (one.name, one.short_name), (other.name, other.short_name)
    same = which_team(*names) == which_team(*others)
    return same and share_beginning(team_tokens(*names), team_tokens(*others))


def _named(match: Match) -> str:
    return " – ".join(side.name for side in match.sides)
