"""What Stats Perform's feed MA1 delivers, and which of its numbers means which part of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.match.match import PERIOD_KEY

GOAL, OWN_GOAL = "soccer.goal", "soccer.own-goal"
YELLOW, RED, YELLOW_RED = "soccer.yellow-card", "soccer.red-card", "soccer.yellow-red-card"
SUBSTITUTION = "soccer.substitution"
END, SHOOTOUT = "soccer.end", "soccer.start-shootout"


@dataclass(frozen=True, slots=True)
class Period:
    """A part of a match: the types that its start and end lead to, and the minutes at which they are."""

    phase: int
    start: str
    start_minute: int
    end: str
    end_minute: int


PERIODS: Mapping[int, Period] = {
    1: Period(1, "soccer.start", 1, "soccer.pause-halves", 45),
    2: Period(2, "soccer.resume-halves", 46, "soccer.end-of-regular-play", 90),
    3: Period(3, "soccer.start-overtime", 91, "soccer.pause-overtime", 105),
    4: Period(4, "soccer.resume-overtime", 106, "soccer.end-of-overtime", 120),
    5: Period(5, SHOOTOUT, 120, END, 120),
}
"""`periodId` of a part that is played."""
CATALOG: Mapping[str, tuple[str, ...]] = {
    "soccer": (
        *(GOAL, OWN_GOAL, YELLOW, RED, YELLOW_RED, SUBSTITUTION),
        *(kind for each in PERIODS.values() for kind in (each.start, each.end)),
    )
}
SCOREBOARD: Mapping[str, bool] = {"soccer": True}
TEXT_SPORTS: frozenset[str] = frozenset()
PLACES: Mapping[int | None, tuple[int, bool]] = {
    **{part: (part, False) for part in PERIODS},
    **{number: (part, True) for part, number in enumerate((10, 11, 12, 13), 1)},
}
"""`periodId` → the part that runs or ran last, and whether it is a break behind it."""
BEFORE, OVER = 16, 14
MARKS = frozenset(f"{PERIOD_KEY}{kind}" for each in PERIODS.values() for kind in (each.start, each.end))
"""Keys of what starts and ends the parts of a match."""
