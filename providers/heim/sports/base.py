"""What every sport's translator works with: the bodies of one match, taken apart once, and the parts that all share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mapping.match import Comment, Named, Side, SideName, Status
from providers.heim import clock, squads
from providers.heim.comments import comments
from providers.heim.events import Context
from providers.heim.sport import competition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import tzinfo

    from mapping.match import Score
    from providers.fault_collector import FaultCollector
    from providers.heim.comments import Binding
    from providers.heim.payload import Found
    from providers.heim.read import Row

FULL_COVERAGE = "full"
"""The `live_status` of matches that have editorial text."""


def alone(_event: Row) -> tuple[str | None, bool]:
    """A binding for sports without incidents: every piece of text stands for itself."""
    return None, True


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The rows of one match; `notes` collects what in them could not be understood."""

    match_id: str
    found: Found
    event_rows: tuple[Any, ...]
    text_rows: tuple[Any, ...]
    names: Mapping[str, str]
    zone: tzinfo
    notes: FaultCollector

    @property
    def row(self) -> Row:
        return self.found.match

    def sides(self) -> tuple[Side | None, Side | None]:
        """Home and away without their squads."""
        home = self.notes.try_read(lambda: squads.side(self.row.part("home"), self.notes, self.names))
        away = self.notes.try_read(lambda: squads.side(self.row.part("away"), self.notes, self.names))
        return home, away

    def since(self) -> int | None:
        """When the period that the match names began."""
        return self.notes.try_read(lambda: self.row.moment("current_period_start", self.zone))

    def kickoff(self) -> int | None:
        return clock.kickoff(self.row, self.zone, self.notes)

    def incident(self, keep: Iterable[str] = ()) -> str | None:
        """Id of what is special about the course of the match."""
        return clock.incident_of(self.row, self.notes, keep)

    def finished(self, keep: Iterable[str] = ()) -> bool:
        return clock.finished(self.row, self.notes, keep)

    def period(self, keep: Iterable[str] = ()) -> str:
        """`current_period`, empty where it says nothing."""
        return clock.period_word(self.row, self.notes, keep)

    def tournament(self) -> Named | None:
        """The competition inside the match or above it in the tree."""
        row = self.notes.try_read(lambda: competition(self.found))
        return self.notes.try_read(lambda: squads.named(row, self.notes)) if row is not None else None

    def location(self) -> Named | None:
        return self.notes.try_read(lambda: squads.named(self.row.part("venue"), self.notes))

    def has_text(self) -> bool:
        """Whether the provider says that there is editorial text; nothing said is no denial."""
        return (self.notes.try_read(lambda: self.row.text("live_status")) or FULL_COVERAGE) == FULL_COVERAGE

    def texts(self, sides: Mapping[str, SideName], binding: Binding) -> tuple[Comment, ...]:
        """The editorial text; `binding` as in `comments`."""
        context = Context(sides=sides, names=self.names, zone=self.zone)
        return comments(self.text_rows, binding, context, self.notes)

    def winner(self, sides: Mapping[str, SideName], status: Status, decisive: Score | None) -> SideName | None:
        """The side that the feed names; where its bodies do not know the field, the better one of a finished match."""
        if self.row.has("winner_team_id"):
            named = self.notes.try_read(lambda: self.row.ident("winner_team_id"))
            return sides.get(named or "")
        if status is not Status.FINISHED or decisive is None or decisive.home == decisive.away:
            return None
        return "home" if decisive.home > decisive.away else "away"
