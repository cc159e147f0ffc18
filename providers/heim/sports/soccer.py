"""Soccer: events row by row, squads, and periods that the feed forgot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from mapping.match.match import Incident, Match, Side, SideName, Status
from providers.heim import clock, squads
from providers.heim.catalog import PERIOD_KEYS, PERIODS
from providers.heim.events import SHOOTOUT, Context, incident_keys, incidents, people_of, read_events
from providers.heim.read import EXTRA_TIME, FULL_TIME, RUNNING, Event, scores, table
from providers.heim.sports.base import Source, incident_of_comment
from providers.local_times import nearest
from providers.results_and_squads import how_decided

HALVES = 2
"""The last phase of regular time."""
BEFORE_END = PERIOD_KEYS - {PERIODS["game-end"].key}
"""Keys of the whistles that the scores may show: never the last one."""
BEYOND = frozenset({FULL_TIME, EXTRA_TIME})
"""Scores that the feed has only where a match goes on after 90 minutes."""


def soccer(source: Source) -> Match:
    """Make the match of a game of soccer, with its squads, incidents and period markers."""
    row, faults, names = source.row, source.faults, source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    events = _events(source, sides)

    sent = clock.sent_markers(events)
    period = clock.current_period(row, faults, sent)
    status = clock.status(row, period, faults, names)
    since = _since(source, events, sent.get(period))
    rows, ending = table(row, faults, keep=BEFORE_END), source.incident(PERIOD_KEYS)
    course = clock.course(names, ending, extra_time=EXTRA_TIME in rows)
    markers = clock.complete_markers(sent, clock.implied_kinds(period, status, course), period, since)
    happened = incidents(events)
    result = scores(
        rows,
        status=status,
        decided_by_kicks=ending == names["incident_shootout"] or "penalty-start" in markers,
        kicks=[(event.side, event.kind == "goal") for event in events if event.action == "pso"],
        goals=[each.score for each in happened if each.score is not None and each.method != SHOOTOUT],
        covered=bool(events),
    )
    at = clock.clock("game-end" if status is Status.FINISHED else period, since, markers)
    match = replace(
        source.frame("soccer", status),
        kickoff=source.kickoff_beside(sent.get("game-start")),
        clock=at,
        home=_with_squad(home, events, "home"),
        away=_with_squad(away, events, "away"),
        score=result.score,
        shootout=result.shootout,
        periods=result.periods,
        decided=how_decided(
            status,
            shootout=result.shootout is not None,
            extra=at.phase > HALVES or not BEYOND.isdisjoint(rows) or ending == names["incident_extra_time"],
            result=RUNNING in rows,
        ),
        winner=source.winner(sides, status, result.shootout or result.score),
        incidents=clock.place_incidents(markers, happened, 1 + max((event.position for event in events), default=-1)),
        comments=source.texts(sides, partial(incident_of_comment, keys=incident_keys(events))),
    )
    return source.completed(match)


def _events(source: Source, sides: Mapping[str, SideName]) -> tuple[Event, ...]:
    context = Context(sides=sides, names=source.names, zone=source.zone, rows=source.rows)
    events = read_events(source.event_rows, context, source.faults)
    return source.in_their_hours(events, lambda each: int(each.id), lambda each: each.minute)


def _since(source: Source, events: Iterable[Event], marker: Incident | None) -> int | None:
    """When the period began that the match names: of two hours the one nearest to its own row, else to the latest one."""
    latest = max((each.created_at or 0 for each in events), default=None)
    return nearest(source.since(), latest if marker is None else marker.created_at, source.zone)


def _with_squad(team: Side | None, events: tuple[Event, ...], name: SideName) -> Side | None:
    if team is None:
        return None
    lineup = squads.squad(people_of(events, "lineup", name))
    started = {player.ext_id for player in lineup}
    bench = squads.squad(player for player in people_of(events, "bench", name) if player.ext_id not in started)
    known = squads.complete_team(team, (event.team for event in events if event.team is not None))
    return replace(known, lineup=lineup, bench=bench)
