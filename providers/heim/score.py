"""The scores: running, at the ends of the parts, and of the shoot-out, whose tally takes the running one's row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mapping.match.match import PeriodScore, Score, SideName, Status
from providers.fault_collector import FaultCollector, ValueMismatch
from providers.heim.read import Row

RUNNING, HALF_TIME, FULL_TIME, EXTRA_TIME = "0", "1", "2", "21"
TITLES = {HALF_TIME: "half-time", FULL_TIME: "full-time", EXTRA_TIME: "extra-time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """`score` on the pitch, `shootout` the tally of its kicks alone, `periods` the snapshots that the feed gave."""

    score: Score | None = None
    shootout: Score | None = None
    periods: tuple[PeriodScore, ...] = ()


def table(match: Row, faults: FaultCollector, *, beside: str = "", keep: Iterable[str] = ()) -> Mapping[str, Score]:
    """Period id → score, of those periods that have both sides. `none_home` is home on neutral ground.

    `beside`: a period id whose rows are no numbers and are read by somebody else; `keep`: keys of the incidents that
    are read off the rows, all of which may be in one that cannot be understood.
    """
    found: dict[str, dict[str, int]] = {}
    for item in faults.try_read(match.needed_items, "match_result", keep=keep) or ():
        if beside and isinstance(item, dict) and item.get("match_result_at") == beside:
            continue
        cell = faults.try_read(_cell, item, keep=keep)
        if cell is not None:
            period, side, points = cell
            found.setdefault(period, {})[side] = points
    return {period: Score(**sides) for period, sides in found.items() if len(sides) == 2}


def _cell(item: object) -> tuple[str, SideName, int]:
    row = Row.of(item, "match_result")
    for name in ("match_result_at", "match_result", "place"):
        row.needed(name)
    period, points = row.number("match_result_at"), row.number("match_result")
    if period is None or points is None:
        raise ValueMismatch(row.at("match_result"), "period or value missing")
    return str(period), side_of(row), points


def side_of(row: Row) -> SideName:
    """The side whose score a row holds."""
    place = row.text("place") or ""
    side = place.removeprefix("none_")
    if side == "home":
        return "home"
    if side == "away":
        return "away"
    raise ValueMismatch(row.at("place"), f"home or away expected, not {place[:20]!r}")


def scores(
    rows: Mapping[str, Score],
    *,
    status: Status,
    decided_by_kicks: bool,
    kicks: Sequence[tuple[SideName | None, bool]],
    goals: Iterable[Score],
    covered: bool,
) -> Scores:
    """Separate the running score from the tally that stands in the same row once there is a shoot-out.

    `decided_by_kicks`: the match says so; `kicks`: (side, went in) of each; `goals`: the scores after the goals, for
    want of a row; `covered`: events are reported, so no goal means 0:0.
    """
    periods = tuple(PeriodScore(title=title, score=rows[at]) for at, title in TITLES.items() if at in rows)
    running, extra = rows.get(RUNNING), rows.get(EXTRA_TIME)
    if not (decided_by_kicks or kicks or status is Status.SHOOTOUT or _fell(extra, running)):
        return Scores(score=running, periods=periods)
    pitch = extra or _latest(goals, rows.get(FULL_TIME), covered=covered)
    return Scores(score=pitch, shootout=_tally(running, pitch, status, kicks), periods=periods)


def _latest(goals: Iterable[Score], full_time: Score | None, *, covered: bool) -> Score | None:
    """The highest score of the goals and of full time."""
    known = (*goals, *([] if full_time is None else [full_time]))
    return max(known, key=lambda score: score.total, default=Score(0, 0) if covered else None)


def _fell(extra: Score | None, running: Score | None) -> bool:
    """Whether the running score is below the one after extra time, so that it must be the tally of a shoot-out."""
    if extra is None or running is None:
        return False
    return running.home < extra.home or running.away < extra.away


def _tally(
    running: Score | None, pitch: Score | None, status: Status, kicks: Sequence[tuple[SideName | None, bool]]
) -> Score | None:
    """The row's tally once the match is over, the counted kicks before; what row 0 shows meanwhile is not known."""
    if kicks and not status.over:
        return Score(kicks.count(("home", True)), kicks.count(("away", True)))
    if status.over:
        return running
    return running if running != pitch else None
