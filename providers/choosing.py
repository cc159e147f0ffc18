"""Chooses a match of a phase or an overall that holds several."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mapping.match.match import Status

if TYPE_CHECKING:
    from collections.abc import Iterable

RUNNING, NEXT, LAST = range(3)
NOT_FIXED = 1 << 60
"""A kick-off that is not known comes after all that are."""


class Candidate(NamedTuple):
    """A match that may be chosen; `tie` (the same type for all) orders matches of one time."""

    status: Status
    kickoff: int | None
    tie: int | str
    id: str


def choose(candidates: Iterable[Candidate]) -> str | None:
    """The id of the running match, else of the next one, else of the last; None where there is none."""
    return min((((_rank(each)), each.tie, each.id) for each in candidates), default=(None, None, None))[-1]


def _rank(match: Candidate) -> tuple[int, int]:
    """(class, time): of running and coming matches the earliest is first, of those that are over the latest."""
    if match.status.running:
        return RUNNING, match.kickoff or 0
    if match.status is Status.SCHEDULED:
        return NEXT, NOT_FIXED if match.kickoff is None else match.kickoff
    return LAST, -(match.kickoff or 0)
