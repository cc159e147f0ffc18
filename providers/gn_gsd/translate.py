"""The last good bodies of Global Sports Data → the canonical match: pure, and the same for the same bodies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown
from mapping.match import Match, PeriodScore, Score, Status
from providers.fault_collector import FaultCollector
from providers.gn_gsd import clock, squads
from providers.gn_gsd.actions import Cast, incidents
from providers.gn_gsd.payload import (
    ACTIONS,
    LINEUPS,
    MATCH,
    MISSING,
    Target,
    action_rows,
    entity,
    lineups,
    none_listed,
    target,
)
from providers.gn_gsd.race import race
from providers.gn_gsd.related import tournament
from providers.gn_gsd.sport import sport_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mapping.match import Incident, Named, Side, SideName
    from providers.gn_gsd.read import Node

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
        return race(of, found)
    if sport != "soccer" or of.kind != MATCH:
        raise InvalidRequest(f"unsupported sport: {sport}", field=f"{of.kind}Id")
    return _soccer(of, found, bodies)


def _soccer(of: Target, found: Node, bodies: Mapping[str, bytes]) -> Match:
    notes = FaultCollector(MATCH, of.id)
    teams: dict[SideName, Side | None] = {
        name: notes.try_read(partial(_side, found, name, notes)) for name in ("home", "away")
    }
    sides = squads.with_squads(teams, _lineups(bodies, found.names, notes), notes.about(LINEUPS, of.id))
    happened = incidents(_actions(bodies, found.names, notes), Cast.of(sides), found.names, notes)
    period = clock.stage(found, notes)
    status = clock.status(found, period, notes, played=bool(happened))
    score, shootout = _pair(found, "score", notes), _pair(found, "shootout", notes)
    periods = tuple(
        PeriodScore(title=title, score=part)
        for title, prefix in PERIODS.items()
        if (part := _pair(found, prefix, notes)) is not None
    )
    return Match(
        provider="gn-gsd",
        match_id=of.match_id,
        sport="soccer",
        status=status,
        kickoff=notes.try_read(partial(found.moment, "kickoff")),
        clock=clock.clock(found, status, period, _reached(happened, periods), notes),
        home=sides["home"],
        away=sides["away"],
        tournament=tournament(found, notes),
        location=notes.try_read(partial(_venue, found, notes)),
        score=score,
        shootout=shootout,
        periods=periods,
        winner=_winner(status, shootout or score),
        incidents=happened,
        text=False,
        faults=notes.faults,
    )


def _side(found: Node, name: SideName, notes: FaultCollector) -> Side | None:
    return squads.side(found.part(name), notes)


def _venue(found: Node, notes: FaultCollector) -> Named | None:
    return squads.named(found.part("venue"), notes)


def _lineups(bodies: Mapping[str, bytes], names: Mapping[str, str], notes: FaultCollector) -> Node | None:
    """The line-ups; a body that is none is a fault, since the match stands without."""
    try:
        return lineups(bodies[LINEUPS], names) if LINEUPS in bodies else None
    except BadBody as error:
        notes.about(LINEUPS, "").add("", error.message)
        return None


def _actions(
    bodies: Mapping[str, bytes], names: Mapping[str, str], notes: FaultCollector
) -> tuple[tuple[str, object], ...]:
    """The rows. Where the list of them is not there or is none, anything may be in it; `{}` stands for no such resource."""
    body, about = bodies.get(ACTIONS, MISSING), notes.about(ACTIONS, "")
    try:
        rows = action_rows(body, names)
    except BadBody as error:
        about.add("actions", error.message, hides=True)
        return ()
    if not rows and body != MISSING and not none_listed(body, names):
        about.add("actions", "missing", hides=True)
    return rows


def _pair(found: Node, prefix: str, notes: FaultCollector) -> Score | None:
    """Both goals under `<prefix>_home` and `<prefix>_away`; before play there are none."""
    home, away = (notes.try_read(partial(found.number, f"{prefix}_{side}")) for side in ("home", "away"))
    return None if home is None or away is None else Score(home, away)


def _reached(happened: tuple[Incident, ...], periods: tuple[PeriodScore, ...]) -> int:
    """The furthest phase of play that actions and scores know of, 0 where they know of none."""
    scored = [4 for part in periods if part.title == "extra-time"]
    return max((each.phase or 0 for each in happened), default=0) if not scored else scored[0]


def _winner(status: Status, decisive: Score | None) -> SideName | None:
    if status is not Status.FINISHED or decisive is None or decisive.home == decisive.away:
        return None
    return "home" if decisive.home > decisive.away else "away"
