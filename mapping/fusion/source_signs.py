"""What a match's source shows of itself beside its health: that it stands still while the other one goes on, or cannot be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mapping.match.match import Match, Score, Status

WHISTLES = frozenset({"soccer.pause-halves", "soccer.resume-halves"})
WHISTLES_LATE = 120.0
"""Seconds by which some feeds give a whistle later than others as a matter of course; a goal is given at once or is missed."""


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


def gives(kinds: Mapping[str, frozenset[str]], match: Match, wanted: Callable[[str], bool]) -> bool:
    """Whether the provider of a match may give an event type that is wanted."""
    given = kinds.get(match.provider)
    return given is None or any(map(wanted, given))


def gives_whistles(kinds: Mapping[str, frozenset[str]], match: Match) -> bool:
    """Whether the provider says when a part of the match begins and ends; another one shows it by a goal at most."""
    return gives(kinds, match, WHISTLES.__contains__)
