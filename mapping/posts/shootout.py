"""The kicks of a shoot-out: which incidents are some, which of its side's each of them is, and what its post is called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from mapping.belief.goals import SHOOTOUT
from mapping.locales import Translator
from mapping.locales.labels import KICK, KICK_BEYOND, KICK_UNNUMBERED
from mapping.match.match import Incident, Match
from mapping.sports import Kind, Sport, sport_of
from mapping.sports.base import MomentType

KICKS = 5
"""Kicks of each side before the next one may decide."""


def can_be_kick(kind: Kind) -> bool:
    """Whether an incident of the type is a kick where it belongs to a shoot-out."""
    return kind.moment in {MomentType.GOAL, MomentType.PENALTY_MISSED}


def phase_of_shootout(sport: Sport) -> str:
    """The msgid of the phase in which kicks are taken, empty for a sport that has none."""
    return (sport.phase(sport.timing.phases + 1) or "") if sport.timing is not None else ""


def is_of_shootout(sport: Sport, phase: str, texts: Translator) -> bool:
    """Whether a post whose phase has that name belongs to the shoot-out; `texts` are those of its language."""
    shootout = phase_of_shootout(sport)
    return bool(shootout) and phase == texts.text(shootout)


def is_kick(sport: Sport, incident: Incident) -> bool:
    """Whether the incident is a kick of the shoot-out."""
    timing = sport.timing
    after_play = timing is not None and incident.phase is not None and incident.phase > timing.phases
    return (after_play or incident.method == SHOOTOUT) and can_be_kick(sport.kind(incident.kind))


def kick_numbers(match: Match) -> Mapping[str, int]:
    """Key of each kick → which of its side's it is, from 1; kicks of no known side have none.

    The tally after the kicks says their order, as feeds repeat theirs in any: a kick that went in comes before those that
    left its tally as it was.
    """
    sport = sport_of(match)
    kicks = [each for each in match.incidents if each.side is not None and is_kick(sport, each)]
    kicks.sort(key=lambda each: each.order)
    if all(each.score is not None for each in kicks):
        kicks.sort(key=lambda each: (each.score.total if each.score else 0, not sport.kind(each.kind).scores))
    taken: Counter[str | None] = Counter()
    found = {}
    for each in kicks:
        taken[each.side] += 1
        found[each.key] = taken[each.side]
    return found


def kick_title(number: int | None, texts: Translator, *, scored: bool) -> str:
    """`Penalty 2 of 5: scored`, without the number where nobody knows it; nobody knows how many follow the fifth."""
    if number is None:
        return texts.text(KICK_UNNUMBERED[scored])
    if number > KICKS:
        return texts.text(KICK_BEYOND[scored], number=number)
    return texts.text(KICK[scored], number=number, count=KICKS)
