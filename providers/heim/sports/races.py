"""Reads a race's rows of `match-event`: which of them are one incident, and which flag is in force.

Public material shows no such row, so every keyword of it is a name that the config can correct.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from mapping.match.match import PERIOD_KEY, Person, Side, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim import squads
from providers.heim.payload import EVENTS
from providers.heim.read import Row, read_row
from providers.heim.sports.base import RaceEvent, Source

PREFIX = "race_"
FRAME = {"game-start": "start", "game-end": "end"}
"""Kinds of the action `match`, which other sports have too."""

ONCE = ("start", "end", "podium")
"""Kinds that a session has once, whoever reports them."""

MARKS = frozenset(f"{PERIOD_KEY}motorsports.{kind}" for kind in ONCE)
"""Their keys: what may be in a row that cannot be understood."""

SILENT = frozenset({"playing", "coaching"})
"""Actions of rows that are no incident: the start list."""


YELLOW, RED = "yellow-flag", "red-flag"
TRACK = frozenset({"safety-car", "virtual-safety-car", RED, YELLOW})
ONE_INCIDENT = 120
"""Seconds between two yellow flags of one incident, where the laps are not known."""


def read_rows(source: Source) -> tuple[RaceEvent, ...]:
    """The rows by time, lap and id; of two with one id the last stands, withdrawn ones are left out."""
    faults, found = source.faults.for_row(EVENTS, ""), dict[str, RaceEvent]()
    for place, row in enumerate(source.event_rows):
        event = read_row(row, place, faults, partial(_read, source=source), keep=MARKS)
        if event is not None:
            found[event.id] = event
    events = source.in_their_hours(tuple(found.values()), lambda each: int(each.id), lambda _: None)
    return tuple(sorted(events, key=lambda event: event.rank))


def kind_of(action: str | None, kind: str | None, names: Mapping[str, str]) -> str | None:
    """The interface's event type for a row, without its prefix; None where it has none."""
    if action == "match" and kind in FRAME:
        return FRAME[kind]
    found = (name for name, keyword in names.items() if name.startswith(PREFIX) and keyword and keyword == kind)
    return next((name.removeprefix(PREFIX) for name in found), None)


def drivers(events: Iterable[RaceEvent]) -> Mapping[str, tuple[Person, Side | None]]:
    """Everybody whom the rows name, with the team that they name."""
    found: dict[str, tuple[Person, Side | None]] = {}
    for event in events:
        for person, team in ((event.person, event.team), (event.other, event.other_team)):
            if person is not None and (team is not None or person.ext_id not in found):
                found[person.ext_id] = (person, team)
    return found


def _read(row: Row, event_id: str, faults: FaultCollector, *, source: Source) -> RaceEvent | None:
    names = source.names
    action, kind = row.text("action"), row.text("kind")
    withdrawn = faults.try_read(row.flag, names["deleted"])
    if action in SILENT or withdrawn:
        return None
    event_type = kind_of(action, kind, names)
    if event_type is None:
        raise ValueMismatch("kind", f"unknown event {(action or '')[:40]}/{(kind or '')[:40]}")
    member = faults.try_read(row.part, "team_person")
    if event_type in TRACK and row.data.get("content") is None:
        faults.add("content", "missing")
    content = faults.try_read(row.text, "content")
    return RaceEvent(
        id=event_id,
        kind=event_type,
        lap=faults.try_read(row.number, names["lap"]) or None,
        created_at=faults.try_read(row.moment, "created", source.zone),
        team=squads.try_side(row, "team", faults, names),
        person=squads.try_person(row, "person", member, faults, names),
        other=squads.try_person(row, "additional_person", None, faults, names),
        other_team=squads.try_side(row, names["additional_team"], faults, names),
        content=content,
        over=(content or "").casefold() in names["over_words"].casefold().split(","),
    )


def merge_flags(events: Sequence[RaceEvent]) -> list[list[RaceEvent]]:
    """The rows in groups of one incident each: yellow flags of one incident (several sectors, its end) are one."""
    groups: list[list[RaceEvent]] = []
    waving: list[RaceEvent] = []
    for event in events:
        if event.kind == YELLOW and waving and _belongs(waving, event):
            waving.append(event)
            continue
        groups.append([event])
        if event.kind == YELLOW:
            waving = [] if event.over else groups[-1]
        elif event.kind in TRACK:
            waving = []  # a safety car or a red flag says more, and what follows is something new
    return groups


def _belongs(waving: Sequence[RaceEvent], event: RaceEvent) -> bool:
    """Whether a yellow flag goes on: until it is lifted, within its lap, or soon after where no lap is known."""
    last = waving[-1]
    if last.over:
        return False
    if event.over or (last.lap is not None and event.lap is not None and last.lap == event.lap):
        return True
    if last.created_at is None or event.created_at is None or (last.lap is not None and event.lap is not None):
        return False
    return event.created_at - last.created_at <= ONE_INCIDENT


def is_stopped(events: Sequence[RaceEvent]) -> bool:
    """Whether a red flag has stopped the session and nobody has restarted it."""
    turns = [event for event in events if event.kind in (RED, "start")]
    return bool(turns) and turns[-1].kind == RED and not turns[-1].over


def flag_in_force(events: Sequence[RaceEvent], status: Status) -> str | None:
    """The latest flag or safety car of the race control; a yellow flag is forgotten in the next lap."""
    if status is Status.FINISHED:
        return "chequered-flag"
    if not status.running:
        return None
    last = next((event for event in reversed(events) if event.kind in TRACK or event.kind == "start"), None)
    return "green-flag" if last is None or last.kind == "start" or last.over or _is_passed(last, events) else last.kind


def _is_passed(flag: RaceEvent, events: Sequence[RaceEvent]) -> bool:
    """Whether a yellow flag belongs to an earlier lap."""
    laps = [event.lap for event in events if event.lap is not None]
    return flag.kind == YELLOW and flag.lap is not None and max(laps) > flag.lap
