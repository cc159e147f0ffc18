"""A match in a provider's list of a day: enough to choose it by, not enough to follow it.

What a list does not say is None, never guessed. Times are Unix seconds, UTC; ids are the provider's, as strings.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from mapping.match.match import Status


class FixtureStatus(StrEnum):
    """Where a match stands, as far as a list says it."""

    SCHEDULED = "scheduled"
    LIVE = "live"
    FINISHED = "finished"
    POSTPONED = "postponed"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"

    @property
    def begun(self) -> bool:
        """Whether there may be a score: it runs, or was played."""
        return self in {FixtureStatus.LIVE, FixtureStatus.FINISHED, FixtureStatus.ABANDONED}

    @classmethod
    def of(cls, status: Status) -> FixtureStatus:
        """Where a match of this status stands; breaks and shoot-outs are live."""
        return cls.LIVE if status.running else cls(status.value)


@dataclass(frozen=True, slots=True)
class NamedId:
    """A competition or a team of a list: the provider's id, and its name there."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One match of a list.

    `sport` is a sport of `mapping.sports`, or the provider's own word for one that is not mapped. `kickoff_open`: the day is
    known and the hour is not, so `kickoff` is the day's begin. `home` and `away` are None where no teams meet (a race), and as
    long as the list does not name one. `title` is the provider's, for what has no teams. `score` is the score of the pitch, home
    first. `status_word` is the provider's word where its table does not know it (then `status` is None). `gender` is `male` or
    `female`, `age_class` `senior` or one such as `u19`. `text_coverage`: whether there is editorial text.
    """

    match_id: str
    sport: str | None = None
    competition: NamedId | None = None
    season: str | None = None
    round: str | None = None
    home: NamedId | None = None
    away: NamedId | None = None
    title: str | None = None
    kickoff: int | None = None
    kickoff_open: bool = False
    status: FixtureStatus | None = None
    status_word: str | None = None
    score: tuple[int, int] | None = None
    gender: str | None = None
    age_class: str | None = None
    text_coverage: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureList:
    """What one look at a list gave. `unreadable` rows are left out; `fresh_for`: seconds for which the provider says it holds."""

    fixtures: tuple[Fixture, ...]
    unreadable: int = 0
    fresh_for: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureDay:
    """The list of one day as an organization gets it at its endpoint, whose `timezone` says when the day begins.

    `sports`: those whose matches can become liveblogs.
    """

    day: date
    timezone: str
    endpoint: str
    sports: frozenset[str]
    listed: FixtureList
