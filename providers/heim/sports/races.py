"""A row of a race's `match-event`, read and checked once.

Public material shows no such row, so every word of it is a name that the config can correct.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mapping.match import PERIOD_KEY
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim import squads
from providers.heim.payload import EVENTS
from providers.heim.rows import understood
from providers.heim.sports.flags import TRACK

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mapping.match import Person, Side
    from providers.heim.read import Row
    from providers.heim.sports.base import Source

PREFIX = "race_"
FRAME = {"game-start": "start", "game-end": "end"}
"""Kinds of the action `match`, which other sports have too."""

ONCE = ("start", "end", "podium")
"""Kinds that a session has once, whoever tells of them."""

MARKS = frozenset(f"{PERIOD_KEY}motorsports.{kind}" for kind in ONCE)
"""Their keys: what may be in a row that cannot be understood."""

SILENT = frozenset({"playing", "coaching"})
"""Actions of rows that are no incident: the start list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceEvent:
    """One row: `kind` is the interface's word without its prefix, `over` says that a flag or safety car is lifted."""

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


def read_rows(source: Source) -> tuple[RaceEvent, ...]:
    """The rows by time, lap and id; of two with one id the last stands, withdrawn ones are left out."""
    about, found = source.notes.about(EVENTS, ""), dict[str, RaceEvent]()
    for place, row in enumerate(source.event_rows):
        event = understood(row, place, about, partial(_read, source=source), keep=MARKS)
        if event is not None:
            found[event.id] = event
    return tuple(sorted(found.values(), key=lambda event: event.rank))


def kind_of(action: str | None, kind: str | None, names: Mapping[str, str]) -> str | None:
    """The interface's word for a row, None where it has none."""
    if action == "match" and kind in FRAME:
        return FRAME[kind]
    words = (name for name, word in names.items() if name.startswith(PREFIX) and word and word == kind)
    return next((name.removeprefix(PREFIX) for name in words), None)


def drivers(events: Iterable[RaceEvent]) -> Mapping[str, tuple[Person, Side | None]]:
    """Everybody whom the rows name, with the team that they name."""
    found: dict[str, tuple[Person, Side | None]] = {}
    for event in events:
        for person, team in ((event.person, event.team), (event.other, event.other_team)):
            if person is not None and (team is not None or person.ext_id not in found):
                found[person.ext_id] = (person, team)
    return found


def _read(row: Row, event_id: str, notes: FaultCollector, *, source: Source) -> RaceEvent | None:
    names = source.names
    action, word = row.text("action"), row.text("kind")
    withdrawn = notes.try_read(lambda: row.flag(names["deleted"]))
    if action in SILENT or withdrawn:
        return None
    kind = kind_of(action, word, names)
    if kind is None:
        raise ValueMismatch("kind", f"unknown event {(action or '')[:40]}/{(word or '')[:40]}")
    member = notes.try_read(lambda: row.part("team_person"))
    if kind in TRACK and row.data.get("content") is None:
        notes.add("content", "missing")
    content = notes.try_read(lambda: row.text("content"))
    return RaceEvent(
        id=event_id,
        kind=kind,
        lap=notes.try_read(lambda: row.number(names["lap"])) or None,
        created_at=notes.try_read(lambda: row.moment("created", source.zone)),
        team=notes.try_read(lambda: squads.side(row.part("team"), notes, names)),
        person=notes.try_read(lambda: squads.person(row.part("person"), member, notes, names)),
        other=notes.try_read(lambda: squads.person(row.part("additional_person"), None, notes, names)),
        other_team=notes.try_read(lambda: squads.side(row.part(names["additional_team"]), notes, names)),
        content=content,
        over=(content or "").casefold() in names["over_words"].casefold().split(","),
    )
