"""Soccer: events row by row, squads, and periods that the feed forgot."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mapping.match import Status
from providers.heim import clock, squads
from providers.heim.catalog import PERIOD_KEYS
from providers.heim.comments import bound
from providers.heim.events import SHOOTOUT, Context, incident_keys, incidents, people_of, read_events
from providers.heim.score import EXTRA_TIME, scores, table

if TYPE_CHECKING:
    from mapping.match import Match, Side, SideName
    from providers.heim.events import Event
    from providers.heim.sports.base import Source


def soccer(source: Source) -> Match:
    """The match with its squads, incidents and period markers."""
    row, faults, names = source.row, source.faults, source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    events = read_events(
        source.event_rows, Context(sides=sides, names=names, zone=source.zone, rows=source.rows), faults
    )

    sent = clock.sent_markers(events)
    period = clock.current_period(row, faults, sent)
    status = clock.status(row, period, faults, names)
    since = source.since()
    rows, ending = table(row, faults, keep=PERIOD_KEYS), source.incident(PERIOD_KEYS)
    course = clock.course(names, ending, extra_time=EXTRA_TIME in rows)
    markers = clock.completed(sent, clock.implied(period, status, course), period, since)
    happened = incidents(events)
    result = scores(
        rows,
        status=status,
        decided_by_kicks=ending == names["incident_shootout"] or "penalty-start" in markers,
        kicks=[(event.side, event.kind == "goal") for event in events if event.action == "pso"],
        goals=[each.score for each in happened if each.score is not None and each.method != SHOOTOUT],
        covered=bool(events),
    )
    match = replace(
        source.frame("soccer", status),
        clock=clock.clock("game-end" if status is Status.FINISHED else period, since, markers),
        home=_with_squad(home, events, "home"),
        away=_with_squad(away, events, "away"),
        score=result.score,
        shootout=result.shootout,
        periods=result.periods,
        winner=source.winner(sides, status, result.shootout or result.score),
        incidents=clock.placed(markers, happened, 1 + max((event.position for event in events), default=-1)),
        comments=source.texts(sides, partial(bound, keys=incident_keys(events))),
    )
    return source.completed(match)


def _with_squad(team: Side | None, events: tuple[Event, ...], name: SideName) -> Side | None:
    if team is None:
        return None
    lineup = squads.squad(people_of(events, "lineup", name))
    started = {player.ext_id for player in lineup}
    bench = squads.squad(player for player in people_of(events, "bench", name) if player.ext_id not in started)
    known = squads.completed(team, (event.team for event in events if event.team is not None))
    return replace(known, lineup=lineup, bench=bench)
