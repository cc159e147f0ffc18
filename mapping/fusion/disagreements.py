"""What two sources of a match contradict each other in: the score, a scorer, a minute, a card that one of them lacks.

A source is late now and then, so a difference counts once both have answered with it twice (mapping.fusion.source_pair).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from mapping.fusion.joined_people import people_of
from mapping.fusion.paired_incidents import CLASSES, NEAR, ROLES, kind_class, minutes_apart, same_people
from mapping.fusion.source_signs import gives
from mapping.match.match import Incident, Match
from mapping.sports.soccer import OWN_GOAL

About = Literal["score", "scorer", "player", "minute", "missing"]
CHECKED = frozenset({"goal", "sent-off", "soccer.yellow-card", "soccer.penalty-kick-missed"})
"""Classes of incidents that both sources have to have; substitutions are missing in some."""
YELLOW, SECOND_YELLOW = "soccer.yellow-card", "soccer.yellow-red-card"
NOTHING_KNOWN: Mapping[str, frozenset[str]] = {}


@dataclass(frozen=True, slots=True, order=True)
class Disagreement:
    """One difference: what each source says, as a person reads it, empty where it has nothing. `key`: the incident's key."""

    about: About
    key: str
    first: str
    second: str


def differences(
    first: Match, second: Match, pairs: Mapping[str, str], kinds: Mapping[str, frozenset[str]] = NOTHING_KNOWN
) -> Iterator[Disagreement]:
    """All differences of two matches as their sources have them now, both in the ids of the first one.

    `pairs`: keys of the incidents that are the same, first → second. `kinds`: what each provider gives
    (mapping.fusion.source_signs); nobody lacks what it never gives.
    """
    if None not in {first.score, second.score} and first.score != second.score:
        yield Disagreement("score", "", str(first.score), str(second.score))
    ours, theirs = ({each.key: each for each in match.incidents} for match in (first, second))
    people = frozenset(each.ext_id for each in people_of(first))
    own_goals = all(gives(kinds, match, OWN_GOAL.id.__eq__) for match in (first, second))
    for one, two in pairs.items():
        yield from _of_pair(ours[one], theirs[two], people, own_goals=own_goals)
    for key in ours.keys() - pairs.keys():
        if _is_lacking(ours[key], second, kinds):
            yield Disagreement("missing", key, _said(ours[key]), "")
    for key in theirs.keys() - set(pairs.values()):
        if _is_lacking(theirs[key], first, kinds):
            yield Disagreement("missing", key, "", _said(theirs[key]))


def _of_pair(one: Incident, two: Incident, people: frozenset[str], *, own_goals: bool) -> Iterator[Disagreement]:
    """`own_goals`: both sources may call a goal an own goal."""
    if kind_class(one) in CHECKED:
        about: About = "scorer" if kind_class(one) == "goal" else "player"
        if about == "scorer" and own_goals and one.kind != two.kind:
            yield Disagreement(about, one.key, _said(one), _said(two))
        elif same_people(one, two, people) is False:
            yield Disagreement(about, one.key, _names(one), _names(two))
        if (minutes_apart(one, two) or 0) > NEAR:
            yield Disagreement("minute", one.key, _minute(one), _minute(two))


def _is_lacking(incident: Incident, other: Match, kinds: Mapping[str, frozenset[str]]) -> bool:
    """Whether the other source should have the incident too."""
    same = kind_class(incident)
    if same not in CHECKED or not gives(kinds, other, lambda kind: CLASSES.get(kind, kind) == same):
        return False
    return incident.kind != YELLOW or not _is_sent_off_by_another(incident, other)


def _is_sent_off_by_another(yellow: Incident, match: Match) -> bool:
    """Whether its player has a second yellow card there: some sources delete the first one then."""
    second = [each for each in match.incidents if each.kind == SECOND_YELLOW and each.side == yellow.side]
    known = frozenset(each.ext_id for each in people_of(match))
    return any(same_people(yellow, each, known) for each in second)


def _said(incident: Incident) -> str:
    return " ".join(filter(None, [incident.kind, _minute(incident), _names(incident)]))


def _names(incident: Incident) -> str:
    """Those who are compared."""
    return ", ".join(each.person.name for each in incident.people if each.role in ROLES)


def _minute(incident: Incident) -> str:
    if incident.minute is None:
        return ""
    return f"{incident.minute}+{incident.added}'" if incident.added else f"{incident.minute}'"
