"""Which match an id means: providers reuse ids and give a match another one, so teams and day count as well."""

from __future__ import annotations

from dataclasses import dataclass

from mapping.match.match import Match, Status

APART = 12 * 3600
"""Seconds between two kick-offs of which the later one is no correction of the earlier one once that match is over."""
APART_OPEN = 24 * 3600
"""The same where the hour of the later one may stand for "not fixed yet"."""
APART_OVER = 3 * 3600
"""Seconds between two kick-offs of which the later one may be that of another match of the same teams, once the earlier is over."""
NOT_BEGUN = frozenset({Status.SCHEDULED, Status.POSTPONED})


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchIdentity:
    """What sets matches with the same id apart. `teams`: the provider's ids of both, empty where they are not known."""

    teams: frozenset[str]
    kickoff: int | None
    kickoff_open: bool = False
    status: Status | None = None
    closed: bool = False
    """Nobody has followed the match since the window after its end closed."""

    @classmethod
    def of(cls, match: Match) -> MatchIdentity:
        return cls(
            teams=teams_of(match),
            kickoff=match.kickoff,
            kickoff_open=match.kickoff_open,
            status=match.status,
        )


def teams_of(match: Match) -> frozenset[str]:
    return frozenset(side.ext_id for side in match.sides)


def is_another(before: MatchIdentity, now: MatchIdentity) -> bool:
    """Whether `now` is another match than the one of the same id that was known before.

    Teams that are not settled before a match begins, and a kick-off that moves before it ends, are corrections; one that is
    called off or broken off may be set for another day as long as it is followed.
    """
    over = before.closed or before.status is Status.FINISHED
    if over and is_another_day(before, now):
        return True
    settled = over or before.status not in NOT_BEGUN
    both_known = len(before.teams) > 1 and len(now.teams) > 1
    return settled and both_known and not before.teams & now.teams


def is_renamed(before: MatchIdentity, now: MatchIdentity) -> bool:
    """Whether `now`, which has another id, is the match that was known before: both teams and the day are the same.

    Of one that is over also the hour: the same teams may play once more that day.
    """
    both_known = len(before.teams) > 1 and before.kickoff is not None and now.kickoff is not None
    if not both_known or before.teams != now.teams or is_another_day(before, now):
        return False
    over = before.closed or before.status is Status.FINISHED
    return not over or now.kickoff_open or _seconds_apart(before, now) < APART_OVER


def is_another_day(before: MatchIdentity, now: MatchIdentity) -> bool:
    """Whether the kick-offs of both are known, and too far apart for one to be a correction of the other."""
    return _seconds_apart(before, now) >= (APART_OPEN if now.kickoff_open else APART)


def _seconds_apart(before: MatchIdentity, now: MatchIdentity) -> int:
    """Between the kick-offs, as far as both are known."""
    return 0 if before.kickoff is None or now.kickoff is None else abs(now.kickoff - before.kickoff)
