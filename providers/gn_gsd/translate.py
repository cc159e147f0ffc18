"""Makes the canonical match of Global Sports Data's last good bodies; the same bodies give the same match.

A match of soccer has line-ups and actions; a phase or an overall of cycling is a race of its own, with a title and a start,
neither score nor incidents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown
from mapping.match.match import Incident, Match, Named, PeriodScore, Race, RankingEntry, Score, Side, SideName
from providers.fault_collector import FaultCollector
from providers.gn_gsd import clock, payload, squads
from providers.gn_gsd.actions import Cast, incidents, with_scores
from providers.gn_gsd.names import keywords
from providers.gn_gsd.payload import ACTIONS, LINEUPS, MATCH, MISSING, Target, entity, sport_of, target
from providers.gn_gsd.read import Node, node
from providers.gn_gsd.squads import person
from providers.results_and_squads import how_decided, winner

HALVES = 2
"""The last phase of regular time."""
PERIODS = {"half-time": "half_time", "full-time": "full_time", "extra-time": "extra_time"}
"""Title of a part's score → prefix of its names."""


def translate(match_id: str, bodies: Mapping[str, bytes], *, names: Mapping[str, str]) -> Match:
    """The match or race that these bodies describe.

    `bodies`: resource name → body. What cannot be understood becomes a fault; line-ups and actions may be missing.
    Raises DownstreamRejected where there is no match in the bodies, InvalidRequest for a sport that is not translated.
    """
    of = target(match_id)
    try:
        found = entity(of, bodies[of.kind], names)
    except (BadBody, MatchUnknown, KeyError) as error:
        raise DownstreamRejected("the provider's answers hold no such match") from error
    sport = sport_of(of, found)
    if sport == "cycling":
        return _race(of, found)
    if sport != "soccer" or of.kind != MATCH:
        raise InvalidRequest(f"unsupported sport: {sport}", field=f"{of.kind}Id")
    return _soccer(of, found, bodies)


def _soccer(of: Target, found: Node, bodies: Mapping[str, bytes]) -> Match:
    faults = FaultCollector(MATCH, of.id)
    teams: dict[SideName, Side | None] = {
        name: faults.try_read(_side, found, name, faults) for name in ("home", "away")
    }
    sides = squads.add_squads(teams, _lineups(bodies, found.names, faults), faults.for_row(LINEUPS, of.id))
    score, shootout = _pair(found, "score", faults), _pair(found, "shootout", faults)
    periods = tuple(
        PeriodScore(title=title, score=part)
        for title, prefix in PERIODS.items()
        if (part := _pair(found, prefix, faults)) is not None
    )
    cast = Cast.of(sides)
    happened = incidents(_actions(bodies, found.names, faults), cast, found.names, faults)
    happened = with_scores(happened, cast, (score, periods), faults)
    period = clock.stage(found, faults)
    state = clock.state(found, period, faults, played=bool(happened))
    status = state.status
    at = clock.clock(found, state, period, _furthest_phase(happened, periods), faults)
    return Match(
        provider="gn-gsd", match_id=of.match_id, sport="soccer", status=status,
        kickoff=faults.try_read(found.moment, "kickoff"), clock=at, home=sides["home"], away=sides["away"],
        tournament=_tournament(found, faults), location=faults.try_read(_venue, found, faults),
        score=score, shootout=shootout, periods=periods, winner=winner(status, shootout or score),
        decided=how_decided(
            status,
            shootout=shootout is not None,
            extra=at.phase > HALVES,
            result=score is not None,
            awarded=state.awarded,
        ),
        incidents=happened, text=False, faults=faults.collected,
    )  # fmt: skip


def _side(found: Node, name: SideName, faults: FaultCollector) -> Side | None:
    return squads.side(found.part(name), faults)


def _venue(found: Node, faults: FaultCollector) -> Named | None:
    return squads.read_named(found.part("venue"), faults)


def _lineups(bodies: Mapping[str, bytes], names: Mapping[str, str], faults: FaultCollector) -> Node | None:
    """The line-ups; a body that is none is a fault, since the match stands without."""
    try:
        return payload.lineups(bodies[LINEUPS], names) if LINEUPS in bodies else None
    except BadBody as error:
        faults.for_row(LINEUPS, "").add("", error.message)
        return None


def _actions(
    bodies: Mapping[str, bytes], names: Mapping[str, str], faults: FaultCollector
) -> tuple[tuple[str, object], ...]:
    """The rows. Where the list of them is not there or is none, anything may be in it; `{}` stands for no such resource."""
    body, about = bodies.get(ACTIONS, MISSING), faults.for_row(ACTIONS, "")
    try:
        rows = payload.action_rows(body, names)
    except BadBody as error:
        about.add("actions", error.message, blocks_withdrawal=True)
        return ()
    if not rows and body != MISSING and not payload.none_listed(body, names):
        about.add("actions", "missing", blocks_withdrawal=True)
    return rows


def _pair(found: Node, prefix: str, faults: FaultCollector) -> Score | None:
    """Both goals under `<prefix>_home` and `<prefix>_away`; before play there are none."""
    home, away = (faults.try_read(found.number, f"{prefix}_{side}") for side in ("home", "away"))
    return None if home is None or away is None else Score(home, away)


def _furthest_phase(happened: tuple[Incident, ...], periods: tuple[PeriodScore, ...]) -> int:
    """The furthest phase of play that actions and scores know of, 0 where they know of none."""
    scored = [4 for part in periods if part.title == "extra-time"]
    return max((each.phase or 0 for each in happened), default=0) if not scored else scored[0]


def _tournament(found: Node, faults: FaultCollector) -> Named | None:
    """The first related event of a league's or season's kind."""
    return next(
        (named for kind, named in related_events(found, faults) if kind in keywords(found.names, "tournament_kinds")),
        None,
    )


def _above(found: Node, faults: FaultCollector) -> Named | None:
    """The race that a stage is part of: a related event of a race's kind, else the first that has a name."""
    events = related_events(found, faults)
    fitting = [named for kind, named in events if kind in keywords(found.names, "race_kinds")]
    return next(iter([*fitting, *(named for _, named in events)]), None)


def related_events(found: Node, faults: FaultCollector) -> list[tuple[str, Named]]:
    """(kind, event) of those that have a name."""
    rows: list[tuple[str, Named]] = []
    for path, member in faults.try_read(found.items, "related") or ():
        row = faults.try_read(node, path, member, found.names)
        if row is None:
            continue
        ext_id, name = faults.try_read(row.ident, "id"), faults.try_read(row.text, "name")
        if ext_id is not None and name is not None:
            rows.append((faults.try_read(row.keyword, "related_kind") or "", Named(ext_id=ext_id, name=name)))
    return rows


def _race(of: Target, found: Node) -> Match:
    """The race as a match without sides. DownstreamRejected where nothing names it."""
    faults = FaultCollector(of.kind, of.id)
    over = _above(found, faults)
    title = _title(faults.try_read(found.text, "name"), over)
    if title is None:
        raise DownstreamRejected(f"the provider's {of.kind} has no name")
    period = clock.stage(found, faults)
    return Match(
        provider="gn-gsd",
        match_id=of.match_id,
        sport="cycling",
        status=clock.state(found, period, faults, played=False).status,
        kickoff=faults.try_read(found.moment, "kickoff"),
        title=title,
        tournament=over,
        race=_start_list(found, faults),
        text=False,
        faults=faults.collected,
    )


def _title(name: str | None, over: Named | None) -> str | None:
    """`Tour of Examples \u2013 Stage 5`; the race alone where the stage has no name, or says it itself."""
    if over is None or (name is not None and over.name.casefold() in name.casefold()):
        return name
    return over.name if name is None else f"{over.name} \u2013 {name}"


def _start_list(found: Node, faults: FaultCollector) -> Race | None:
    """Who starts, in the feed's order: a ranking without places; None as long as nobody is named."""
    rows = (
        faults.try_read(node, path, member, found.names)
        for path, member in faults.try_read(found.items, "entrants") or ()
    )
    placings = {who.person.ext_id: who for row in rows if row is not None and (who := _starter(row, faults)).person}
    return Race(ranking=tuple(placings.values())) if placings else None


def _starter(row: Node, faults: FaultCollector) -> RankingEntry:
    who = faults.try_read(person, row, faults)
    number = faults.try_read(row.text, "start_number")
    team_id, team = (
        faults.try_read(row.ident, "entrant_team_id"),
        faults.try_read(row.text, "entrant_team"),
    )
    return RankingEntry(
        position=None,
        person=who if who is None else replace(who, number=number or who.number),
        team=None if team is None else Side(ext_id=team_id or team, name=team),
    )
