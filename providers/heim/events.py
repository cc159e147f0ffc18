"""Reads the rows of `match-event`, and makes the incidents of soccer of them.

The feed sends a substitution as two rows that do not refer to each other; `pairs` finds them.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import partial
from typing import Any, TypeVar

from mapping.match.match import Incident, Involved, Person, Score, SideName
from providers.fault_collector import FaultCollector, RowCache, RowKey, ValueMismatch, context_of
from providers.heim.catalog import IGNORED, PERIOD_KEYS, PERIODS, SILENT, event_type
from providers.heim.clock import phases
from providers.heim.payload import EVENTS
from providers.heim.read import Event, Row, read_row
from providers.heim.squads import person, side

T = TypeVar("T")

SCORE = re.compile(r"([0-9]{1,2}):([0-9]{1,2})", re.ASCII)
FIRST_ROLE = {"soccer.goal": "scorer", "soccer.own-goal": "scorer", "soccer.substitution": "in"}
SHOOTOUT = "shootout"
"""The method of a kick of the shoot-out; its score is the tally."""
UNSPECIFIED = "goal"
"""The kind of a goal of which the feed does not say yet how it was scored."""

OUT, IN = ("playing", "substitute-out"), ("playing", "substitute-in")
MAX_APART = 2
"""Minutes between the two rows of one change; the desk corrects the minute of one before the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every row is read with."""

    sides: Mapping[str, SideName]
    names: Mapping[str, str]
    zone: tzinfo
    rows: RowCache[Event] = field(default_factory=partial(RowCache, 0))
    seen: dict[tuple[str, str], tuple[tuple[Row | None, ...], Any]] = field(default_factory=dict)

    def once(self, what: str, rows: tuple[Row | None, ...], faults: FaultCollector, read: Callable[[], T]) -> T:
        """What `read` makes of a team or a player: events name the same ones over and over, mostly in equal rows.

        Rows with a fault are read each time, so that it is collected for each event.
        """
        name = None if rows[0] is None else rows[0].data.get("id")
        key = (what, name if isinstance(name, str) else "")
        earlier = self.seen.get(key)
        if earlier is not None and earlier[0] == rows:
            known: T = earlier[1]
            return known
        before, made = len(faults.sink), read()
        if len(faults.sink) == before:
            self.seen[key] = (rows, made)
        return made


def read_events(rows: Iterable[Any], context: Context, faults: FaultCollector) -> tuple[Event, ...]:
    """The rows in the feed's order, coaches and withdrawn ones left out; of two with one id the last stands.

    Rows that the cache holds are not read again.
    """
    wanted = [(at, row) for at, row in enumerate(rows) if not (isinstance(row, dict) and row.get("action") in IGNORED)]
    rows_faults, found = faults.for_row(EVENTS, ""), dict[str, Event]()
    made_with = context_of(sorted(context.sides.items()), sorted(context.names.items()), str(context.zone))
    for position, (at, row) in enumerate(wanted):
        keep = PERIOD_KEYS if _may_mark(row) else ()
        made = partial(read_row, row, at, rows_faults, partial(_read, position=position, context=context), keep=keep)
        event = context.rows.once(RowKey(row, made_with), rows_faults, made)
        if event is not None:
            found.pop(event.id, None)
            found[event.id] = event if event.position == position else replace(event, position=position)
    return tuple(found.values())


def _may_mark(row: Any) -> bool:
    """Whether a row may be one that marks a period."""
    action = row.get("action") if isinstance(row, dict) else None
    return action == "match" or not isinstance(action, str)


def _read(row: Row, event_id: str, faults: FaultCollector, *, position: int, context: Context) -> Event | None:
    names = context.names
    action, kind = _known_event(row)
    if faults.try_read(row.flag, names["deleted"]):
        return None
    team_row, member = row.part("team"), faults.try_read(row.part, "team_person")
    team_id = team_row.ident("id") if team_row is not None else row.ident("team_id")
    known = team_id is not None and team_id in context.sides
    who, once = row.part("person"), context.once
    if action != "match" and not known:
        faults.add("team", "missing" if team_id is None else "plays for neither side")
    return Event(
        id=event_id,
        action=action,
        kind=kind,
        position=position,
        minute=row.number("minute"),
        added=faults.try_read(row.number, names["added_minute"]) or None,
        period=_period(faults.try_read(row.number, names["period"]), faults, names["period"]),
        team_id=team_id,
        team=faults.try_read(once, "team", (team_row,), faults, partial(side, team_row, faults, names))
        if known
        else None,
        side=context.sides.get(team_id or ""),
        person=once("person", (who, member), faults, partial(person, who, member, faults, names)),
        additional=faults.try_read(_additional, row, faults, context),
        content=faults.try_read(row.text, "content"),
        created_at=faults.try_read(row.moment, "created", context.zone),
    )


def _known_event(row: Row) -> tuple[str, str]:
    """Action and kind. ValueMismatch where no sport of the feed is known to have them."""
    action, kind = row.text("action"), row.text("kind") or ""
    if action is None:
        raise ValueMismatch("action", "missing")
    marks = action == "match" and kind in PERIODS
    if not marks and (action, kind) not in SILENT and event_type(action, kind) is None:
        field = "kind" if row.data.get("kind") is None else "action"
        raise ValueMismatch(field, f"unknown event {action[:40]}/{kind[:40]}")
    return action, kind


def _additional(row: Row, faults: FaultCollector, context: Context) -> Person | None:
    who = row.part("additional_person")
    return context.once("additional", (who,), faults, partial(person, who, None, faults, context.names))


def _period(value: int | None, faults: FaultCollector, name: str) -> int | None:
    if value is None or 1 <= value <= 5:
        return value
    faults.add(name, "1 to 5 expected")
    return None


def people_of(events: Sequence[Event], kind: str, name: SideName) -> tuple[Person, ...]:
    """The players in the rows `playing/<kind>` of one side."""
    return tuple(
        event.person
        for event in events
        if event.keyword == ("playing", kind) and event.side == name and event.person is not None
    )


def lookup(events: Iterable[Event]) -> Callable[[Person | None], Person | None]:
    """A player as the squad knows him, else as the row does."""
    squads = {
        event.person.ext_id: event.person
        for event in events
        if event.person is not None and event.keyword in (("playing", "lineup"), ("playing", "bench"))
    }
    return lambda who: None if who is None else squads.get(who.ext_id, who)


def incidents(events: tuple[Event, ...]) -> tuple[Incident, ...]:
    """All incidents but the period markers; an `out` without its `in` waits."""
    leaving, known = pairs(events), lookup(events)
    scores = {event.id: score_of(event.content) for event in events if event.action == "goal"} | tallies(events)
    phase = phases([(event.id, event.minute, event.kind if event.action == "match" else None) for event in events])
    return tuple(
        _incident(event, kind, phase.get(event.id), leaving.get(event.id), known, score=scores.get(event.id))
        for event in events
        if (kind := type_of(event)) is not None
    )


def type_of(event: Event) -> str | None:
    """The event type of a row that is an incident of its own."""
    return event_type(event.action, event.kind)


def tallies(events: Iterable[Event]) -> dict[str, Score | None]:
    """Id of each kick of the shoot-out → how many have gone in until then, in the order of ids: the feed's may change."""
    found, score = dict[str, Score | None](), Score(0, 0)
    for event in sorted(events, key=lambda event: int(event.id)):
        if event.action == "pso":
            scored = int(event.kind == "goal")
            score = Score(score.home + scored * (event.side == "home"), score.away + scored * (event.side == "away"))
            found[event.id] = score
    return found


def _incident(
    event: Event,
    kind: str,
    phase: int | None,
    leaving: Event | None,
    known: Callable[[Person | None], Person | None],
    *,
    score: Score | None,
) -> Incident:
    return Incident(
        key=f"incident:{event.id}",
        kind=kind,
        order=event.position,
        minute=event.minute or None,
        added=event.added,
        phase=event.period or phase,
        side=event.side,
        people=tuple(
            Involved(role=role, person=who)
            for role, person in _roles(event, kind, leaving)
            if (who := known(person)) is not None
        ),
        score=score,
        method=_method(event),
        created_at=event.created_at,
    )


def _method(event: Event) -> str | None:
    """How a goal was scored; of a kick, that it belonged to the shoot-out."""
    if event.action == "goal":
        return event.kind if event.kind not in ("", UNSPECIFIED) else None
    return SHOOTOUT if event.action == "pso" else None


def _roles(event: Event, kind: str, leaving: Event | None) -> tuple[tuple[str, Person | None], ...]:
    """Who did what: the second person of a penalty was fouled, that of any other goal gave the pass."""
    first = (FIRST_ROLE.get(kind, "player"), event.person)
    if event.keyword == IN:
        return (first, ("out", leaving.person if leaving is not None else None))
    if kind == "soccer.goal" and event.action == "goal":
        return (first, ("fouled" if event.kind == "penalty" else "assist", event.additional))
    return (first,)


def score_of(content: str | None) -> Score | None:
    """`"2:1"` as a score, None for anything else."""
    found = SCORE.fullmatch(content or "")
    return Score(int(found[1]), int(found[2])) if found else None


def incident_keys(events: Iterable[Event]) -> Mapping[str, str]:
    """Event id → key of the incident that the row belongs to: its own, its period's or that of its substitution."""
    rows = tuple(events)
    own = {event.id: f"incident:{event.id}" for event in rows if type_of(event) is not None}
    halves = {leaving.id: own[entering] for entering, leaving in pairs(rows).items()}
    markers = {event.id: PERIODS[event.kind].key for event in rows if event.action == "match"}
    return {**own, **halves, **markers}


def pairs(events: Iterable[Event]) -> Mapping[str, Event]:
    """Id of each `in` row → its `out` row, as far as that has arrived.

    Per team and in the order of ids, each `in` takes the free `out` nearest in time, then the one with the lowest id.
    """
    rows = [event for event in sorted(events, key=lambda event: int(event.id)) if event.keyword in (IN, OUT)]
    free: defaultdict[tuple[str | None, int | None], deque[Event]] = defaultdict(deque)
    for leaving in rows:
        if leaving.keyword == OUT:
            free[leaving.team_id, leaving.minute].append(leaving)
    found: dict[str, Event] = {}
    for entering in rows:
        heads = (
            [] if entering.keyword == OUT or entering.minute is None else _near(free, entering.team_id, entering.minute)
        )
        if heads:
            found[entering.id] = heads[0].popleft()
    return found


def _near(
    free: Mapping[tuple[str | None, int | None], deque[Event]], team_id: str | None, minute: int
) -> list[deque[Event]]:
    """The queues of the team's `out` rows around a minute that still hold any, the best one first."""
    minutes = range(minute - MAX_APART, minute + MAX_APART + 1)
    queues = [queue for at in minutes if (queue := free.get((team_id, at)))]
    return sorted(queues, key=lambda queue: (abs((queue[0].minute or 0) - minute), int(queue[0].id)))
