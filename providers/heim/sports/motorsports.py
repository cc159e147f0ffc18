"""Motorsports: a session without sides, its incidents by laps, its ranking and the podium from the result."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mapping.match import PERIOD_KEY, Incident, Involved, Match, Person, Race, Side, Status
from providers.heim.payload import EVENTS
from providers.heim.sport import competition
from providers.heim.sports.flags import TRACK, flag_in_force, merged, stopped
from providers.heim.sports.races import MARKS, ONCE, RaceEvent, drivers, kind_of, read_rows
from providers.heim.sports.ranking import ranking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mapping.match import Placing
    from providers.fault_collector import FaultCollector
    from providers.heim.read import Row
    from providers.heim.sports.base import Source

SPORT = "motorsports"
FLAGS = frozenset({"safety-car", "virtual-safety-car", "red-flag", "yellow-flag"})
PLACES = ("first", "second", "third")


def motorsports(source: Source) -> Match:
    """The session with its incidents and its ranking."""
    row, notes = source.row, source.notes
    events = read_rows(source)
    status = _status(source, events)
    places = _places(source, events)
    marks = {event.kind: event for event in events if event.kind in ONCE}
    happened, keys = _happened(events, notes)
    frame_keys = {event.id: _once(event.kind) for event in marks.values()}
    frame = _frame(source, status, marks, places)
    laps = [event.lap for event in events if event.lap is not None]
    return Match(
        provider="heim",
        match_id=source.match_id,
        sport=SPORT,
        status=status,
        kickoff=source.kickoff(),
        tournament=source.tournament(),
        location=source.location(),
        incidents=_ordered(happened, frame),
        comments=source.texts({}, partial(_bound, keys=keys | frame_keys, names=source.names)),
        text=source.has_text(),
        title=_title(source),
        race=Race(
            lap=max(laps, default=None),
            total_laps=notes.try_read(lambda: row.number(source.names["laps"])) or None,
            flag=flag_in_force(events, status),
            ranking=places,
        ),
        faults=notes.faults,
        illegible=notes.illegible,
    )


def _title(source: Source) -> str | None:
    """`Formula E, Buenos Aires: Race`, as far as series, weekend and session are named."""
    weekend = source.tournament()
    series = source.notes.try_read(lambda: _name(_part(competition(source.found), "topic")))
    session = source.notes.try_read(lambda: _name(_round(source)))
    event = ", ".join(name for name in (series, weekend.name if weekend is not None else None) if name)
    return ": ".join(name for name in (event, session) if name) or None


def _part(row: Row | None, name: str) -> Row | None:
    return row.part(name) if row is not None else None


def _name(row: Row | None) -> str | None:
    return row.text("name") if row is not None else None


def _round(source: Source) -> Row | None:
    """The session: inside the match, or the branch of the tree right above it."""
    return source.row.part("round") or next((branch for branch in source.found.above if branch.has("match")), None)


def _status(source: Source, events: Sequence[RaceEvent]) -> Status:
    """A session that is stopped by a red flag has a break."""
    incident, names = source.incident(), source.names
    for word in (Status.ABANDONED, Status.CANCELLED):
        if incident and incident == names[f"incident_{word.value}"]:
            return word
    period = source.period(MARKS)
    ended = any(event.kind == "end" for event in events)
    if source.finished(MARKS) or ended or period == "game-end":
        return Status.FINISHED
    if period or any(event.kind != "weather-info" for event in events):
        return Status.BREAK if stopped(events) else Status.LIVE
    return Status.POSTPONED if incident and incident == names["incident_postponed"] else Status.SCHEDULED


def _happened(events: Sequence[RaceEvent], notes: FaultCollector) -> tuple[list[Incident], dict[str, str]]:
    """The incidents in order, and which one each row belongs to.

    Whether a flag is one of several of an incident, other rows tell. Where one of those lacks something, flags that
    look like part of another incident may have been one of their own.
    """
    groups = merged([event for event in events if event.kind not in ONCE])
    keys = {event.id: f"incident:{group[0].id}" for group in groups for event in group}
    unsure = any(fault.resource == EVENTS for fault in notes.sink) or any(
        event.lap is None or event.created_at is None for event in events if event.kind in TRACK
    )
    if unsure:
        notes.kept.update(f"incident:{event.id}" for group in groups for event in group[1:])
    return [_incident(group) for group in groups], keys


def _incident(group: Sequence[RaceEvent]) -> Incident:
    first = group[0]
    flags = first.kind in FLAGS
    details = dict.fromkeys(event.content for event in group if event.content and not (flags and event.over))
    if flags and first.kind != "yellow-flag":
        details = {}
    return Incident(
        key=f"incident:{first.id}",
        kind=f"{SPORT}.{first.kind}",
        order=0,
        lap=first.lap,
        team=first.team,
        people=_people(first),
        method="over" if flags and first.over else None,
        detail=", ".join(details) or None,
        created_at=first.created_at,
    )


def _people(event: RaceEvent) -> tuple[Involved, ...]:
    pairs = (("driver", event.person, event.team), ("other", event.other, event.other_team))
    return tuple(Involved(role=role, person=person, team=team) for role, person, team in pairs if person is not None)


def _once(kind: str) -> str:
    return f"{PERIOD_KEY}{SPORT}.{kind}"


def _frame(
    source: Source, status: Status, marks: Mapping[str, RaceEvent], places: Sequence[Placing]
) -> Mapping[str, Incident]:
    """Start, end and podium: as the feed sends them, else as the status and the result imply them."""
    best = [place for place in places if place.person is not None and place.position in (1, 2, 3)]
    top = {place.position: place for place in best if [other.position for other in best].count(place.position) == 1}
    since, period = source.since(), source.period()
    found: dict[str, Incident] = {}
    if "start" in marks or status.running or status is Status.FINISHED:
        # Not `current_period_start`: the next word of the feed would move the post.
        found["start"] = _mark("start", marks.get("start"), source.kickoff())
    if status is Status.FINISHED:
        winner = top.get(1)
        ended = _mark("end", marks.get("end"), since if period == "game-end" else None)
        people = () if winner is None else _standing({1: winner})
        found["end"] = replace(ended, people=people, team=winner.team if winner is not None else None)
        if winner is not None:
            podium = _mark("podium", marks.get("podium"), ended.created_at)
            found["podium"] = replace(podium, people=_standing(top))
        else:
            _without_podium(source, places)
    return found


def _places(source: Source, events: Sequence[RaceEvent]) -> tuple[Placing, ...]:
    """The ranking. A row of it that cannot be understood is no reason to take the podium back."""
    understood = len(source.notes.sink)
    places = ranking(source, drivers(events))
    if len(source.notes.sink) > understood:
        source.notes.kept.add(_once("podium"))
    return places


def _without_podium(source: Source, places: Sequence[Placing]) -> None:
    """A session that is over has no winner: told where that is because something is missing, which takes no podium back."""
    keep = (_once("podium"),)
    source.notes.try_read(lambda: source.row.needed("match_result"), keep=keep)
    if any(place.position == 1 and place.person is None for place in places):
        source.notes.add("match_result.person", "missing", keep=keep)


def _standing(top: Mapping[int | None, Placing]) -> tuple[Involved, ...]:
    """The people on the podium by their places; a place below one that nobody holds is not told."""
    found: list[tuple[str, Person, Side | None]] = []
    for position, role in enumerate(PLACES, 1):
        place = top.get(position)
        if place is None or place.person is None:
            break
        found.append((role, place.person, place.team))
    return tuple(Involved(role=role, person=person, team=team) for role, person, team in found)


def _mark(kind: str, event: RaceEvent | None, created_at: int | None) -> Incident:
    return Incident(
        key=_once(kind),
        kind=f"{SPORT}.{kind}",
        order=0,
        lap=event.lap if event is not None else None,
        created_at=event.created_at if event is not None and event.created_at is not None else created_at,
        synthesised=event is None,
    )


def _ordered(happened: Sequence[Incident], frame: Mapping[str, Incident]) -> tuple[Incident, ...]:
    """By time, each row without a time behind the one before it; the start before the first lap, end and podium last."""
    start = [frame["start"]] if "start" in frame else []
    began = start[0].created_at if start else None
    ahead = [
        each
        for each in happened
        if each.lap is None and each.created_at is not None and began is not None and each.created_at < began
    ]
    rest = [each for each in happened if each not in ahead]
    last = [frame[kind] for kind in ("end", "podium") if kind in frame]
    late = last[0].created_at if last else None
    after = [each for each in rest if late is not None and each.created_at is not None and each.created_at > late]
    during = [each for each in rest if each not in after]
    ordered = (*ahead, *start, *during, *last, *after)
    return tuple(replace(each, order=order) for order, each in enumerate(ordered))


def _bound(event: Row, *, keys: Mapping[str, str], names: Mapping[str, str]) -> tuple[str | None, bool]:
    """Text on an incident waits for that; what never becomes one stands for itself."""
    event_id, kind = event.ident("id"), kind_of(event.text("action"), event.text("kind"), names)
    if event_id is not None and event_id in keys:
        return keys[event_id], True
    if kind is None:
        return None, True
    return (_once(kind) if kind in ONCE else f"incident:{event_id}"), True
