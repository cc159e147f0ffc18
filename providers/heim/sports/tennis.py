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
    row, faults, names = source.row, source.faults, source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    rows = table(row, faults, beside=names["points_row"])
    period, broken = source.period(MARKS), any(fault.field in CELLS for fault in faults.sink)
    status, played = _status(source, period, _sets(rows), broken=broken)
    score, server = rows.get(RUNNING), faults.try_read(row.ident, names["serving"])
    since = source.since() if period == "game-start" and len(played) < 2 else None
    match = replace(
        source.frame("tennis", status),
        clock=Clock(phase=len(played), phase_started_at=since),
        home=home,
        away=away,
        score=score,
        periods=tuple(PeriodScore(title=str(each.number), score=each.games) for each in played),
        winner=source.winner(sides, status, score),
        incidents=_incidents(source, status, played),
        comments=source.texts(sides, _bound),
        points=_points(source, status),
        serving=sides.get(server or "") if status.running else None,
    )
    if broken:
        faults.kept.update(_unreadable(len(played)))
    return source.completed(match)


def _status(source: Source, period: str, played: tuple[Set, ...], *, broken: bool) -> tuple[Status, tuple[Set, ...]]:
    """The status and the sets that were played; many matches never name a period, a set shows that they have begun."""
    playing = Status.LIVE if period or played or broken else None
    status = source.status(playing, ended=period == "game-end", keep=MARKS)
    return status, tuple(each for each in played if each.games != NOTHING) if status.over else played


def _unreadable(read: int) -> frozenset[str]:
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


def _incidents(source: Source, status: Status, played: Sequence[Set]) -> tuple[Incident, ...]:
    retirement = source.names["incident_retired"]
    retired = bool(retirement) and source.incident() == retirement
    games = [game for each in played for game in _games(each)]
    found = [_marker("tennis.start")] if games or _begun(status, played, retired=retired) else []
    found += games
    if status is Status.FINISHED:
        how = "retired" if games else "walkover"
        found.append(_marker("tennis.end", how if retired else None))
    return tuple(replace(each, order=order) for order, each in enumerate(found))


def _begun(status: Status, played: Sequence[Set], *, retired: bool) -> bool:
    """Whether a match without a game has begun: it runs, or ended in another way than by a walkover."""
    return status.running or (status is Status.FINISHED and bool(played) and not retired)


def _marker(kind: str, method: str | None = None) -> Incident:
    """A start or an end without a time: the feed has the time of its last period only, so the next would move it."""
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


def _points(source: Source, status: Status) -> tuple[str, str] | None:
    """The points of the running game, where an endpoint gives them: `0`, `15`, `30`, `40`, `A`."""
    period, found = source.names["points_row"], dict[str, str]()
    if not period or not status.running:
        return None
    for item in source.faults.try_read(source.row.items, "match_result") or ():
        try:
            row = Row.of(item, "match_result")
            side, points = side_of(row), row.text("match_result")
            if row.text("match_result_at") == period and points is not None:
                found[side] = points
        except ValueMismatch:
            continue  # the reader of the table has collected it
    return (found["home"], found["away"]) if len(found) == 2 else None
