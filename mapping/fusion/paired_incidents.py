"""Which incidents of two sources are the same one: by kind, side, minute, people and the score after it, never by an id.

Sources count minutes differently by one, cap added time or not, and lack a scorer or a minute now and then; what they agree on
is the score after a goal. Whatever stays in doubt is not paired: it is shown once, by the source that leads, and counts as a
disagreement.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from mapping.fusion.joined_people import people_of
from mapping.fusion.name_tokens import name_tokens
from mapping.goals import SHOOTOUT, credited_side

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from mapping.match import Incident, Match, Person

NEAR, FAR = 2, 5
"""Minutes apart that may be the same moment, and that may be it where the score or the player says so."""
INCIDENT_KEY = "incident:"
"""Prefix of the key of an incident that has an id of its source."""
CAPS: Mapping[int, int] = {1: 45, 2: 90, 3: 105, 4: 120}
"""Phase → the minute at which some sources stand still in its added time."""
CLASSES: Mapping[str, str] = {
    "soccer.goal": "goal",
    "soccer.own-goal": "goal",
    "soccer.red-card": "sent-off",
    "soccer.yellow-red-card": "sent-off",
}
"""Event types that sources use for the same; every other one is its own class."""
BREAK_MINUTES = range(46, 51)
"""Minutes that are the first half's added time to some sources and the second half to others: nothing without a phase."""


class Certainty(IntEnum):
    """How sure it is that two incidents are the same."""

    PROBABLE = 1
    """As good as sure; what they contradict each other in is a disagreement."""
    CERTAIN = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """One incident in both sources, by its keys there."""

    lead: str
    other: str
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class _Compared:
    """How two incidents compare. `apart`: minutes, None where one of them has none; `players`: None where one names nobody."""

    apart: int | None
    players: bool | None
    score: bool | None

    @property
    def near(self) -> bool:
        return self.apart is not None and self.apart <= NEAR

    @property
    def within_reach(self) -> bool:
        return self.apart is None or self.apart <= FAR


def pair_incidents(lead: Match, other: Match, known: Iterable[tuple[str, str]] = ()) -> tuple[Pair, ...]:
    """Each incident with the same one of the other source, one to one, the surest pairs first.

    People of `other` who are joined with one of `lead` have that one's id (mapping.fusion.joined_people). `known`: pairs of keys
    (lead, other) that were found earlier; they stand as long as both are of one class and side, because feeds correct scorers and
    minutes.
    """
    both = _Both(_by_key(lead), _by_key(other), frozenset(each.ext_id for each in people_of(lead)))
    found = dict(_known_pairs(both, known))
    taken = {each.other for each in found.values()}
    for pair in sorted(_candidates(both, found, taken), key=_best_first):
        if pair.lead not in found and pair.other not in taken:
            found[pair.lead] = pair
            taken.add(pair.other)
    return tuple(found[each] for each in both.ours if each in found)


def _known_pairs(both: _Both, known: Iterable[tuple[str, str]]) -> Iterator[tuple[str, Pair]]:
    """What has one key in every source, and what was paired before and still is the same thing."""
    for key in both.ours.keys() & both.theirs.keys():
        if is_shared(key):
            yield key, Pair(key, key, Certainty.CERTAIN)
    for one, two in known:
        if one in both.ours and two in both.theirs and _same_thing(both.ours[one], both.theirs[two]):
            yield one, Pair(one, two, Certainty.CERTAIN)


@dataclass(frozen=True, slots=True)
class _Both:
    """The incidents of both sources by their keys, and the ids of the leading source's people."""

    ours: Mapping[str, Incident]
    theirs: Mapping[str, Incident]
    people: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate(Pair):
    """A pair that may be, and by how much its minutes and its places in the match differ."""

    apart: int
    places: int


def _candidates(both: _Both, found: Mapping[str, Pair], taken: Container[str]) -> Iterator[_Candidate]:
    left, right = list(_open(both.ours, found)), list(_open(both.theirs, taken))
    for place, one in enumerate(left):
        for spot, two in enumerate(right):
            certainty = _certainty(one, two, both)
            if certainty is not None:
                yield _Candidate(one.key, two.key, certainty, minutes_apart(one, two) or 0, abs(place - spot))


def _open(incidents: Mapping[str, Incident], paired: Container[str]) -> Iterator[Incident]:
    return (each for key, each in incidents.items() if key not in paired and not is_shared(key))


def _best_first(pair: _Candidate) -> tuple[int, int, int, str]:
    return -pair.certainty, pair.apart, pair.places, pair.lead


def _by_key(match: Match) -> dict[str, Incident]:
    return {each.key: each for each in match.incidents}


def is_shared(key: str) -> bool:
    """Whether a key says what the incident is, in every source alike: a whistle, a game of a set, a step of the score."""
    return not key.startswith(INCIDENT_KEY)


def kind_class(incident: Incident) -> str:
    """What an incident is in every source: an own goal is a goal, a second yellow sends off, kicks of a shoot-out are apart."""
    plain = CLASSES.get(incident.kind, incident.kind)
    return f"{plain} of the shoot-out" if incident.method == SHOOTOUT or incident.phase == 5 else plain


def _same_thing(one: Incident, two: Incident) -> bool:
    """Of one class, credited to one side, in one part of the match, as far as the sources say."""
    sides = {credited_side(one), credited_side(two)} - {None}
    return kind_class(one) == kind_class(two) and len(sides) < 2 and _one_phase(one, two)


def _one_phase(one: Incident, two: Incident) -> bool:
    if one.phase is not None and two.phase is not None:
        return one.phase == two.phase or _runs_on(one, two)
    return not any(each.minute in BREAK_MINUTES for each in (one, two))


def _runs_on(one: Incident, two: Incident) -> bool:
    """Whether both are of one moment, which is added time to a source that does not know of the next part: 90+7' is 97'."""
    apart = abs((one.minute or 0) + (one.added or 0) - (two.minute or 0) - (two.added or 0))
    return bool(one.added or two.added) and one.minute is not None and two.minute is not None and apart <= NEAR


def minutes_apart(one: Incident, two: Incident) -> int | None:
    """Minutes between two incidents of one phase; None where one has none.

    One that stands at the end of its phase without added time may be anywhere in the added time of the other.
    """
    if one.minute is None or two.minute is None:
        return None
    cap = CAPS.get(one.phase or two.phase or 0)
    if cap is not None and min(one.minute, two.minute) >= cap and any(_stands_at(cap, each) for each in (one, two)):
        return 0
    return abs(_running_minute(one) - _running_minute(two))


def _running_minute(incident: Incident) -> int:
    return (incident.minute or 0) + (incident.added or 0)


def _stands_at(cap: int, incident: Incident) -> bool:
    return incident.minute == cap and not incident.added


def _certainty(one: Incident, two: Incident, both: _Both) -> Certainty | None:
    """How sure it is that both are the same, None where it is not."""
    if not _same_thing(one, two):
        return None
    scores = None if one.score is None or two.score is None else one.score == two.score
    compared = _Compared(minutes_apart(one, two), same_people(one, two, both.people), scores)
    rule = RULES.get(kind_class(one), _player_and_minute)
    certainty = rule(compared)
    if certainty is None and compared.near and compared.players is None and _only_one_there(one, two, both):
        return Certainty.PROBABLE
    return certainty


def _goal(compared: _Compared) -> Certainty | None:
    """The score after it decides; where a source has none the player and the minute do."""
    if compared.score is False or not compared.within_reach:
        return None
    if compared.score is None:
        return Certainty.CERTAIN if compared.near and compared.players is True else None
    if compared.near:
        return Certainty.PROBABLE if compared.players is False else Certainty.CERTAIN
    return Certainty.PROBABLE if compared.players is True else None


def _sent_off(compared: _Compared) -> Certainty | None:
    """A player is sent off once."""
    return Certainty.CERTAIN if compared.players else None


def _player_and_minute(compared: _Compared) -> Certainty | None:
    if not compared.players or compared.apart is None or compared.apart > FAR:
        return None
    return Certainty.CERTAIN if compared.near else Certainty.PROBABLE


RULES = {"goal": _goal, "sent-off": _sent_off}
"""Class → what makes two incidents of it the same."""


def _only_one_there(one: Incident, two: Incident, both: _Both) -> bool:
    """Whether neither source has another incident of this class and side near these."""
    return all(_alone(each, there) for each, there in ((one, both.ours), (two, both.theirs)))


def _alone(incident: Incident, there: Mapping[str, Incident]) -> bool:
    return not any(
        each.key != incident.key and _same_thing(each, incident) and (minutes_apart(each, incident) or 0) <= FAR
        for each in there.values()
    )


def same_people(one: Incident, two: Incident, known: AbstractSet[str]) -> bool | None:
    """Whether the people who count are the same in both; None where a source names none of them.

    `known`: ids of the leading source's people.
    """
    ours, theirs = _by_role(one), _by_role(two)
    compared = [_same_person(ours[role], theirs[role], known) for role in ours.keys() & theirs.keys()]
    return all(compared) if compared else None


ROLES: Mapping[str, str] = {"scorer": "player", "own-goal": "player", "player": "player", "in": "in", "out": "out"}
"""Roles that identify an incident, under one name; an assist comes and goes."""


def _by_role(incident: Incident) -> dict[str, Person]:
    return {ROLES[each.role]: each.person for each in incident.people if each.role in ROLES}


def _same_person(one: Person, two: Person, known: AbstractSet[str]) -> bool:
    """By the join of the squads; by a word of their names where the other source's person is joined with nobody."""
    if one.ext_id == two.ext_id or two.ext_id in known:
        return one.ext_id == two.ext_id
    return bool(name_tokens(one.name, one.short_name) & name_tokens(two.name, two.short_name))
