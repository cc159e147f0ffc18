"""What every sport's translator works with: the rows of one match, and the parts of the match that all sports share.

Among them the editorial text: standalone items, and narratives of incidents without the headline that the feed adds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from html import escape
from operator import itemgetter
from typing import Any, TypeVar

from mapping.match.match import Comment, Incident, Match, Named, Person, Score, Side, SideName, Status
from providers import results_and_squads
from providers.fault_collector import FaultCollector, RowCache, ValueMismatch
from providers.heim import clock, squads
from providers.heim.catalog import PERIODS, SILENT, event_type
from providers.heim.events import IN, OUT, Context
from providers.heim.payload import TEXT, Found, competition
from providers.heim.read import Event, Row, read_row
from providers.local_times import TimedRow, change_within, nearest, settle_times

HEADLINE = re.compile(
    r"\s*(?P<p><p>)?\s*(?:<b>[^<]*</b>|<span class=\"(?:rot|gruen)text\">[^<]*</span>)\s*"
    r"(?P<after></p>|<br\s*/?>|$)\s*"
)
"""`<b>Goal for …</b> <br/>` or `<p><b>…</b></p>` at the beginning of an item that is bound to an event."""
NOTHING = re.compile(r"(?:\s|&nbsp;|</?p>|<br\s*/?>)*")
Binding = Callable[[Row], tuple[str | None, bool]]
"""The event of an item → key of the incident that it is about, and whether it is the first choice of text for that."""


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
        return results_and_squads.winner(status, decisive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A comment with what it is sorted and chosen by; `main` is False for the lesser of two texts on one incident."""

    comment: Comment
    main: bool = True


def comments(rows: Iterable[Any], binding: Binding, context: Context, faults: FaultCollector) -> tuple[Comment, ...]:
    """The items by minute and time; `binding` finds the incident that an event belongs to. One text for each incident."""
    rows_faults, found = faults.for_row(TEXT, ""), dict[str, Item]()
    for place, row in enumerate(rows):
        item = read_row(row, place, rows_faults, partial(_read, binding=binding, context=context))
        if item is not None:
            found[item.comment.key] = item
    chosen: dict[str, Item] = {}
    for item in sorted(found.values(), key=lambda item: (item.main, _rank(item.comment))):
        chosen[item.comment.incident_key or item.comment.key] = item
    return in_order(item.comment for item in chosen.values())


def in_order(comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """The texts by minute and time."""
    return tuple(replace(each, order=order) for order, each in enumerate(sorted(comments, key=_rank)))


def number_of(comment: Comment) -> int:
    """Its id, which rises in the order in which texts are entered."""
    return int(comment.key.partition(":")[2])


def _rank(comment: Comment) -> tuple[int, int, int]:
    return (comment.minute or 0, comment.created_at or 0, number_of(comment))


def _read(row: Row, item_id: str, faults: FaultCollector, *, binding: Binding, context: Context) -> Item | None:
    if row.data.get("content") is None:
        raise ValueMismatch("content", "missing")
    content, headline = row.text("content") or "", row.text("headline")
    event = row.part("event")
    incident, main = (None, True) if event is None else binding(event)
    html = content if incident is None else strip_headline(content)
    if headline is not None and incident is None:
        html = f"<b>{escape(headline, quote=False)}</b><br/>{html}"
    if NOTHING.fullmatch(html):
        return None
    comment = Comment(
        key=f"text:{item_id}",
        order=0,
        html=html,
        incident_key=incident,
        minute=row.number("minute"),
        created_at=faults.try_read(row.moment, "tickertime", context.zone),
        credit=faults.try_read(row.text, "syndicate"),
    )
    return Item(comment=comment, main=main)


def incident_of_comment(event: Row, *, keys: Mapping[str, str]) -> tuple[str | None, bool]:
    """The incident that an item of soccer is about (`keys`: see `incident_keys`), and whether this is its first choice of text.

    What never becomes an incident (a line-up, an unknown kind) has an item that stands for itself.
    """
    event_id, keyword = event.ident("id"), (event.text("action") or "", event.text("kind") or "")
    if event_id is None:
        raise ValueMismatch("event.id", "missing")
    if event_id in keys:
        return keys[event_id], keyword != OUT
    if keyword[0] == "match" and keyword[1] in PERIODS:
        return PERIODS[keyword[1]].key, False
    if keyword in (IN, OUT) or (keyword not in SILENT and event_type(*keyword) is not None):
        return f"incident:{event_id}", True
    return None, True


def strip_headline(content: str) -> str:
    """The narrative without the automatic headline."""
    found = HEADLINE.match(content)
    if found is None:
        return content
    keep = "<p>" if found["p"] and found["after"] != "</p>" else ""
    return keep + content[found.end() :]
