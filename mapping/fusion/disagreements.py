"""What two sources of a match contradict each other in: the score, a scorer, a minute, a card that one of them lacks.

A source is late now and then, so a difference counts once both have answered with it twice (mapping.fusion.source_pair).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mapping.fusion.joined_people import people_of
from mapping.fusion.paired_incidents import NEAR, kind_class, minutes_apart, same_people

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mapping.match import Incident, Match

About = Literal["score", "scorer", "player", "minute", "missing"]
CHECKED = frozenset({"goal", "sent-off", "soccer.yellow-card", "soccer.penalty-kick-missed"})
"""Classes of incidents that both sources have to have; substitutions are missing in some."""


@dataclass(frozen=True, slots=True, order=True)
class Disagreement:
    """One difference: what each source says, as a person reads it, empty where it has nothing. `key`: the incident's key."""

    about: About
    key: str
    first: str
    second: str


def differences(first: Match, second: Match, pairs: Mapping[str, str]) -> frozenset[Disagreement]:
    """All differences of two matches as their sources have them now, both in the ids of the first one.

    `pairs`: keys of the incidents that are the same, first → second.
    """
    return frozenset(_differences(first, second, pairs))


def _differences(first: Match, second: Match, pairs: Mapping[str, str]) -> Iterator[Disagreement]:
    if first.score is not None and second.score is not None and first.score != second.score:
        yield Disagreement("score", "", str(first.score), str(second.score))
    ours, theirs = ({each.key: each for each in match.incidents} for match in (first, second))
    people = frozenset(each.ext_id for each in people_of(first))
    for one, two in pairs.items():
        yield from _of_pair(ours[one], theirs[two], people)
    paired = set(pairs.values())
    for key in ours.keys() - pairs.keys():
        yield from _of_one(ours[key], in_first=True)
    for key in theirs.keys() - paired:
        yield from _of_one(theirs[key], in_first=False)


def _of_pair(one: Incident, two: Incident, people: frozenset[str]) -> Iterator[Disagreement]:
    if kind_class(one) in CHECKED:
        if same_people(one, two, people) is False:
            yield Disagreement("scorer" if kind_class(one) == "goal" else "player", one.key, _names(one), _names(two))
        if (minutes_apart(one, two) or 0) > NEAR:
            yield Disagreement("minute", one.key, _minute(one), _minute(two))


def _of_one(incident: Incident, *, in_first: bool) -> Iterator[Disagreement]:
    if kind_class(incident) in CHECKED:
        said = " ".join(filter(None, [incident.kind, _minute(incident), _names(incident)]))
        yield Disagreement("missing", incident.key, said if in_first else "", "" if in_first else said)


def _names(incident: Incident) -> str:
    return ", ".join(each.person.name for each in incident.people)


def _minute(incident: Incident) -> str:
    if incident.minute is None:
        return ""
    return f"{incident.minute}+{incident.added}'" if incident.added else f"{incident.minute}'"
