"""What every sport's translator works with: the rows of one match, and the parts of the match that all sports share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from operator import itemgetter
from typing import Any, TypeVar

from mapping.match.match import Comment, Incident, Match, Named, Person, Score, Side, SideName, Status
from providers import teams
from providers.fault_collector import FaultCollector
from providers.heim import clock, squads
from providers.heim.comments import Binding, comments, in_order, number_of
from providers.heim.events import Context
from providers.heim.payload import Found, competition
from providers.heim.read import Event, Row
from providers.local_times import TimedRow, change_within, nearest, settle_times
from providers.row_cache import RowCache


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceEvent:
    """A row of a race: `kind` is the interface's event type without its prefix, `over` says that a flag or safety car is lifted."""

    id: str
    kind: str
    lap: int | None
    created_at: int | None
    team: Side | None
    person: Person | None
    other: Person | None
    other_team: Side | None
    content: str | None
    over: bool

    @property
    def rank(self) -> tuple[int, int, int]:
        return (self.created_at or 0, self.lap or 0, int(self.id))


Entry = TypeVar("Entry", Event, Comment, RaceEvent)

FULL_COVERAGE = "full"
"""The `live_status` of matches that have editorial text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The rows of one match; `faults` collects what in them could not be understood."""

    match_id: str
    found: Found
    event_rows: tuple[Any, ...]
    text_rows: tuple[Any, ...]
    names: Mapping[str, str]
    zone: tzinfo
    faults: FaultCollector
    rows: RowCache[Event]

    @property
    def row(self) -> Row:
        return self.found.match

    def frame(self, sport: str, status: Status) -> Match:
        """The match with what all sports have; `completed` adds the faults after the sport has added the rest."""
        return Match(
            provider="heim",
            match_id=self.match_id,
            sport=sport,
            status=status,
            kickoff=self.kickoff(),
            kickoff_open=clock.is_open(self.row),
            tournament=self.tournament(),
            location=self.faults.try_read(lambda: squads.read_named(self.row.part("venue"), self.faults)),
            text=(self.faults.try_read(self.row.text, "live_status") or FULL_COVERAGE) == FULL_COVERAGE,
        )

    def completed(self, match: Match) -> Match:
        """The match with everything that could not be understood."""
        return replace(match, faults=self.faults.collected, unreadable_keys=self.faults.unreadable)

    def status(self, playing: Status | None, *, ended: bool, keep: Iterable[str] = ()) -> Status:
        """Of a sport without period rows: what is special about the match, else whether it is over, else `playing`.

        `ended`: something else than the flag says that it is over; `keep`: keys of the incidents that the flag implies.
        """
        special = clock.special_status(self.names, self.incident(keep))
        if special is not None and special.over:
            return special
        if clock.is_finished(self.row, self.faults, keep) or ended:
            return Status.FINISHED
        return playing or special or Status.SCHEDULED

    def sides(self) -> tuple[Side | None, Side | None]:
        """Home and away without their squads."""
        home, away = (squads.try_side(self.row, name, self.faults, self.names) for name in ("home", "away"))
        return home, away

    def since(self) -> int | None:
        """When the period that the match names began."""
        return self.faults.try_read(self.row.moment, "current_period_start", self.zone)

    def kickoff(self) -> int | None:
        return clock.kickoff(self.row, self.zone, self.faults)

    def kickoff_beside(self, start: Incident | RaceEvent | None) -> int | None:
        """When the match begins; once there is a row of its start, of two hours the one in which that was."""
        return nearest(self.kickoff(), None if start is None else start.created_at, self.zone)

    def in_their_hours(
        self, rows: tuple[Entry, ...], entered: Callable[[Entry], int], minute: Callable[[Entry], int | None]
    ) -> tuple[Entry, ...]:
        """The rows with the instants that their local times mean in the nights in which clocks change.

        `entered`: the number of a row in the order in which they were entered.
        """
        change = change_within([each.created_at for each in rows if each.created_at is not None], self.zone)
        if change is None:
            return rows
        known = sorted([(entered(each), each) for each in rows], key=itemgetter(0))
        timed = {at: TimedRow(each.created_at, minute(each)) for at, each in known if each.created_at is not None}
        moments = settle_times(timed, change, self.kickoff())
        return tuple([replace(each, created_at=moments.get(entered(each))) for each in rows])

    def incident(self, keep: Iterable[str] = ()) -> str | None:
        """Id of what is special about the course of the match."""
        return clock.incident_of(self.row, self.faults, self.names, keep)

    def period(self, keep: Iterable[str] = ()) -> str:
        """`current_period`, empty where it says nothing."""
        return clock.named_period(self.row, self.faults, keep)

    def tournament(self) -> Named | None:
        """The competition inside the match or above it in the tree."""
        row = self.faults.try_read(competition, self.found)
        return self.faults.try_read(squads.read_named, row, self.faults) if row is not None else None

    def texts(self, sides: Mapping[str, SideName], binding: Binding | None = None) -> tuple[Comment, ...]:
        """The editorial text; `binding` as in `comments`, without it every item stands for itself."""
        context = Context(sides=sides, names=self.names, zone=self.zone)
        found = comments(self.text_rows, binding or (lambda _: (None, True)), context, self.faults)
        timed = self.in_their_hours(found, number_of, lambda each: each.minute)
        return found if timed is found else in_order(timed)

    def winner(self, sides: Mapping[str, SideName], status: Status, decisive: Score | None) -> SideName | None:
        """The side that the feed names; where its bodies do not know the field, the better one of a finished match."""
        if self.row.has("winner_team_id"):
            named = self.faults.try_read(self.row.ident, "winner_team_id")
            return sides.get(named or "")
        return teams.winner(status, decisive)
