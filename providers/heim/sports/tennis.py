"""Tennis: the feed gives sets and games and no events; start, the last game of each set and the end are read off the rows.

In which order games were won is not in a snapshot: `mapping.belief.goals` knows it from the snapshots before. A game is known by
its set and by how many games were played in that with it, so the keys stand still while the set goes on, and a score that
is corrected downwards takes back exactly the games above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mapping.belief.goals import NOTHING, SET, game_key, side_with_enough_sets
from mapping.match.match import PERIOD_KEY, Clock, Decided, Incident, Match, PeriodScore, Score, SideName, Status
from providers.fault_collector import ValueMismatch
from providers.heim import squads
from providers.heim.read import RUNNING, Row, side_of, table
from providers.heim.sports.base import Source

SETS = ("1", "2", "3", "4", "5")
MARKERS = {"game-start": "tennis.start", "game-end": "tennis.end"}
MARKS = frozenset(f"{PERIOD_KEY}{kind}" for kind in MARKERS.values())
START = f"{PERIOD_KEY}tennis.start"
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
    """Make the match of a game of tennis, with one incident for each game of a set."""
    row, faults, names = source.row, source.faults, source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    rows = table(row, faults, beside=names["points_row"])
    period, broken = source.period(MARKS), any(fault.field in CELLS for fault in faults.sink)
    status, played = _status(source, period, rows)
    ending = _ending(source, status, played)
    score, server = rows.get(RUNNING), faults.try_read(row.ident, names["serving"])
    since = source.since() if period == "game-start" and len(played) < 2 else None
    match = replace(
        source.frame("tennis", status),
        clock=Clock(phase=len(played), phase_started_at=since),
        home=home,
        away=away,
        score=score,
        periods=tuple(PeriodScore(title=str(each.number), score=each.games) for each in played),
        winner=_winner(source, sides, status, score, ending),
        decided=ending,
        incidents=_incidents(status, played, ending),
        comments=source.texts(sides, _incident_of_text),
        points=_points(source, status),
        serving=sides.get(server or "") if status.running else None,
    )
    if broken:
        faults.kept.update(_unreadable(len(played)))
    return source.completed(match)


def _status(source: Source, period: str, rows: Mapping[str, Score]) -> tuple[Status, tuple[Set, ...]]:
    """The status and the sets that were played; many matches never name a period, a set shows that they have begun.

    A result that cannot be read shows nothing: what is believed of the match stays, since its start is unreadable then.
    """
    begun, played = period or any(number in rows for number in SETS), _sets(rows)
    status = source.status(Status.LIVE if begun else None, ended=period == "game-end", keep=MARKS)
    return status, tuple(each for each in played if each.games != NOTHING) if status.over else played


def _winner(
    source: Source, sides: Mapping[str, SideName], status: Status, score: Score | None, ending: Decided | None
) -> SideName | None:
    """Whom the feed names, else who has the sets that win a match: leading when it is flagged as over wins nothing."""
    if source.row.has("winner_team_id") and (named := source.winner(sides, status, score)):
        return named
    return side_with_enough_sets(score) if status is Status.FINISHED and ending is None else None


def _ending(source: Source, status: Status, played: Sequence[Set]) -> Decided | None:
    """How the match came to its end, where nobody won its last point."""
    retirement = source.names["incident_retired"]
    if status is Status.ABANDONED:
        return Decided.ABANDONED
    if status is not Status.FINISHED or not retirement or source.incident(MARKS) != retirement:
        return None
    return Decided.RETIRED if any(each.games != NOTHING for each in played) else Decided.WALKOVER


def _unreadable(read: int) -> frozenset[str]:
    """The start and every game that the sets behind the first `read` could hold: a broken row takes none of them back."""
    played = range(1, 2 * MOST_GAMES + 1)
    return frozenset({START, *(game_key(int(number), games) for number in SETS[read:] for games in played)})


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


def _incidents(status: Status, played: Sequence[Set], ending: Decided | None) -> tuple[Incident, ...]:
    """Many matches never name a period: one that runs, or has a game, has begun. A walkover has an end alone."""
    games = [_last_game(each) for each in played if each.games != NOTHING]
    found = [_marker("tennis.start")] if games or status.running else []
    found += games
    if status is Status.FINISHED:
        found.append(_marker("tennis.end", ending))
    return tuple(replace(each, order=order) for order, each in enumerate(found))


def _marker(kind: str, method: str | None = None) -> Incident:
    """A start or an end without a time: the feed has the time of its last period only, so the next would move it."""
    return Incident(key=f"{PERIOD_KEY}{kind}", kind=kind, order=0, method=method, synthesised=True)


def _last_game(of: Set) -> Incident:
    """The last game of a set, with its winner where that is sure: of a set that is over, or that only one side won games in."""
    return Incident(
        key=game_key(of.number, of.games.home + of.games.away),
        kind="tennis.game-win",
        order=0,
        phase=of.number,
        side=of.games.ahead if of.over or 0 in (of.games.home, of.games.away) else None,
        score=of.games,
        method=SET if of.over else None,
        synthesised=True,
    )


def _incident_of_text(event: Row) -> tuple[str | None, bool]:
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
