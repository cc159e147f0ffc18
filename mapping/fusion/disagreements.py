"""What two sources of a match contradict each other in: the score, a scorer, a minute, a card that one of them lacks.

A source is late now and then, so a difference counts once both have answered with it twice (mapping.fusion.source_pair). Its signs
are what it shows beside its health: that it stands still while the other one goes on, or cannot be right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mapping.fusion.joined_people import people_of
from mapping.fusion.paired_incidents import CLASSES, NEAR, ROLES, kind_class, minutes_apart, same_people
from mapping.match.match import Incident, Match, Score, Status
from mapping.sports.soccer import OWN_GOAL

About = Literal["score", "scorer", "player", "minute", "missing"]
CHECKED = frozenset({"goal", "sent-off", "soccer.yellow-card", "soccer.penalty-kick-missed"})
"""Classes of incidents that both sources have to have; substitutions are missing in some."""
YELLOW, SECOND_YELLOW = "soccer.yellow-card", "soccer.yellow-red-card"
NOTHING_KNOWN: Mapping[str, frozenset[str]] = {}


WHISTLES = frozenset({"soccer.pause-halves", "soccer.resume-halves"})
WHISTLES_LATE = 120.0
"""Seconds by which some feeds give a whistle later than others as a matter of course; a goal is given at once or is missed."""


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
    (mapping.fusion.leading_source); nobody lacks what it never gives.
    """
    if None not in {first.score, second.score} and first.score != second.score:
        yield Disagreement("score", "", str(first.score), str(second.score))
    ours, theirs = ({each.key: each for each in match.incidents} for match in (first, second))
    people = frozenset(each.ext_id for each in people_of(first))
    own_goals = all(can_give(kinds, match, OWN_GOAL.id.__eq__) for match in (first, second))
    for one, two in pairs.items():
        yield from _of_pair(ours[one], theirs[two], people, own_goals=own_goals)
    for key in ours.keys() - pairs.keys():
        if _is_lacking(ours[key], second, kinds):
            yield Disagreement("missing", key, _incident_text(ours[key]), "")
    for key in theirs.keys() - set(pairs.values()):
        if _is_lacking(theirs[key], first, kinds):
            yield Disagreement("missing", key, "", _incident_text(theirs[key]))


def _of_pair(one: Incident, two: Incident, people: frozenset[str], *, own_goals: bool) -> Iterator[Disagreement]:
    """`own_goals`: both sources may call a goal an own goal."""
    if kind_class(one) in CHECKED:
        about: About = "scorer" if kind_class(one) == "goal" else "player"
        if about == "scorer" and own_goals and one.kind != two.kind:
            yield Disagreement(about, one.key, _incident_text(one), _incident_text(two))
        elif same_people(one, two, people) is False:
            yield Disagreement(about, one.key, _names(one), _names(two))
        if (minutes_apart(one, two) or 0) > NEAR:
            yield Disagreement("minute", one.key, _minute(one), _minute(two))


def _is_lacking(incident: Incident, other: Match, kinds: Mapping[str, frozenset[str]]) -> bool:
    """Whether the other source should have the incident too."""
    same = kind_class(incident)
    if same not in CHECKED or not can_give(kinds, other, lambda kind: CLASSES.get(kind, kind) == same):
        return False
    return incident.kind != YELLOW or not _is_sent_off_by_another(incident, other)


def _is_sent_off_by_another(yellow: Incident, match: Match) -> bool:
    """Whether its player has a second yellow card there: some sources delete the first one then."""
    second = [each for each in match.incidents if each.kind == SECOND_YELLOW and each.side == yellow.side]
    known = frozenset(each.ext_id for each in people_of(match))
    return any(same_people(yellow, each, known) for each in second)


def _incident_text(incident: Incident) -> str:
    return " ".join(filter(None, [incident.kind, _minute(incident), _names(incident)]))


def _names(incident: Incident) -> str:
    """Those who are compared."""
    return ", ".join(each.person.name for each in incident.people if each.role in ROLES)


def _minute(incident: Incident) -> str:
    if incident.minute is None:
        return ""
    return f"{incident.minute}+{incident.added}'" if incident.added else f"{incident.minute}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSigns:
    """Since when (Unix seconds) a source lacks what the other one has, and says what cannot be; None where it does not.

    `score`: the score that it had last.
    """

    behind_since: float | None = None
    implausible_since: float | None = None
    score: Score | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIsExpected:
    """What a source should have by what the other one has, without goals that were taken back.

    `goals`: those that are named, where the source should name them too. `whistles`: it gives them.
    """

    score: Score | None
    goals: Score | None = None
    named: Score | None = None
    whistles: bool = True

    def lacks_goal(self, own: Match) -> bool:
        """Whether the source has fewer goals than the other one, in its score or among its incidents."""
        return _is_higher(self.score, own.score) or _is_higher(self.goals, self.named)


def next_signs(before: SourceSigns, own: Match, other: Match, now: float, expected: WhatIsExpected) -> SourceSigns:
    """The signs of a source whose match is `own`, beside what the other source has.

    It is behind from when it lacks a goal, or a whistle for longer than `WHISTLES_LATE`. A score that falls is implausible as
    long as the other source has the higher one without the goals that were taken back.
    """
    late = expected.whistles and progress(other) > progress(own)
    since = now if expected.lacks_goal(own) else now + WHISTLES_LATE if late else None
    behind = None if since is None else min(since, before.behind_since or since)
    fell = _is_higher(before.score, own.score) or before.implausible_since is not None
    implausible = (before.implausible_since or now) if fell and _is_higher(expected.score, own.score) else None
    return SourceSigns(behind_since=behind, implausible_since=implausible, score=own.score)


def progress(match: Match) -> tuple[Any, ...]:
    """How far a match is; comparable between sources, of which some count the shoot-out as a part of the match."""
    rank, clock = match.status.rank, match.clock
    return (rank, clock.phase, clock.in_break) if rank == Status.LIVE.rank else (rank, 0, False)


def _is_higher(one: Score | None, other: Score | None) -> bool:
    """Whether a side has more goals in one score than in the other."""
    return one is not None and other is not None and (one.home > other.home or one.away > other.away)


def can_give(kinds: Mapping[str, frozenset[str]], match: Match, wanted: Callable[[str], bool]) -> bool:
    """Whether the provider of a match may give an event type that is wanted."""
    given = kinds.get(match.provider)
    return given is None or any(map(wanted, given))


def can_give_whistles(kinds: Mapping[str, frozenset[str]], match: Match) -> bool:
    """Whether the provider says when a part of the match begins and ends; another one shows it by a goal at most."""
    return can_give(kinds, match, WHISTLES.__contains__)
