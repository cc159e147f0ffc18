"""Makes the canonical match of OpenLigaDB's last good body; the same body gives the same match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown
from mapping.match.match import PERIOD_KEY, Clock, Incident, Match, Named, Score, Side, Status
from providers.fault_collector import FaultCollector
from providers.openligadb.catalog import END, MARKS, START
from providers.openligadb.goals import (
    EXTRA,
    EXTRA_ENDS,
    FULL_ENDS,
    SHOOTOUT,
    Results,
    incidents,
    kicks,
    read_goals,
    results,
    standing,
)
from providers.openligadb.payload import MATCH, Row, find_match
from providers.results_and_squads import how_decided, winner

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
    faults = FaultCollector(MATCH, match_id)
    found, goals = results(row, faults, names), read_goals(row, faults, names)
    happened = incidents([goal for goal in goals if not goal.kick], found, faults)
    total = found.of(SHOOTOUT) or next((goal.score for goal in reversed(goals) if goal.kick), None)
    status = _status(row, zone, faults, played=bool(goals or found.by_part), shootout=total is not None)
    phase = _phase(status, happened, extra=found.of(EXTRA) is not None, shootout=total is not None)
    match = Match(
        provider="openligadb",
        match_id=match_id,
        sport="soccer",
        status=status,
        kickoff=kickoff(row, zone, faults),
        clock=Clock(phase=phase),
        home=_side(row, "team1", faults),
        away=_side(row, "team2", faults),
        tournament=_read_named(row, "leagueId", "leagueName", faults),
        location=_location(row, faults),
        text=False,
        faults=faults.collected,
        unreadable_keys=faults.unreadable,
    )
    return _add_play(match, found, happened, total) if status.running or status.over else match


def _add_play(match: Match, found: Results, happened: Sequence[Incident], total: Score | None) -> Match:
    """The match with scores and incidents; `total`: the last score of the shoot-out, which counts on from the pitch's."""
    pitch = standing([incident.score for incident in happened if incident.score is not None], found)
    shootout = kicks(total, pitch)
    known = found.pitch is not None
    ended = match.status is Status.FINISHED and known
    extra = match.clock.phase > FULL_PHASE
    return replace(
        match,
        score=pitch or (None if match.status.over else Score(0, 0)),
        decided=how_decided(match.status, shootout=shootout is not None, extra=extra, result=known),
        shootout=shootout,
        periods=found.periods,
        winner=winner(match.status, shootout or pitch) if ended else None,
        incidents=_in_order(happened, ended=ended, phase=match.clock.phase),
    )


def status_of(row: Row, zone: tzinfo, names: Mapping[str, str]) -> Status:
    """Where a match of a list stands."""
    faults = FaultCollector(MATCH, "")
    found, goals = results(row, faults, names), read_goals(row, faults, names)
    return _status(row, zone, faults, played=bool(goals or found.by_part), shootout=any(goal.kick for goal in goals))


def _status(row: Row, zone: tzinfo, faults: FaultCollector, *, played: bool, shootout: bool) -> Status:
    """There is no field for it: the flag says that a match is over, goals and results that it is under way."""
    over = faults.try_read(lambda: row.needed("matchIsFinished").flag("matchIsFinished"), keep=MARKS) or False
    if not over and not played:
        return Status.SCHEDULED
    start, touched = kickoff(row, zone, faults), faults.try_read(row.moment, "lastUpdateDateTime", zone)
    if start is not None and touched is not None and touched < start - TOO_EARLY:
        faults.add("lastUpdateDateTime", "goals or results were entered long before kick-off")
        return Status.SCHEDULED
    if over:
        return Status.FINISHED
    return Status.SHOOTOUT if shootout else Status.LIVE


def kickoff(row: Row, zone: tzinfo, faults: FaultCollector) -> int | None:
    """The planned kick-off; the local time where the other is missing."""
    planned = faults.try_read(row.moment, "matchDateTimeUTC", zone)
    return planned if planned is not None else faults.try_read(row.moment, "matchDateTime", zone)


def _phase(status: Status, happened: Sequence[Incident], *, extra: bool, shootout: bool) -> int:
    """As far as a goal or the kind of a result shows; else the first phase is all that is sure."""
    if not status.running and not status.over:
        return 0
    if shootout:
        return SHOOTOUT_PHASE
    seen = max((incident.phase or 1 for incident in happened), default=1)
    least = EXTRA_PHASE if extra else FULL_PHASE if status.over else 1
    return max(seen, least)


def _in_order(happened: Sequence[Incident], *, ended: bool, phase: int) -> tuple[Incident, ...]:
    """Start and end around the goals; the end waits for its result, which the feed may give after the flag."""
    last = EXTRA_ENDS if phase > FULL_PHASE else FULL_ENDS
    end = [_marker(END, minute=last, phase=phase)] if ended else []
    rows = (_marker(START, minute=1, phase=1), *happened, *end)
    return tuple(replace(incident, order=at) for at, incident in enumerate(rows))


def _marker(kind: str, *, minute: int, phase: int) -> Incident:
    return Incident(key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, minute=minute, phase=phase, synthesised=True)


def _side(match: Row, field: str, faults: FaultCollector) -> Side | None:
    row = faults.try_read(match.part, field)
    if row is None:
        return None
    ext_id, name = faults.try_read(row.ident, "teamId"), faults.try_read(row.text, "teamName")
    if ext_id is None or name is None:
        faults.add(row.at("teamId" if ext_id is None else "teamName"), "missing")
        return None
    short, image = faults.try_read(row.text, "shortName"), faults.try_read(row.text, "teamIconUrl")
    return Side(
        ext_id=ext_id,
        name=name,
        short_name=short,
        image=image if image is not None and image.startswith("https://") else None,
    )


def _read_named(row: Row, ident: str, name: str, faults: FaultCollector) -> Named | None:
    ext_id, called = faults.try_read(row.ident, ident), faults.try_read(row.text, name)
    return None if ext_id is None or called is None else Named(ext_id=ext_id, name=called)


def _location(match: Row, faults: FaultCollector) -> Named | None:
    """A stadium with a name; most rows have an id and nothing else."""
    row = faults.try_read(match.part, "location")
    found = None if row is None else _read_named(row, "locationID", "locationStadium", faults)
    if row is None or found is None:
        return None
    return Named(ext_id=found.ext_id, name=found.name, town=faults.try_read(row.text, "locationCity"))
