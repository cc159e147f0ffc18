"""A row of `match-event`, read and checked once; everything after works on these values."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim.catalog import IGNORED, PERIOD_KEYS, PERIODS, SILENT, event_type
from providers.heim.payload import EVENTS
from providers.heim.rows import understood
from providers.heim.squads import person, side

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import tzinfo

    from mapping.match import Person, Side, SideName
    from providers.heim.read import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row. `position` is its place in the feed, `period` what it says itself about its phase."""

    id: str
    action: str
    kind: str
    position: int
    minute: int | None
    added: int | None
    period: int | None
    team_id: str | None
    team: Side | None
    side: SideName | None
    person: Person | None
    additional: Person | None
    content: str | None
    created_at: int | None

    @property
    def word(self) -> tuple[str, str]:
        return (self.action, self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every row is read with."""

    sides: Mapping[str, SideName]
    names: Mapping[str, str]
    zone: tzinfo
    seen: dict[tuple[str, str], tuple[tuple[Row | None, ...], Any]] = field(default_factory=dict)

    def once(self, what: str, words: tuple[Row | None, ...], notes: FaultCollector, read: Callable[[], T]) -> T:
        """What `read` makes of a team or a player: rows name the same ones over and over, mostly in the same words.

        Words with a fault are read each time, so that it is noted for each row.
        """
        name = None if words[0] is None else words[0].data.get("id")
        key = (what, name if isinstance(name, str) else "")
        earlier = self.seen.get(key)
        if earlier is not None and earlier[0] == words:
            known: T = earlier[1]
            return known
        faults, made = len(notes.sink), read()
        if len(notes.sink) == faults:
            self.seen[key] = (words, made)
        return made


def read_events(rows: Iterable[Any], context: Context, notes: FaultCollector) -> tuple[Event, ...]:
    """The rows in the feed's order, coaches and withdrawn ones left out; of two with one id the last stands."""
    wanted = [(at, row) for at, row in enumerate(rows) if not (isinstance(row, dict) and row.get("action") in IGNORED)]
    about, found = notes.about(EVENTS, ""), dict[str, Event]()
    for position, (at, row) in enumerate(wanted):
        keep = PERIOD_KEYS if _may_mark(row) else ()
        event = understood(row, at, about, partial(_read, position=position, context=context), keep=keep)
        if event is not None:
            found.pop(event.id, None)
            found[event.id] = event
    return tuple(found.values())


def _may_mark(row: Any) -> bool:
    """Whether a row may be one that marks a period."""
    action = row.get("action") if isinstance(row, dict) else None
    return action == "match" or not isinstance(action, str)


def _read(row: Row, event_id: str, notes: FaultCollector, *, position: int, context: Context) -> Event | None:
    names = context.names
    action, kind = row.text("action"), row.text("kind") or ""
    if action is None:
        raise ValueMismatch("action", "missing")
    if (
        (action, kind) not in SILENT
        and not (action == "match" and kind in PERIODS)
        and event_type(action, kind) is None
    ):
        raise ValueMismatch(
            "kind" if row.data.get("kind") is None else "action", f"unknown event {action[:40]}/{kind[:40]}"
        )
    if notes.try_read(lambda: row.flag(names["deleted"])):
        return None
    team_row, member = row.part("team"), notes.try_read(lambda: row.part("team_person"))
    team_id = team_row.ident("id") if team_row is not None else row.ident("team_id")
    known = team_id is not None and team_id in context.sides
    who, once = row.part("person"), context.once
    if action != "match" and not known:
        notes.add("team", "missing" if team_id is None else "plays for neither side")
    return Event(
        id=event_id,
        action=action,
        kind=kind,
        position=position,
        minute=row.number("minute"),
        added=_positive(notes.try_read(lambda: row.number(names["added_minute"]))),
        period=_period(notes.try_read(lambda: row.number(names["period"])), notes, names["period"]),
        team_id=team_id,
        team=notes.try_read(lambda: once("team", (team_row,), notes, lambda: side(team_row, notes, names)))
        if known
        else None,
        side=context.sides.get(team_id or ""),
        person=once("person", (who, member), notes, lambda: person(who, member, notes, names)),
        additional=notes.try_read(lambda: _additional(row, notes, context)),
        content=notes.try_read(lambda: row.text("content")),
        created_at=notes.try_read(lambda: row.moment("created", context.zone)),
    )


def _additional(row: Row, notes: FaultCollector, context: Context) -> Person | None:
    who = row.part("additional_person")
    return context.once("additional", (who,), notes, lambda: person(who, None, notes, context.names))


def _positive(value: int | None) -> int | None:
    return value or None


def _period(value: int | None, notes: FaultCollector, name: str) -> int | None:
    if value is None or 1 <= value <= 5:
        return value
    notes.add(name, "1 to 5 expected")
    return None


def people_of(events: Sequence[Event], kind: str, name: SideName) -> tuple[Person, ...]:
    """The players in the rows `playing/<kind>` of one side."""
    return tuple(
        event.person
        for event in events
        if event.word == ("playing", kind) and event.side == name and event.person is not None
    )


def lookup(events: Iterable[Event]) -> Callable[[Person | None], Person | None]:
    """A player as the squad knows him, else as the row does."""
    squads = {
        event.person.ext_id: event.person
        for event in events
        if event.person is not None and event.word in (("playing", "lineup"), ("playing", "bench"))
    }
    return lambda who: None if who is None else squads.get(who.ext_id, who)
