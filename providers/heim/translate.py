"""HEIM:SPIEL's last good bodies of a soccer match → the canonical match: pure, and the same for the same bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown
from mapping.match import Match, Named, Side, SideName, Status
from providers.heim import clock, periods, squads
from providers.heim.catalog import TRANSLATED
from providers.heim.comments import comments
from providers.heim.events import Context, Event, people_of, read_events
from providers.heim.incidents import incident_keys, incidents
from providers.heim.payload import EVENTS, MATCH, TEXT, Found, embedded_rows, find_match, list_rows
from providers.heim.read import Notes
from providers.heim.score import EXTRA_TIME, scores, table, winner
from providers.heim.sport import competition, sport_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from providers.heim.read import Row

FULL_COVERAGE = "full"
"""The `live_status` of matches that have editorial text."""


def translate(match_id: str, bodies: Mapping[str, bytes], *, names: Mapping[str, str], zone: tzinfo) -> Match:
    """The match that these bodies describe.

    `bodies`: resource name → body; `zone`: time zone of the feed's times. Rows that cannot be understood become faults.
    Raises DownstreamRejected where there is no match in the bodies, InvalidRequest for a sport that is not translated.
    """
    try:
        found = find_match(bodies[MATCH], match_id)
        event_rows, text_rows = _rows(found.match, EVENTS, bodies, match_id), _rows(found.match, TEXT, bodies, match_id)
    except (BadBody, MatchUnknown, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    sport = sport_of(found, names)
    if sport not in TRANSLATED:
        raise InvalidRequest(f"unsupported sport: {sport}", field="matchId")
    return _soccer(match_id, found, event_rows, text_rows, names=names, zone=zone)


def _rows(match: Row, resource: str, bodies: Mapping[str, bytes], match_id: str) -> tuple[Any, ...]:
    embedded = embedded_rows(match) if resource == EVENTS else None
    if embedded is not None:
        return embedded
    return list_rows(resource, bodies[resource], match_id) if resource in bodies else ()


def _soccer(
    match_id: str,
    found: Found,
    event_rows: tuple[Any, ...],
    text_rows: tuple[Any, ...],
    *,
    names: Mapping[str, str],
    zone: tzinfo,
) -> Match:
    row, notes = found.match, Notes(MATCH, match_id)
    home = notes.spare(lambda: squads.side(row.part("home"), notes, names))
    away = notes.spare(lambda: squads.side(row.part("away"), notes, names))
    sides = squads.sides_by_id(home, away)
    context = Context(sides=sides, names=names, zone=zone)
    events = read_events(event_rows, context, notes)

    sent = periods.marked(events)
    period = clock.current_period(row, notes, sent)
    status = clock.status(row, period, notes, names)
    since = notes.spare(lambda: row.moment("current_period_start", zone))
    rows, ending = table(row, notes), clock.incident_of(row, notes)
    course = periods.course(names, ending, extra_time=EXTRA_TIME in rows)
    markers = periods.completed(sent, periods.implied(period, status, course), period, since)
    happened = incidents(events, names)
    result = scores(
        rows,
        status=status,
        decided_by_kicks=ending == names["incident_shootout"] or "penalty-start" in markers,
        kicks=[(event.side, event.kind == "goal") for event in events if event.action == "pso"],
        goals=[incident.score for incident in happened if incident.score is not None],
        covered=bool(events),
    )
    return Match(
        provider="heim",
        match_id=match_id,
        sport="soccer",
        status=status,
        kickoff=clock.kickoff(row, zone, notes),
        clock=clock.clock("game-end" if status is Status.FINISHED else period, since, markers),
        home=_with_squad(home, events, "home"),
        away=_with_squad(away, events, "away"),
        tournament=_tournament(found, notes),
        location=notes.spare(lambda: squads.named(row.part("venue"), notes)),
        score=result.score,
        shootout=result.shootout,
        periods=result.periods,
        winner=winner(row, notes, sides, status, result),
        incidents=periods.placed(markers, happened, 1 + max((event.position for event in events), default=-1)),
        comments=comments(text_rows, incident_keys(events, names), context, notes),
        text=(notes.spare(lambda: row.text("live_status")) or FULL_COVERAGE) == FULL_COVERAGE,
        faults=notes.faults,
    )


def _with_squad(team: Side | None, events: tuple[Event, ...], name: SideName) -> Side | None:
    if team is None:
        return None
    lineup = squads.squad(people_of(events, "lineup", name))
    started = {player.ext_id for player in lineup}
    bench = squads.squad(player for player in people_of(events, "bench", name) if player.ext_id not in started)
    known = squads.completed(team, (event.team for event in events if event.team is not None))
    return replace(known, lineup=lineup, bench=bench)


def _tournament(found: Found, notes: Notes) -> Named | None:
    """The competition inside the match or above it in the tree."""
    row = notes.spare(lambda: competition(found))
    return notes.spare(lambda: squads.named(row, notes)) if row is not None else None
