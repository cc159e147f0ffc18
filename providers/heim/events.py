"""A row of `match-event`, read and checked once; everything after works on these values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from providers.heim.catalog import IGNORED, PERIODS, SILENT, event_type
from providers.heim.payload import EVENTS
from providers.heim.read import Row
from providers.heim.squads import person, side
from providers.notes import MisfitError, Notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import tzinfo

    from mapping.match import Person, Side, SideName


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


def read_events(rows: Iterable[Any], context: Context, notes: Notes) -> tuple[Event, ...]:
    """The rows in the feed's order, coaches and withdrawn ones left out; of two with one id the last stands."""
    wanted = [row for row in rows if not (isinstance(row, dict) and row.get("action") in IGNORED)]
    found: dict[str, Event] = {}
    for position, row in enumerate(wanted):
        event = _understood(row, position, context, notes)
        if event is not None:
            found.pop(event.id, None)
            found[event.id] = event
    return tuple(found.values())


def _understood(row: Any, position: int, context: Context, notes: Notes) -> Event | None:
    about = notes.about(EVENTS, row_name(row, position))
    try:
        return _read(Row.of(row), position, context, about)
    except MisfitError as misfit:
        about.add(misfit.name, misfit.reason)
        return None


def row_name(row: Any, position: int) -> str:
    """The id of a row as far as it has one, else its place."""
    value = row.get("id") if isinstance(row, dict) else None
    return str(value)[:40] if isinstance(value, str | int) and not isinstance(value, bool) else f"#{position}"


def _read(row: Row, position: int, context: Context, notes: Notes) -> Event | None:
    names = context.names
    event_id, action, kind = row.ident("id"), row.text("action"), row.text("kind") or ""
    if event_id is None or action is None:
        raise MisfitError("id" if event_id is None else "action", "missing")
    if (
        (action, kind) not in SILENT
        and not (action == "match" and kind in PERIODS)
        and event_type(action, kind) is None
    ):
        raise MisfitError("action", f"unknown event {action[:40]}/{kind[:40]}")
    if notes.spare(lambda: row.flag(names["deleted"])):
        return None
    team_row, member = row.part("team"), notes.spare(lambda: row.part("team_person"))
    team_id = team_row.ident("id") if team_row is not None else row.ident("team_id")
    known = team_id is not None and team_id in context.sides
    if action != "match" and not known:
        notes.add("team", "missing" if team_id is None else "plays for neither side")
    return Event(
        id=event_id,
        action=action,
        kind=kind,
        position=position,
        minute=row.number("minute"),
        added=_positive(notes.spare(lambda: row.number(names["added_minute"]))),
        period=_period(notes.spare(lambda: row.number(names["period"])), notes, names["period"]),
        team_id=team_id,
        team=notes.spare(lambda: side(team_row, notes, names)) if known else None,
        side=context.sides.get(team_id or ""),
        person=person(row.part("person"), member, notes, names),
        additional=notes.spare(lambda: person(row.part("additional_person"), None, notes, names)),
        content=notes.spare(lambda: row.text("content")),
        created_at=notes.spare(lambda: row.moment("created", context.zone)),
    )


def _positive(value: int | None) -> int | None:
    return value or None


def _period(value: int | None, notes: Notes, name: str) -> int | None:
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
