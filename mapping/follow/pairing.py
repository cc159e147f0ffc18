"""Which match of another provider's list is the same one: by kick-off, by who may play, and by both teams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

from mapping.follow.links import Links, SourceId
from mapping.follow.team_names import are_same_team, share_words
from mapping.fusion.joined_people import which_team
from mapping.match.fixture import Fixture, FixtureStatus, NamedId

SAME_TIME = 30 * 60
"""Seconds between two kick-offs that may be one."""
SHOWN_APART = 3 * 3600
"""Seconds between two kick-offs up to which a person is shown the match as a candidate."""
MOST_CANDIDATES = 8


class Sameness(IntEnum):
    """How sure it is that two are the same."""

    DIFFERENT = 0
    UNKNOWN = 1
    SAME = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSame:
    """What is linked already: teams, and competitions, of all providers."""

    teams: Links
    competitions: Links


class ListedAt(NamedTuple):
    """The matches of a provider's list around a moment."""

    provider: str
    fixtures: Sequence[Fixture]


@dataclass(frozen=True, slots=True)
class Pairing:
    """The match that is surely the same; None where none is or several are. `candidates` may be, the likeliest first."""

    found: Fixture | None
    candidates: tuple[Fixture, ...] = ()


def find_same(match: Fixture, own: ListedAt, other: ListedAt, known: KnownSame) -> Pairing:
    """The match of the other list that is surely this one, which in turn no other match of its own list may be."""
    near = [each for each in other.fixtures if _is_same_time(match, each, SHOWN_APART)]
    surely = [each for each in near if _is_surely(match, own.provider, each, other.provider, known)]
    if len(surely) == 1 and not any(
        each.match_id != match.match_id and _is_surely(each, own.provider, surely[0], other.provider, known)
        for each in own.fixtures
    ):
        return Pairing(surely[0])
    ranked = ((_likeness(match, own.provider, each, other.provider, known), each) for each in near)
    likely = sorted((pair for pair in ranked if pair[0]), key=lambda pair: (-pair[0], pair[1].match_id))
    return Pairing(None, tuple(each for _, each in likely[:MOST_CANDIDATES]))


def _is_surely(one: Fixture, provider: str, two: Fixture, other: str, known: KnownSame) -> bool:
    if not _is_same_time(one, two, SAME_TIME) or one.kickoff_open or two.kickoff_open or one.sport != two.sport:
        return False
    linked = _competitions(one, provider, two, other, known)
    if two.status is FixtureStatus.CANCELLED or _players(one, two, linked) is not Sameness.SAME:
        return False
    teams = sorted(_teams(one, provider, two, other, known))
    return teams == [Sameness.SAME] * 2 or (
        linked is Sameness.SAME and teams == [Sameness.UNKNOWN, Sameness.SAME]  # no team plays twice at an hour
    )


def _likeness(one: Fixture, provider: str, two: Fixture, other: str, known: KnownSame) -> int:
    """How likely a person says that both are the same; 0 for what is not worth a look."""
    if one.sport != two.sport or two.status is FixtureStatus.CANCELLED:
        return 0
    linked = _competitions(one, provider, two, other, known)
    sides = ((one.home, two.home), (one.away, two.away))
    if _players(one, two, linked) is Sameness.DIFFERENT or any(
        _kinds(one, ours) != _kinds(two, theirs) for ours, theirs in sides
    ):
        return 0
    certain = [*_teams(one, provider, two, other, known)].count(Sameness.SAME)
    alike = sum(
        ours is not None and theirs is not None and share_words(ours.name, theirs.name) for ours, theirs in sides
    )
    return 4 * certain + 2 * alike + (linked is Sameness.SAME) if certain or alike == len(sides) else 0


def _is_same_time(one: Fixture, two: Fixture, most: int) -> bool:
    return one.kickoff is not None and two.kickoff is not None and abs(one.kickoff - two.kickoff) <= most


def _competitions(one: Fixture, provider: str, two: Fixture, other: str, known: KnownSame) -> Sameness:
    return _linked(one.competition, provider, two.competition, other, known.competitions)


def _linked(one: NamedId | None, provider: str, two: NamedId | None, other: str, links: Links) -> Sameness:
    """Whether both ids are linked; DIFFERENT where one of them is linked to another id of the provider."""
    if one is None or two is None:
        return Sameness.UNKNOWN
    ours, theirs = SourceId(provider, one.id), SourceId(other, two.id)
    if links.head(ours) == links.head(theirs):
        return Sameness.SAME
    elsewhere = links.at(ours, other), links.at(theirs, provider)
    return Sameness.UNKNOWN if elsewhere == (None, None) else Sameness.DIFFERENT


def _players(one: Fixture, two: Fixture, competitions: Sameness) -> Sameness:
    """Whether gender and age class are equal; of linked competitions they are, as far as one list does not say them."""
    pairs = ((_gender(one), _gender(two)), (_age_class(one), _age_class(two)))
    if any(ours is not None and theirs is not None and ours != theirs for ours, theirs in pairs):
        return Sameness.DIFFERENT
    known = all(ours is not None and theirs is not None for ours, theirs in pairs)
    return Sameness.SAME if known or competitions is Sameness.SAME else Sameness.UNKNOWN


def _teams(one: Fixture, provider: str, two: Fixture, other: str, known: KnownSame) -> Iterator[Sameness]:
    """Of both sides whether the teams are the same: by what is linked, else by their names."""
    for ours, theirs in ((one.home, two.home), (one.away, two.away)):
        if ours is None or theirs is None:
            yield Sameness.UNKNOWN
        elif _kinds(one, ours) != _kinds(two, theirs):
            yield Sameness.DIFFERENT
        else:
            linked = _linked(ours, provider, theirs, other, known.teams)
            by_name = linked is Sameness.UNKNOWN and are_same_team(ours.name, theirs.name)
            yield Sameness.SAME if by_name else linked


def _gender(fixture: Fixture) -> str | None:
    """Men or women, as the list says, else as the teams are called."""
    return fixture.gender or ("female" if "women" in _called(fixture) else None)


def _age_class(fixture: Fixture) -> str | None:
    """The age class, as the list says, else as the teams are called."""
    return fixture.age_class or min((each for each in _called(fixture) if _is_age(each)), default=None)


def _kinds(fixture: Fixture, team: NamedId | None) -> frozenset[str]:
    """Which of its club's teams it is beyond what is said of the whole match: its second, its young."""
    said = {"women"} if _gender(fixture) == "female" else set()
    return frozenset() if team is None else _kinds_of(team.name) - said - {_age_class(fixture) or ""}


def _called(fixture: Fixture) -> frozenset[str]:
    return frozenset().union(*(_kinds_of(each.name) for each in (fixture.home, fixture.away) if each is not None))


@lru_cache(8192)
def _kinds_of(name: str) -> frozenset[str]:
    return which_team(name)


def _is_age(kind: str) -> bool:
    return kind[:1] == "u" and kind[1:].isdigit()


def listed_match(fixture: Fixture) -> dict[str, Any]:
    """What a person compares of a match, as JSON."""
    named = {"competition": fixture.competition, "home": fixture.home, "away": fixture.away}
    return {
        "matchId": fixture.match_id,
        **{part: None if each is None else {"id": each.id, "name": each.name} for part, each in named.items()},
        "kickoff": fixture.kickoff,
        "gender": fixture.gender,
        "ageClass": fixture.age_class,
    }
