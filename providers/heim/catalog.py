"""What HEIM:SPIEL can deliver, and which of its keywords means which event type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.match.match import PERIOD_KEY

SOCCER = (
    "soccer.goal",
    "soccer.own-goal",
    "soccer.yellow-card",
    "soccer.red-card",
    "soccer.yellow-red-card",
    "soccer.penalty-kick-missed",
    "soccer.substitution",
    "soccer.start",
    "soccer.pause-halves",
    "soccer.resume-halves",
    "soccer.end-of-regular-play",
    "soccer.start-overtime",
    "soccer.pause-overtime",
    "soccer.resume-overtime",
    "soccer.end-of-overtime",
    "soccer.start-shootout",
    "soccer.end",
)
TENNIS = ("tennis.game-win", "tennis.start", "tennis.end")
MOTORSPORTS = tuple(
    f"motorsports.{kind}"
    for kind in (
        "crash",
        "overtake",
        "pit-stop",
        "fastest-lap",
        "penalty",
        "team-radio",
        "weather-info",
        "safety-car",
        "virtual-safety-car",
        "red-flag",
        "yellow-flag",
        "start",
        "end",
        "podium",
    )
)

CATALOG: Mapping[str, tuple[str, ...]] = {
    "soccer": SOCCER,
    "tennis": TENNIS,
    "american_football": (),
    "motorsports": MOTORSPORTS,
}
SCOREBOARD: Mapping[str, bool] = {"soccer": True, "tennis": True, "american_football": True, "motorsports": False}
TEXT_SPORTS = frozenset({"soccer", "icehockey", "tennis", "american_football", "motorsports"})


@dataclass(frozen=True, slots=True)
class Period:
    """A row `match/<kind>`: its type, its phase and whether it starts that, what must have happened before it.

    `minute` is the one that the feed gives such a row.
    """

    kind: str
    type: str
    phase: int
    minute: int
    starts: bool
    after: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{PERIOD_KEY}{self.type}"


PERIODS: Mapping[str, Period] = {
    period.kind: period
    for period in (
        Period("game-start", "soccer.start", 1, 1, starts=True),
        Period("first-half-end", "soccer.pause-halves", 1, 45, starts=False, after=("game-start",)),
        Period("second-half-start", "soccer.resume-halves", 2, 46, starts=True, after=("first-half-end",)),
        Period("second-half-end", "soccer.end-of-regular-play", 2, 90, starts=False, after=("second-half-start",)),
        Period("first-extra-start", "soccer.start-overtime", 3, 91, starts=True, after=("second-half-end",)),
        Period("first-extra-end", "soccer.pause-overtime", 3, 105, starts=False, after=("first-extra-start",)),
        Period("second-extra-start", "soccer.resume-overtime", 4, 106, starts=True, after=("first-extra-end",)),
        Period("second-extra-end", "soccer.end-of-overtime", 4, 120, starts=False, after=("second-extra-start",)),
        # A shoot-out may follow the second half directly, and a match may end after any half.
        Period("penalty-start", "soccer.start-shootout", 5, 120, starts=True, after=("second-half-end",)),
        Period("game-end", "soccer.end", 2, 90, starts=False, after=("second-half-start",)),
    )
}

PERIOD_KEYS = frozenset(period.key for period in PERIODS.values())

EVENTS: Mapping[tuple[str, str], str] = {
    ("goal", "own-goal"): "soccer.own-goal",
    ("card", "yellow"): "soccer.yellow-card",
    ("card", "red"): "soccer.red-card",
    ("card", "yellow-red"): "soccer.yellow-red-card",
    ("special", "missed-penalty"): "soccer.penalty-kick-missed",
    ("playing", "substitute-in"): "soccer.substitution",
    ("pso", "goal"): "soccer.goal",
    ("pso", "miss"): "soccer.penalty-kick-missed",
}
"""Rows that are an incident each; any other kind of `goal` is a goal, however it was scored."""

SILENT = frozenset({("playing", "lineup"), ("playing", "bench"), ("playing", "substitute-out")})
"""Rows that are understood but are no incident of their own: squads, half of a substitution."""

IGNORED = ("coaching",)
"""Actions that are understood and not wanted."""


def event_type(action: str | None, kind: str | None) -> str | None:
    """The event type of a row that is not a period's, None where there is none."""
    known = EVENTS.get((action or "", kind or ""))
    return known or ("soccer.goal" if action == "goal" else None)
