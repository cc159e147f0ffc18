"""The sports that can become liveblogs; one file each."""

from __future__ import annotations

from collections.abc import Mapping

from mapping.match.match import Match
from mapping.sports.american_football import AMERICAN_FOOTBALL
from mapping.sports.base import Kind, Sport, Timing
from mapping.sports.cycling import CYCLING
from mapping.sports.icehockey import ICEHOCKEY
from mapping.sports.motorsports import MOTORSPORTS
from mapping.sports.soccer import SOCCER
from mapping.sports.tennis import TENNIS

__all__ = ["SPORTS", "Kind", "Sport", "Timing", "absorbed_by", "sport_of"]

SPORTS: Mapping[str, Sport] = {
    sport.id: sport for sport in (SOCCER, TENNIS, AMERICAN_FOOTBALL, MOTORSPORTS, ICEHOCKEY, CYCLING)
}


def sport_of(match: Match) -> Sport:
    """The match's sport; one that has no rows yet still has teams and a score where the provider gives them."""
    return SPORTS.get(match.sport) or Sport(id=match.sport, scoreboard=bool(match.sides))


def absorbed_by(kind_id: str) -> str | None:
    """The event type after which providers drop an incident of type `kind_id` of the same player for good."""
    kinds = (kind for sport in SPORTS.values() for kind in sport.kinds)
    return next((kind.absorbed_by for kind in kinds if kind.id == kind_id), None)
