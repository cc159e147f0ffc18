"""OpenLigaDB's last good body of a match → the canonical match: pure, and the same for the same body."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown
from mapping.match import PERIOD_KEY, Clock, Incident, Match, Named, Score, Side, Status
from providers.fault_collector import FaultCollector
from providers.openligadb.catalog import END, MARKS, START
from providers.openligadb.goals import EXTRA_ENDS, FULL_ENDS, incidents, read_goals
from providers.openligadb.payload import MATCH, find_match
from providers.openligadb.score import EXTRA, SHOOTOUT, kicks, results, standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from mapping.match import SideName
    from providers.openligadb.read import Row

FULL_PHASE, EXTRA_PHASE, SHOOTOUT_PHASE = 2, 4, 5
TOO_EARLY = 12 * 3600
"""Seconds before kick-off; what was entered earlier was never played. Half a day, as no zone stands with the time."""


def translate(match_id: str, bodies: Mapping[str, bytes], *, names: Mapping[str, str], zone: tzinfo) -> Match:
    """The match that the body describes; `zone`: of times that name none.

    Goals and results that cannot be understood become faults. DownstreamRejected where there is no match in the body.
    """
    try:
        row = find_match(bodies[MATCH], match_id)
    except (BadBody, MatchUnknown, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    notes = FaultCollector(MATCH, match_id)
    found, goals = results(row, notes, names), read_goals(row, notes, names)
    kicked = tuple(goal.score for goal in goals if goal.kick)
    happened = incidents([goal for goal in goals if not goal.kick], found, notes)
    pitch = standing([incident.score for incident in happened if incident.score is not None], found)
    total = found.of(SHOOTOUT) or (kicked[-1] if kicked else None)
    shootout = kicks(total, pitch)
    status = _status(row, zone, notes, played=bool(goals or found.by_part), shootout=total is not None)
    phase = _phase(status, happened, extra=found.of(EXTRA) is not None, shootout=total is not None)
    played = status.running or status.over
    ended = status is Status.FINISHED and found.pitch is not None
    return Match(
        provider="openligadb",
        match_id=match_id,
        sport="soccer",
        status=status,
        kickoff=kickoff(row, zone, notes),
        clock=Clock(phase=phase),
        home=_side(row, "team1", notes),
        away=_side(row, "team2", notes),
        tournament=_named(row, "leagueId", "leagueName", notes),
        location=_location(row, notes),
        score=(pitch or Score(0, 0)) if played else None,
        shootout=shootout if played else None,
        periods=found.periods if played else (),
        winner=_winner(shootout or pitch) if ended else None,
        incidents=_ordered(happened if played else (), started=played, ended=ended, phase=phase),
        text=False,
        faults=notes.faults,
        illegible=notes.illegible,
    )


def status_of(row: Row, zone: tzinfo, names: Mapping[str, str]) -> Status:
    """Where a match of a list stands."""
    notes = FaultCollector(MATCH, "")
    found, goals = results(row, notes, names), read_goals(row, notes, names)
    return _status(row, zone, notes, played=bool(goals or found.by_part), shootout=any(goal.kick for goal in goals))


def _status(row: Row, zone: tzinfo, notes: FaultCollector, *, played: bool, shootout: bool) -> Status:
    """There is no field for it: the flag says that a match is over, goals and results that it is under way."""
    over = notes.try_read(lambda: row.needed("matchIsFinished").flag("matchIsFinished"), keep=MARKS) or False
    if not over and not played:
        return Status.SCHEDULED
    start, touched = kickoff(row, zone, notes), notes.try_read(lambda: row.moment("lastUpdateDateTime", zone))
    if start is not None and touched is not None and touched < start - TOO_EARLY:
        notes.add("lastUpdateDateTime", "goals or results were entered long before kick-off")
        return Status.SCHEDULED
    if over:
        return Status.FINISHED
    return Status.SHOOTOUT if shootout else Status.LIVE


def kickoff(row: Row, zone: tzinfo, notes: FaultCollector) -> int | None:
    """The planned kick-off; the local time where the other is missing."""
    planned = notes.try_read(lambda: row.moment("matchDateTimeUTC", zone))
    return planned if planned is not None else notes.try_read(lambda: row.moment("matchDateTime", zone))


def _phase(status: Status, happened: Sequence[Incident], *, extra: bool, shootout: bool) -> int:
    """As far as a goal or the kind of a result tells; the rest of the time the first phase is all that is sure."""
    if not status.running and not status.over:
        return 0
    if shootout:
        return SHOOTOUT_PHASE
    seen = max((incident.phase or 1 for incident in happened), default=1)
    least = EXTRA_PHASE if extra else FULL_PHASE if status.over else 1
    return max(seen, least)


def _ordered(happened: Sequence[Incident], *, started: bool, ended: bool, phase: int) -> tuple[Incident, ...]:
    """Start and end around the goals; the end waits for its result, which the feed may give after the flag."""
    last = EXTRA_ENDS if phase > FULL_PHASE else FULL_ENDS
    marks_start = [_marker(START, minute=1, phase=1)] if started else []
    marks_end = [_marker(END, minute=last, phase=phase)] if ended else []
    rows = (*marks_start, *happened, *marks_end)
    return tuple(replace(incident, order=at) for at, incident in enumerate(rows))


def _marker(kind: str, *, minute: int, phase: int) -> Incident:
    return Incident(key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, minute=minute, phase=phase, synthesised=True)


def _side(match: Row, field: str, notes: FaultCollector) -> Side | None:
    row = notes.try_read(lambda: match.part(field))
    if row is None:
        return None
    ext_id, name = notes.try_read(lambda: row.ident("teamId")), notes.try_read(lambda: row.text("teamName"))
    if ext_id is None or name is None:
        notes.add(row.at("teamId" if ext_id is None else "teamName"), "missing")
        return None
    short, image = notes.try_read(lambda: row.text("shortName")), notes.try_read(lambda: row.text("teamIconUrl"))
    return Side(
        ext_id=ext_id,
        name=name,
        short_name=short,
        image=image if image is not None and image.startswith("https://") else None,
    )


def _named(row: Row, ident: str, name: str, notes: FaultCollector) -> Named | None:
    ext_id, called = notes.try_read(lambda: row.ident(ident)), notes.try_read(lambda: row.text(name))
    return None if ext_id is None or called is None else Named(ext_id=ext_id, name=called)


def _location(match: Row, notes: FaultCollector) -> Named | None:
    """A stadium with a name; most rows have an id and nothing else."""
    row = notes.try_read(lambda: match.part("location"))
    found = None if row is None else _named(row, "locationID", "locationStadium", notes)
    if row is None or found is None:
        return None
    return Named(ext_id=found.ext_id, name=found.name, town=notes.try_read(lambda: row.text("locationCity")))


def _winner(score: Score | None) -> SideName | None:
    if score is None or score.home == score.away:
        return None
    return "home" if score.home > score.away else "away"
