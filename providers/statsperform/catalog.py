"""What Stats Perform's feed MA1 delivers, which numbers mean which part of a match, and every name that the config can correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.match.match import PERIOD_KEY
from providers.naming import Name

GOAL, OWN_GOAL = "soccer.goal", "soccer.own-goal"
YELLOW, RED, YELLOW_RED = "soccer.yellow-card", "soccer.red-card", "soccer.yellow-red-card"
SUBSTITUTION = "soccer.substitution"
END, SHOOTOUT = "soccer.end", "soccer.start-shootout"


NAMES: tuple[Name, ...] = (
    Name("match_resource", "match/{key}/{id}?live=yes&lineups=yes&_rt=b&_fmt=json", "documented", "one match"),
    Name(
        "overall_resource",
        "match/{key}?tmcl={id}&live=yes&_pgSz=400&_rt=b&_fmt=json",
        "documented",
        "a season's matches",
    ),
    Name("phase_resource", "match/{key}?stg={id}&live=yes&_pgSz=400&_rt=b&_fmt=json", "assumed", "a stage's matches"),
    Name(
        "fixtures_resource",
        "match/{key}?mt.mDt=%5B{from}%20TO%20{to}%5D&live=yes&lineups=no&_ordSrt=asc&_pgSz=400&_pgNm={page}&_rt=b&_fmt=json",
        "inferred",
        "the matches of some days, 400 a page; clients name a season beside the days",
    ),
    Name("sport_soccer", "Soccer", "documented", "name of the sport"),
    Name("ruleset_men", "Men", "documented", "name of the rules, which says who plays"),
    Name("ruleset_women", "Women", "inferred", "name of the rules, which says who plays"),
    Name(
        "token_address",
        "https://oauth.performgroup.com/oauth/token/{key}?_fmt=json&_rt=b",
        "documented",
        "where tokens are given, of an outlet with a secret",
    ),
    Name("status_planned", "Fixture", "documented", "matchStatus"),
    Name("status_running", "Playing", "documented", "matchStatus"),
    Name("status_over", "Played", "documented", "matchStatus"),
    Name("status_awarded", "Awarded", "documented", "matchStatus: a result by decision"),
    Name("status_postponed", "Postponed", "documented", "matchStatus"),
    Name("status_cancelled", "Cancelled", "documented", "matchStatus"),
    Name("status_suspended", "Suspended", "documented", "matchStatus: it may go on"),
    Name("status_abandoned", "Abandoned", "assumed", "matchStatus"),
    Name("goal", "G", "documented", "type of a goal"),
    Name("penalty_goal", "PG", "documented", "type of a goal"),
    Name("own_goal", "OG", "inferred", "type of a goal; its contestantId is not read, as nobody says whose it is"),
    Name("yellow", "YC", "documented", "type of a card"),
    Name("second_yellow", "Y2C", "documented", "type of a card; the first one stays"),
    Name("red", "RC", "inferred", "type of a card"),
)


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
