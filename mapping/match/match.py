"""The canonical match: what every provider's data is translated into, and all that the rest of the program knows of a match.

Values are frozen and built from a provider's last good snapshot alone, so two equal snapshots give two equal matches.
Times are Unix seconds, UTC. Identities (`ext_id`) are the provider's, as strings, unique within one provider and kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

SideName = Literal["home", "away"]
OPPONENT: Mapping[SideName, SideName] = {"home": "away", "away": "home"}

PERIOD_KEY = "period:"
"""Prefix of the key of an incident that marks a period; what follows is its kind, whoever sent or synthesised it."""


class Status(StrEnum):
    """Where a match stands in its life."""

    SCHEDULED = "scheduled"
    LIVE = "live"
    BREAK = "break"
    SHOOTOUT = "shootout"
    FINISHED = "finished"
    POSTPONED = "postponed"
    ABANDONED = "abandoned"
    CANCELLED = "cancelled"

    @property
    def running(self) -> bool:
        """Between the first and the last whistle, breaks included."""
        return self in {Status.LIVE, Status.BREAK, Status.SHOOTOUT}

    @property
    def over(self) -> bool:
        """Nothing more is expected but corrections."""
        return self in {Status.FINISHED, Status.ABANDONED, Status.CANCELLED}

    @property
    def rank(self) -> int:
        """Its place in the order of a match; those that end it come last."""
        return RANK.get(self, len(RANK))


RANK: Mapping[Status, int] = {
    Status.SCHEDULED: 0,
    Status.POSTPONED: 0,
    Status.LIVE: 1,
    Status.BREAK: 1,
    Status.SHOOTOUT: 2,
}


class Decided(StrEnum):
    """How a match was decided: said by its provider, or certain by what its provider means by what it sends.

    `UNKNOWN`: it is over by the provider's flag, and the result is still to come.
    """

    REGULAR = "regular"
    OVERTIME = "overtime"
    SHOOTOUT = "shootout"
    RETIRED = "retired"
    WALKOVER = "walkover"
    AWARD = "award"
    ABANDONED = "abandoned"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A player as the provider knows them. `height` in centimetres, `weight` in grams, `birthdate` in seconds."""

    ext_id: str
    name: str
    short_name: str | None = None
    number: str | None = None
    position: str | None = None
    country: str | None = None
    gender: str | None = None
    birthdate: int | None = None
    height: int | None = None
    weight: int | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two teams (in tennis: one of the two players or pairs) with the squad named for this match."""

    ext_id: str
    name: str
    short_name: str | None = None
    country: str | None = None
    image: str | None = None
    lineup: tuple[Person, ...] = ()
    bench: tuple[Person, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A tournament or a location."""

    ext_id: str
    name: str
    town: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class Score:
    home: int
    away: int

    def __str__(self) -> str:
        return f"{self.home}:{self.away}"

    @property
    def total(self) -> int:
        return self.home + self.away

    @property
    def ahead(self) -> SideName | None:
        """The side that has more, None where both have the same."""
        return None if self.home == self.away else "home" if self.home > self.away else "away"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodScore:
    """The score at the end of, or within, one named part of the match (`half-time`, `full-time`, `extra-time`, set "1")."""

    title: str
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The state of play. `phase` counts from 1 through regular and overtime phases; 0 is before the first.

    `stopped`: play in it is stopped, and nobody knows whether it goes on.
    """

    phase: int = 0
    phase_started_at: int | None = None
    in_break: bool = False
    break_started_at: int | None = None
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Involved:
    """A person's part in an incident; `role` is one of the sport's roles (`scorer`, `assist`, `in`, `out`, `player`, …).

    `team` is the person's own, in sports where more than two compete.
    """

    role: str
    person: Person
    team: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingEntry:
    """One place of a ranking; `time`, `gap` and `status` are shown as they are. Who is `disqualified` has no position."""

    position: int | None
    person: Person | None = None
    team: Side | None = None
    time: str | None = None
    gap: str | None = None
    status: str | None = None
    disqualified: bool = False
    laps: int | None = None
    """Laps completed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """The state of a race: the running lap, the flag or safety measure in force, and who is where.

    `timed`: it is no race, and whoever has the best lap is first.
    """

    lap: int | None = None
    total_laps: int | None = None
    flag: str | None = None
    ranking: tuple[RankingEntry, ...] = ()
    timed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One thing that happened in the match.

    `key` identifies it within the match: `incident:<provider id>`, or `period:<kind>` for the start and end of a period.
    `side` is the side of the acting player (for an own goal the scorer's own team, whose opponent gets the goal).
    `minute` is the running minute (1-based), `added` the minutes on top of it in added time, where known.
    `order` is the provider's sequence and breaks ties between equal times. `lap` and `team` belong to races; `detail` is
    what the provider adds in its own words (the seconds of a pit stop, a penalty, a quotation).
    """

    key: str
    kind: str
    order: int
    minute: int | None = None
    added: int | None = None
    phase: int | None = None
    side: SideName | None = None
    people: tuple[Involved, ...] = ()
    score: Score | None = None
    method: str | None = None
    created_at: int | None = None
    synthesised: bool = False
    lap: int | None = None
    team: Side | None = None
    detail: str | None = None
    under_review: bool = False
    """The score does not count it any more, though its row is still there (mapping.belief.goals)."""

    @property
    def running_minute(self) -> int:
        """Minutes with added time: of `45+2'` 47; 0 where the source has none."""
        return (self.minute or 0) + (self.added or 0)

    @property
    def marks_period(self) -> bool:
        return self.key.startswith(PERIOD_KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A piece of the provider's editorial text: standalone, or the narrative of the incident `incident_key`.

    `html` is as the provider sent it: not sanitised yet.
    """

    key: str
    order: int
    html: str
    incident_key: str | None = None
    minute: int | None = None
    created_at: int | None = None
    credit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A row or field of a good body that could not be understood and was left out; the rest of the body stands.

    `blocks_withdrawal`: nobody knows which incidents are in what was left out, so the answer takes none of them back.
    """

    resource: str
    row: str
    field: str
    reason: str
    blocks_withdrawal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The last good snapshot of one match.

    `score` is the score on the pitch (after extra time too), `shootout` the tally of a shoot-out alone, `periods` the
    scores of parts that the provider gave. `text` is False where the provider says that it has no editorial text for this match.
    A race has neither home nor away, but a `title` and, once there is a start list or a classification, a `race`.
    `decided` says how a match was decided, as soon as that is certain; a match that is over has none where the sport knows one
    way alone. `points` are those of a running game, and `serving` is who serves it. `kickoff_open`: the hour of `kickoff` may
    stand for "not fixed yet".
    """

    provider: str
    match_id: str
    sport: str
    status: Status
    kickoff: int | None = None
    kickoff_open: bool = False
    clock: Clock = field(default_factory=Clock)
    home: Side | None = None
    away: Side | None = None
    tournament: Named | None = None
    location: Named | None = None
    score: Score | None = None
    award: Score | None = None
    """The score by decision, where there is one (mapping.belief.match_course)."""
    shootout: Score | None = None
    periods: tuple[PeriodScore, ...] = ()
    winner: SideName | None = None
    incidents: tuple[Incident, ...] = ()
    comments: tuple[Comment, ...] = ()
    text: bool = True
    faults: tuple[Fault, ...] = ()
    title: str | None = None
    decided: Decided | None = None
    points: tuple[str, str] | None = None
    serving: SideName | None = None
    race: Race | None = None
    unreadable_keys: frozenset[str] = frozenset()
    """Keys of incidents that may be in the answer, in a form that could not be understood: they are not missing."""
    posts_alone: frozenset[str] = frozenset()
    """Keys of incidents and texts of which only the posts are known (mapping.posts.belief_from_posts)."""

    @property
    def sides(self) -> tuple[Side, ...]:
        return tuple(side for side in (self.home, self.away) if side is not None)

    @property
    def sent_status(self) -> Status:
        """The status; of a match that goes on only because its result is still to come that it is finished."""
        return Status.FINISHED if self.status.running and self.decided is Decided.UNKNOWN else self.status

    @property
    def teams(self) -> tuple[Side, ...]:
        """The sides; of a race the teams of its ranking, with their people as the line-up, in the order of the teams' ids."""
        found: dict[str, Side] = {}
        for place in self.race.ranking if self.race is not None else ():
            if place.team is not None:
                team = found.get(place.team.ext_id, place.team)
                people = {who.ext_id: who for who in (*team.lineup, place.person) if who is not None}
                found[team.ext_id] = replace(team, lineup=tuple(people.values()))
        return self.sides or tuple(found[name] for name in sorted(found))

    @property
    def unreadable(self) -> frozenset[str]:
        """Keys of what is in the answer in a form that could not be understood, or may be: it is not missing."""
        return self.unreadable_keys.union(
            f"{kind}:{fault.row}" for fault in self.faults for kind in ("incident", "text")
        )

    @property
    def withdrawal_blocked(self) -> frozenset[str]:
        """Resources in which anything may be that could not be understood: nothing of theirs is missing."""
        return frozenset(fault.resource for fault in self.faults if fault.blocks_withdrawal)

    def side(self, name: SideName | None) -> Side | None:
        """The named side, or None."""
        return {"home": self.home, "away": self.away}.get(name or "")


class Part(StrEnum):
    """What a resource may carry. `ROWS` are incidents that the provider sends, `IMPLIED` those made of the state or the result."""

    FACTS = "facts"
    STATE = "state"
    SCORE = "score"
    SHOOTOUT = "shootout"
    SQUADS = "squads"
    ROWS = "rows"
    IMPLIED = "implied"
    RACE = "race"
    TEXT = "text"


ALL_PARTS = frozenset(Part)
