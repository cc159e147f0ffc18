"""Sports in quarters or thirds: a score for each, overtime, perhaps a shoot-out, and no events that the service knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from mapping.match.match import Clock, Decided, Match, PeriodScore, Score, Status
from providers.heim import squads
from providers.heim.read import EXTRA_TIME, RUNNING, table
from providers.heim.sports.base import Source

OVERTIME = "overtime"
"""Title of the score within it."""
GAME_END = "game-end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A sport's parts: `periods` leads from `current_period` to (part, whether it runs); parts count from 1."""

    sport: str
    regular: int
    periods: Mapping[str, tuple[int, bool]]
    shootout: bool


def _periods(ordinals: Sequence[str], noun: str) -> dict[str, tuple[int, bool]]:
    """`game-start`, `first-quarter-end`, `second-quarter-start`, …, `overtime-start`, `overtime-end`."""
    found = {"game-start": (1, True)}
    for number, ordinal in enumerate(ordinals, 1):
        found |= {f"{ordinal}-{noun}-start": (number, True), f"{ordinal}-{noun}-end": (number, False)}
    extra = len(ordinals) + 1
    return {**found, "overtime-start": (extra, True), "overtime-end": (extra, False)}


AMERICAN_FOOTBALL = Parts(
    sport="american_football",
    regular=4,
    periods=_periods(("first", "second", "third", "fourth"), "quarter"),
    shootout=False,
)
ICEHOCKEY = Parts(sport="icehockey", regular=3, periods=_periods(("first", "second", "third"), "third"), shootout=True)


def translate_phases(parts: Parts, source: Source) -> Match:
    """The match with the score of each part; nothing is posted but the text."""
    names = source.names
    home, away = source.sides()
    sides = squads.sides_by_id(home, away)
    rows = table(source.row, source.faults)
    period, ending = _period(parts, source), source.incident()
    status = source.status(_playing(parts, period, ending, names), ended=period == GAME_END)
    score, scored = rows.get(RUNNING), part_scores(parts.regular, rows)
    decided = _how_decided(parts, source, status, score, scored)
    match = replace(
        source.frame(parts.sport, status),
        clock=Clock(phase=len(scored))
        if decided is Decided.UNKNOWN
        else _clock(parts, source, status, period, decided),
        home=home,
        away=away,
        score=score,
        periods=scored,
        winner=source.winner(sides, status, score),
        comments=source.texts(sides),
        decided=decided,
    )
    return source.completed(match)


def _period(parts: Parts, source: Source) -> str:
    period = source.period()
    if period and period not in parts.periods and period != GAME_END:
        source.faults.add("current_period", f"unknown period {period[:40]!r}")
    return period


def _playing(parts: Parts, period: str, incident: str | None, names: Mapping[str, str]) -> Status | None:
    """The status of a match that names a period, as long as nothing else decides it."""
    if not period:
        return None
    number, runs = parts.periods.get(period, (1, True))
    if runs:
        return Status.LIVE
    shot_out = parts.shootout and number > parts.regular and incident == names["incident_penalties"]
    return Status.SHOOTOUT if shot_out else Status.BREAK


def _how_decided(
    parts: Parts, source: Source, status: Status, score: Score | None, scored: Sequence[PeriodScore]
) -> Decided | None:
    """How the match was decided; the incident says so as soon as overtime begins."""
    names, ending, over = source.names, source.incident(), status is Status.FINISHED
    if over and score is None:
        return Decided.UNKNOWN
    if ending == names["incident_penalties"] or (over and parts.shootout and _is_one_more(score, scored)):
        return Decided.SHOOTOUT
    extra = OVERTIME in {part.title for part in scored} or ending == names["incident_extra_time"]
    return Decided.OVERTIME if extra else None


def _is_one_more(score: Score | None, scored: Sequence[PeriodScore]) -> bool:
    """Whether a side has one goal more than in all parts, which are level after overtime: that of a shoot-out."""
    if score is None or OVERTIME not in {part.title for part in scored}:
        return False
    home, away = (sum(getattr(part.score, side) for part in scored) for side in ("home", "away"))
    return home == away and (score.home - home, score.away - away) in {(1, 0), (0, 1)}


def _clock(parts: Parts, source: Source, status: Status, period: str, decided: Decided | None) -> Clock:
    """The part that runs or ran last; the feed has the time when the last period began or ended and nothing of those before."""
    since = source.since()
    if period in parts.periods:
        number, runs = parts.periods[period]
        if runs or status is Status.FINISHED:
            return Clock(phase=number, phase_started_at=since if runs and status.running else None)
        return Clock(phase=number, in_break=True, break_started_at=since)
    if status is Status.FINISHED:
        return Clock(phase=parts.regular + (decided is not None))
    return Clock(phase=1 if status.running else 0)


def part_scores(regular: int, rows: Mapping[str, Score]) -> tuple[PeriodScore, ...]:
    """The points made within each part, overtime last.

    An endpoint may send running totals instead of them: then the last part alone, not the sum of all, is the score.
    """
    numbers = [str(number) for number in range(1, regular + 1) if str(number) in rows]
    given = [rows[number] for number in (*numbers, *([EXTRA_TIME] if EXTRA_TIME in rows else []))]
    titles = [*numbers, *([OVERTIME] if EXTRA_TIME in rows else [])]
    within = _differences(given) if _cumulative(given, rows.get(RUNNING)) else given
    return tuple(PeriodScore(title=title, score=score) for title, score in zip(titles, within, strict=True))


def _cumulative(given: Sequence[Score], total: Score | None) -> bool:
    """Whether these are running totals: they never fall, the last is at most the score, and they add up to more than it."""
    if len(given) < 2 or total is None:
        return False
    rises = all(a.home <= b.home and a.away <= b.away for a, b in pairwise(given))
    *_, added = accumulate(given, lambda a, b: Score(a.home + b.home, a.away + b.away))
    return (
        rises
        and (added.home > total.home or added.away > total.away)
        and (given[-1].home <= total.home and given[-1].away <= total.away)
    )


def _differences(given: Sequence[Score]) -> list[Score]:
    before = [Score(0, 0), *given[:-1]]
    return [Score(b.home - a.home, b.away - a.away) for a, b in zip(before, given, strict=True)]
