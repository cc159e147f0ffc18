"""Motorsports: a session without sides, its incidents by laps, its ranking and the podium from the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from mapping.match.match import PERIOD_KEY, Incident, Involved, Match, Person, Race, RankingEntry, Side, Status
from providers.fault_collector import FaultCollector
from providers.heim import squads
from providers.heim.payload import EVENTS, race_title, round_of
from providers.heim.read import Row
from providers.heim.sports.base import RaceEvent, Source
from providers.heim.sports.races import (
    MARKS,
    ONCE,
    TRACK,
    drivers,
    flag_in_force,
    is_stopped,
    kind_of,
    merge_flags,
    read_rows,
)

SPORT = "motorsports"
FLAGS = frozenset({"safety-car", "virtual-safety-car", "red-flag", "yellow-flag"})
FINAL = "0"
"""`match_result_at` of the running and final classification."""
PLACES = ("first", "second", "third")
FASTEST = "fastest"
"""The role of who is first in a session that is no race, and the variant of the sentences that say so."""


def motorsports(source: Source) -> Match:
    """Make the match of a session, with its incidents and its ranking."""
    faults = source.faults
    events = read_rows(source)
    status = _status(source, events)
    places, timed = _places(source, events), _is_timed(source)
    marks = {event.kind: event for event in events if event.kind in ONCE}
    happened, keys = _race_incidents(events, faults)
    frame_keys = {event.id: _once(event.kind) for event in marks.values()}
    total = faults.try_read(source.row.number, source.names["laps"]) or None
    match = replace(
        source.frame(SPORT, status),
        kickoff=source.kickoff_beside(marks.get("start")),
        incidents=_in_order_of_time(happened, _frame(source, status, marks, places, timed=timed)),
        comments=source.texts({}, partial(_incident_of_text, keys=keys | frame_keys, names=source.names)),
        title=race_title(source.found, source.faults),
        race=Race(
            lap=_lap(source, events, status, total),
            total_laps=total,
            flag=flag_in_force(events, status),
            ranking=places,
            timed=timed,
        ),
    )
    return source.completed(match)


def _is_timed(source: Source) -> bool:
    """Whether the session's name says that whoever has the best lap is first; one that is called a race is one."""
    session = source.faults.try_read(round_of, source.found)
    name = (source.faults.try_read(session.text, "name") if session is not None else None) or ""
    race, timed = (
        any(word.strip().casefold() in name.casefold() for word in source.names[words].split(",") if word.strip())
        for words in ("race_words", "timed_words")
    )
    return timed and not race


def _status(source: Source, events: Sequence[RaceEvent]) -> Status:
    """A session that is stopped by a red flag has a break."""
    period = source.period(MARKS)
    ended = period == "game-end" or any(event.kind == "end" for event in events)
    playing = None
    if period or any(event.kind != "weather-info" for event in events):
        playing = Status.BREAK if is_stopped(events) else Status.LIVE
    return source.status(playing, ended=ended, keep=MARKS)


def _lap(source: Source, events: Sequence[RaceEvent], status: Status, total: int | None) -> int | None:
    """The running lap: the provider's own, else the one after those that the leader has completed, or that of the latest incident.

    It is never behind that of an incident, so that readers see one lap. What drivers have completed says it only in races
    of so many laps: in a session by time everybody counts for himself.
    """
    known = [event.lap for event in events if event.lap is not None]
    if own := source.faults.try_read(source.row.number, source.names["lap"]):
        latest = max([own, *known])
        return latest if total is None else min(latest, max(own, total))
    if total is not None and (done := _completed_laps(source)):
        known.append(min(done + status.running, total))
    return max(known, default=None)


def _completed_laps(source: Source) -> int:
    """Laps that the leader has completed; 0 where no row of the ranking says any."""
    rows = [Row.of(each, "match_result") for each in source.row.items("match_result") if isinstance(each, dict)]
    done = [source.faults.try_read(row.number, source.names["rounds"]) for row in rows]
    return max(filter(None, done), default=0)


def _race_incidents(events: Sequence[RaceEvent], faults: FaultCollector) -> tuple[list[Incident], dict[str, str]]:
    """The incidents in order, and which one each row belongs to.

    Whether a flag is one of several of an incident, other rows show. Where one of those lacks something, flags that
    look like part of another incident may have been one of their own.
    """
    groups = merge_flags([event for event in events if event.kind not in ONCE])
    keys = {event.id: f"incident:{group[0].id}" for group in groups for event in group}
    if _unsure(events, faults):
        faults.kept.update(f"incident:{event.id}" for group in groups for event in group[1:])
    return [_incident(group) for group in groups], keys


def _unsure(events: Sequence[RaceEvent], faults: FaultCollector) -> bool:
    """Whether a row could not be read, or lacks the lap or the time by which flags are grouped."""
    flags = (event for event in events if event.kind in TRACK)
    incomplete = any(event.lap is None or event.created_at is None for event in flags)
    return incomplete or any(fault.resource == EVENTS for fault in faults.sink)


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
    source: Source, status: Status, marks: Mapping[str, RaceEvent], places: Sequence[RankingEntry], *, timed: bool
) -> Mapping[str, Incident]:
    """Start, end and podium: as the feed sends them, else as the status and the result imply them."""
    found: dict[str, Incident] = {}
    since = source.since()
    if "start" in marks or status.running or status is Status.FINISHED:
        # Not `current_period_start`: the next period of the feed would move the post.
        found["start"] = _mark("start", marks.get("start"), source.kickoff())
    if status is Status.FINISHED:
        ended = _mark("end", marks.get("end"), since if source.period() == "game-end" else None)
        found |= _ending(source, ended, marks, places, timed=timed)
    return found


def _ending(
    source: Source, ended: Incident, marks: Mapping[str, RaceEvent], places: Sequence[RankingEntry], *, timed: bool
) -> Mapping[str, Incident]:
    """End and podium, the latter only of a race whose result names one winner."""
    top = _top(places)
    winner = top.get(1)
    if winner is None or winner.person is None:
        _without_podium(source, places)
        return {"end": ended}
    if timed:
        fastest = Involved(role=FASTEST, person=winner.person, team=winner.team)
        return {"end": replace(ended, people=(fastest,), team=winner.team, method=FASTEST)}
    podium = _mark("podium", marks.get("podium"), ended.created_at)
    return {
        "end": replace(ended, people=_standing({1: winner}), team=winner.team),
        "podium": replace(podium, people=_standing(top)),
    }


def _top(places: Sequence[RankingEntry]) -> Mapping[int | None, RankingEntry]:
    """The first three places, those that exactly one person holds."""
    best = [place for place in places if place.person is not None and place.position in (1, 2, 3)]
    positions = [place.position for place in best]
    return {place.position: place for place in best if positions.count(place.position) == 1}


def _places(source: Source, events: Sequence[RaceEvent]) -> tuple[RankingEntry, ...]:
    """The ranking. A row of it that cannot be understood is no reason to take the podium back."""
    understood = len(source.faults.sink)
    places = ranking(source, drivers(events))
    if len(source.faults.sink) > understood:
        source.faults.kept.add(_once("podium"))
        return places  # who is missing in it has a place, too
    return tuple(sorted(close_gaps(places), key=_rank))


def _without_podium(source: Source, places: Sequence[RankingEntry]) -> None:
    """A session that is over has no winner: a fault where that is because something is missing, which takes no podium back."""
    keep = (_once("podium"),)
    source.faults.try_read(source.row.needed, "match_result", keep=keep)
    if any(place.position == 1 and place.person is None for place in places):
        source.faults.add("match_result.person", "missing", keep=keep)


def _standing(top: Mapping[int | None, RankingEntry]) -> tuple[Involved, ...]:
    """The people on the podium by their places; a place below one that nobody holds is not shown."""
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


def _in_order_of_time(happened: Sequence[Incident], frame: Mapping[str, Incident]) -> tuple[Incident, ...]:
    """By time, each row without a time behind the one before it; the start before the first lap, end and podium last."""
    start, last = ([frame[kind] for kind in kinds if kind in frame] for kinds in (("start",), ("end", "podium")))
    began, ended = (each[0].created_at if each else None for each in (start, last))
    ahead, rest = _divide(happened, lambda each: each.lap is None and _before(each.created_at, began))
    after, during = _divide(rest, lambda each: _before(ended, each.created_at))
    ordered = (*ahead, *start, *during, *last, *after)
    return tuple(replace(each, order=order) for order, each in enumerate(ordered))


def _divide(
    incidents: Sequence[Incident], belongs: Callable[[Incident], bool]
) -> tuple[list[Incident], list[Incident]]:
    """Those that belong, and the rest."""
    return [each for each in incidents if belongs(each)], [each for each in incidents if not belongs(each)]


def _before(one: int | None, other: int | None) -> bool:
    """Whether one moment is known to be before the other."""
    return one is not None and other is not None and one < other


def _incident_of_text(event: Row, *, keys: Mapping[str, str], names: Mapping[str, str]) -> tuple[str | None, bool]:
    """Text on an incident waits for that; what never becomes one stands for itself."""
    event_id, kind = event.ident("id"), kind_of(event.text("action"), event.text("kind"), names)
    if event_id is not None and event_id in keys:
        return keys[event_id], True
    if kind is None:
        return None, True
    return (_once(kind) if kind in ONCE else f"incident:{event_id}"), True


def ranking(source: Source, known: Mapping[str, tuple[Person, Side | None]]) -> tuple[RankingEntry, ...]:
    """Everybody with a place or a reason to have none; `known` are those whom events name, by the provider's id."""
    found: dict[str, RankingEntry] = {}
    for item in source.faults.try_read(source.row.items, "match_result") or ():
        read = source.faults.try_read(_placing, item, source, known)
        if read is not None:
            found[read[0]] = read[1]
    return tuple(sorted(found.values(), key=_rank))


def _placing(
    item: object, source: Source, known: Mapping[str, tuple[Person, Side | None]]
) -> tuple[str, RankingEntry] | None:
    """Person id and place: people and teams stand in the row, or only their ids do."""
    row, faults, names = Row.of(item, "match_result"), source.faults, source.names
    if row.text("match_result_at") not in (None, FINAL):
        return None
    member = faults.try_read(row.part, "team_person")
    person, team = squads.try_person(row, "person", member, faults, names), squads.try_side(row, "team", faults, names)
    person_id = row.ident("person_id") if person is None else person.ext_id
    if person_id is None:
        return None
    named, named_team = known.get(person_id, (None, None))
    who = named if person is None else person, named_team if team is None else team
    return person_id, _place(row, faults, names, *who)


def _place(
    row: Row, faults: FaultCollector, names: Mapping[str, str], person: Person | None, team: Side | None
) -> RankingEntry:
    """`comment` is the gap to the winner, or why somebody has no place. A gap below nought is none."""
    time, comment = (faults.try_read(row.text, name) for name in ("match_result", "comment"))
    if comment is not None and comment.startswith("+-"):
        comment = None
    gap = comment is not None and comment.startswith("+")
    return RankingEntry(
        position=faults.try_read(row.needed_number, "rank") or None,
        person=person,
        team=team,
        time=time if time != "0" else None,
        gap=comment if gap else None,
        status=None if gap else comment,
        disqualified=is_disqualified(comment, names["disqualified_words"]),
        laps=faults.try_read(row.number, names["rounds"]) or None,
    )


def _rank(place: RankingEntry) -> tuple[int, int]:
    """By position, those without one last; ids break ties so that equal bodies give equal rankings."""
    ident = place.person.ext_id if place.person is not None else "0"
    return (place.position if place.position is not None else 10_000, int(ident))


def is_disqualified(status: str | None, words: str) -> bool:
    """Whether the reason to have no place begins with one of the words, which commas separate, in any case."""
    first = (status or "").casefold().split()
    return bool(first) and first[0].strip(".,:") in {word.strip().casefold() for word in words.split(",")}


def close_gaps(places: Sequence[RankingEntry]) -> tuple[RankingEntry, ...]:
    """The ranking without the places of those who are disqualified; nobody moves up by more than there are of them."""
    out = sum(place.disqualified for place in places)
    if not out:
        return tuple(places)
    held = [place.position for place in places if place.position is not None and not place.disqualified]
    return tuple(replace(place, position=_position(place, held, out)) for place in places)


def _position(place: RankingEntry, held: Sequence[int], out: int) -> int | None:
    if place.disqualified or place.position is None:
        return None
    ahead = sum(position < place.position for position in held)
    return max(1 + ahead, place.position - out)
