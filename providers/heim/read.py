"""Reads rows of the feed: every scalar is a string, and a value that is not as documented is named, never guessed.

The rows of scores are read here too: running, at the ends of the parts, and of the shoot-out,
whose tally takes the running one's row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar

from mapping.documents.countries import alpha2
from mapping.match.match import PeriodScore, Person, Score, Side, SideName, Status
from providers.fault_collector import UNPRINTABLE, FaultCollector, ValueMismatch

T = TypeVar("T")

DIGITS = 18
MOMENTS = ("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M")
USUAL = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{4})( [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?", re.ASCII)
"""What nearly all dates look like: read without `strptime`, which was a third of a translation."""
BLANK_MOMENT = re.compile(r"[0:. -]*")
"""`0000-00-00 00:00:00` and the like: the feed's way to say nothing."""


RUNNING, HALF_TIME, FULL_TIME, EXTRA_TIME = "0", "1", "2", "21"
TITLES = {HALF_TIME: "half-time", FULL_TIME: "full-time", EXTRA_TIME: "extra-time"}


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object of the feed; absent, null and empty are the same, and anything unexpected raises ValueMismatch."""

    data: Mapping[str, Any]
    path: str = ""

    @classmethod
    def of(cls, value: object, name: str = "") -> Row:
        """A member of a list, which should be an object; `name` is what a fault calls it."""
        if isinstance(value, dict):
            return cls(value)
        raise ValueMismatch(name, f"object expected, not {type(value).__name__}")

    def at(self, name: str) -> str:
        return f"{self.path}{name}"

    def has(self, name: str) -> bool:
        return name in self.data

    def needed(self, name: str) -> Row:
        """The row itself; ValueMismatch where it lacks a field that the feed always sends with something in it."""
        if self.data.get(name) in (None, "", []):
            raise ValueMismatch(self.at(name), "missing")
        return self

    def text(self, name: str) -> str | None:
        """A string without control characters; a plain number is taken as its digits."""
        value = self.data.get(name)
        if isinstance(value, str):
            return (value if value.isprintable() else UNPRINTABLE.sub("", value)).strip() or None
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        raise ValueMismatch(self.at(name), f"text expected, not {type(value).__name__}")

    def number(self, name: str) -> int | None:
        """A whole number of zero or more."""
        value = self.text(name)
        if value is None:
            return None
        if not (value.isdecimal() and value.isascii() and len(value) <= DIGITS):
            raise ValueMismatch(self.at(name), f"number expected, not {value[:20]!r}")
        return int(value)

    def ident(self, name: str) -> str | None:
        """An id; `"0"` stands for none."""
        value = self.number(name)
        return str(value) if value else None

    def identity(self) -> str:
        """The row's own id."""
        found = self.ident("id")
        if found is None:
            raise ValueMismatch(self.at("id"), "missing")
        return found

    def flag(self, name: str) -> bool | None:
        """`yes` or `no`."""
        value = self.data.get(name)
        if value is None or value == "":
            return None
        if isinstance(value, bool):
            return value
        if value in ("yes", "no"):
            return bool(value == "yes")
        raise ValueMismatch(self.at(name), "yes or no expected")

    def needed_number(self, name: str) -> int | None:
        """`number` of a field that the feed always sends."""
        return self.needed(name).number(name)

    def needed_flag(self, name: str) -> bool | None:
        """`flag` of a field that the feed always sends."""
        return self.needed(name).flag(name)

    def needed_ident(self, name: str) -> str | None:
        """`ident` of a field that the feed always sends."""
        return self.needed(name).ident(name)

    def part(self, name: str) -> Row | None:
        """The object under this name."""
        value = self.data.get(name)
        if isinstance(value, dict):
            return Row(value, f"{self.at(name)}.") if value else None
        if value in (None, "", "0", 0, []):
            return None
        raise ValueMismatch(self.at(name), f"object expected, not {type(value).__name__}")

    def needed_items(self, name: str) -> Sequence[object]:
        """`items` of a list that the feed always sends with something in it."""
        return self.needed(name).items(name)

    def items(self, name: str) -> Sequence[object]:
        """The members of the list under this name, unread; a lone value counts as a list of one."""
        value = self.data.get(name)
        if value in (None, "", "0", 0):
            return ()
        return value if isinstance(value, list) else (value,)

    def moment(self, name: str, zone: tzinfo) -> int | None:
        """Local date and time → Unix seconds. An hour that comes twice is taken as the first (providers.local_times)."""
        value = self.text(name)
        if value is None or BLANK_MOMENT.fullmatch(value):
            return None
        return seconds(value, MOMENTS, zone, self.at(name))

    def day(self, name: str) -> int | None:
        """A calendar day → Unix seconds of its midnight in UTC."""
        value = self.text(name)
        if value is None or BLANK_MOMENT.fullmatch(value):
            return None
        return seconds(value, ("%d.%m.%Y", "%Y-%m-%d"), UTC, self.at(name))

    def country(self, name: str) -> str | None:
        """ISO code of the (first) country under this name, by its code in sport where the feed has none."""
        row = next((Row.of(item, self.at(name)) for item in self.items(name)), None)
        return None if row is None else alpha2(row.text("iso")) or alpha2(row.text("code"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A row of the events of a match. `position` is its place in the feed, `period` its own phase, where it has one."""

    id: str
    action: str
    kind: str
    position: int
    minute: int | None
    added: int | None
    period: int | None
    team_id: str | None
    team: Side | None
    side: SideName | None
    person: Person | None
    additional: Person | None
    content: str | None
    created_at: int | None

    @property
    def keyword(self) -> tuple[str, str]:
        return (self.action, self.kind)


def seconds(value: str, formats: tuple[str, ...], zone: tzinfo, name: str) -> int:
    """`value` in the first of the formats that fits, as Unix seconds; ValueMismatch where none does."""
    usual = USUAL.fullmatch(value)
    if usual is not None and (usual[4] is not None) == (" " in formats[0]):
        try:
            moment = datetime.fromisoformat(f"{usual[3]}-{usual[2]}-{usual[1]}{usual[4] or ''}")
            return int(moment.replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            pass
    for form in formats if value.isascii() else ():
        try:
            return int(datetime.strptime(value, form).replace(tzinfo=zone).timestamp())
        except (ValueError, OverflowError):
            continue
    raise ValueMismatch(name, f"date expected, not {value[:20]!r}")


def read_row(
    value: Any,
    place: int,
    faults: FaultCollector,
    read: Callable[[Row, str, FaultCollector], T],
    *,
    keep: Iterable[str] = (),
) -> T | None:
    """What `read` makes of a row of a list, its id and its faults; None for a row that is left out.

    `place` is its index in the list. `faults` names the resource; `keep`: keys of incidents that the row may report
    besides its own. A row without an id may report anything.
    """
    try:
        row = Row.of(value)
        row_id = row.identity()
    except ValueMismatch as mismatch:
        unnamed = faults.for_row(faults.resource, f"#{place}")
        unnamed.add(mismatch.name, mismatch.reason, keep=keep, blocks_withdrawal=True)
        return None
    own = faults.for_row(faults.resource, row_id)
    return own.try_read(read, row, row_id, own, keep=keep)


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
