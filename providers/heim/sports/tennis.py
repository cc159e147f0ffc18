"""Tennis: the feed gives sets and games and no events; start, games and end are read off the rows of the sets.

Which of two games came first is not in a snapshot, so a game is known by who won it and how many games that side had won
in the set before: the keys stand still while the set goes on, and a score that is corrected downwards takes back exactly
the games above it. Games are placed in the order that the numbers allow: the sides in turn, home first, the surplus of the
leading side at the end; so the last game of a set that is over is the winner's, as it must be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mapping.match import PERIOD_KEY, Clock, Incident, Match, PeriodScore, Score, SideName, Status
from providers.fault_collector import ValueMismatch
from providers.heim import squads
from providers.heim.read import Row
from providers.heim.score import RUNNING, side_of, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from providers.heim.sports.base import Source

NOTHING = Score(0, 0)
SETS = ("1", "2", "3", "4", "5")
MARKERS = {"game-start": "tennis.start", "game-end": "tennis.end"}
MARKS = frozenset(f"{PERIOD_KEY}{kind}" for kind in MARKERS.values())
CELLS = frozenset({"", "match_result", "match_result_at", "place"})
"""Fields of the result; a fault in one of them is a set that cannot be read."""

MOST_GAMES = 200
"""Games of one side in one set; the longest set ever played had 138 in all."""


@dataclass(frozen=True, slots=True)
class Set:
    """A set: its number, its games so far, and whether it is over."""

    number: int
    games: Score
    over: bool


def tennis(source: Source) -> Match:
    """The match with one incident for each game."""
    row, notes, names = source.row, source.notes, source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    rows = table(row, notes, beside=names["points_row"])
    period = source.period(MARKS)
    played, broken = _sets(rows), any(fault.field in CELLS for fault in notes.sink)
    status = _status(source, period, begun=bool(played) or broken)
    if status.over:
        played = tuple(each for each in played if each.games != NOTHING)
    score, server = rows.get(RUNNING), notes.try_read(lambda: row.ident(names["serving"]))
    since = source.since()
    return Match(
        provider="heim",
        match_id=source.match_id,
        sport="tennis",
        status=status,
        kickoff=source.kickoff(),
        clock=Clock(phase=len(played), phase_started_at=since if period == "game-start" and len(played) < 2 else None),
        home=home,
        away=away,
        tournament=source.tournament(),
        location=source.location(),
        score=score,
        periods=tuple(PeriodScore(title=str(each.number), score=each.games) for each in played),
        winner=source.winner(sides, status, score),
        incidents=_incidents(source, status, played),
        comments=source.texts(sides, _bound),
        text=source.has_text(),
        points=_points(source, status),
        serving=sides.get(server or "") if status.running else None,
        faults=notes.faults,
        illegible=notes.illegible | _illegible(len(played)) if broken else notes.illegible,
    )


def _illegible(read: int) -> frozenset[str]:
    """Start, end and every game that the sets behind the first `read` could hold: a broken row takes none of them back."""
    return MARKS.union(
        f"game:s{number}:{side}{game}"
        for number in SETS[read:]
        for side in ("home", "away")
        for game in range(1, MOST_GAMES + 1)
    )


def _sets(rows: Mapping[str, Score]) -> tuple[Set, ...]:
    """The sets with a row, without gaps. A set is over when the next one has begun or the sets won say so."""
    numbers = [number for number in SETS if number in rows]
    numbers = numbers[: next((at for at, number in enumerate(numbers) if number != SETS[at]), len(numbers))]
    won = rows.get(RUNNING, NOTHING)
    return tuple(
        Set(
            number=int(number),
            games=Score(min(rows[number].home, MOST_GAMES), min(rows[number].away, MOST_GAMES)),
            over=rows[number].home != rows[number].away
            and (at + 1 < len(numbers) or won.home + won.away == len(numbers)),
        )
        for at, number in enumerate(numbers)
    )


def _status(source: Source, period: str, *, begun: bool) -> Status:
    """From `finished`, the incident, and whether a set has begun; many matches never name a period."""
    incident, names = source.incident(), source.names
    for word in (Status.ABANDONED, Status.CANCELLED):
        if incident and incident == names[f"incident_{word.value}"]:
            return word
    if source.finished(MARKS) or period == "game-end":
        return Status.FINISHED
    if period or begun:
        return Status.LIVE
    return Status.POSTPONED if incident and incident == names["incident_postponed"] else Status.SCHEDULED


def _incidents(source: Source, status: Status, played: Sequence[Set]) -> tuple[Incident, ...]:
    incident = source.incident()
    retired = bool(incident) and incident == source.names["incident_retired"]
    games = [game for each in played for game in _games(each)]
    found: list[Incident] = []
    if games or status.running or (status is Status.FINISHED and not retired and bool(played)):
        found.append(_marker("tennis.start"))
    found += games
    if status is Status.FINISHED:
        method = None if not retired else "retired" if games else "walkover"
        found.append(_marker("tennis.end", method))
    return tuple(_placed(each, order) for order, each in enumerate(found))


def _marker(kind: str, method: str | None = None) -> Incident:
    """A start or an end without a time: the feed tells when its last word was said, so the next would move it."""
    return Incident(key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, method=method, synthesised=True)


def _games(of: Set) -> Iterator[Incident]:
    order = _order(of.games)
    for at, (side, number) in enumerate(order):
        last = of.over and at == len(order) - 1
        yield Incident(
            key=f"game:s{of.number}:{side}{number}",
            kind="tennis.game-win",
            order=0,
            phase=of.number,
            side=side,
            score=of.games if last else None,
            method="set" if last else None,
            detail=str(number),
            synthesised=True,
        )


def _order(games: Score) -> list[tuple[SideName, int]]:
    """Every game of a set as (winner, how many that side has won with it), the sides in turn."""
    won: list[tuple[SideName, int]] = []
    for number in range(1, max(games.home, games.away) + 1):
        turn: tuple[tuple[SideName, int], ...] = (("home", games.home), ("away", games.away))
        won += [(side, number) for side, total in turn if number <= total]
    return won


def _bound(event: Row) -> tuple[str | None, bool]:
    """Text on the start and the end belongs to those, any other stands for itself."""
    kind = MARKERS.get(event.text("kind") or "") if event.text("action") == "match" else None
    return (None if kind is None else f"{PERIOD_KEY}{kind}"), True


def _placed(incident: Incident, order: int) -> Incident:
    return replace(incident, order=order)


def _points(source: Source, status: Status) -> tuple[str, str] | None:
    """The points of the running game, where an endpoint gives them: `0`, `15`, `30`, `40`, `A`."""
    period, found = source.names["points_row"], dict[str, str]()
    if not period or not status.running:
        return None
    for item in source.notes.try_read(lambda: source.row.items("match_result")) or ():
        try:
            row = Row.of(item, "match_result")
            side, points = side_of(row), row.text("match_result")
            if row.text("match_result_at") == period and points is not None:
                found[side] = points
        except ValueMismatch:
            continue  # told already by whoever reads the table
    return (found["home"], found["away"]) if len(found) == 2 else None
