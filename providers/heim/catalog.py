"""What HEIM:SPIEL can deliver, which of its keywords means which event type, and every name that the config can correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mapping.match.match import PERIOD_KEY
from providers.naming import Name, correct_names

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


NAMES: tuple[Name, ...] = (
    Name("match_resource", "match/ma{id}", "documented", "one match"),
    Name("event_resource", "match-event/ma{id}", "documented", "the events of a match"),
    Name(
        "text_resource", "liveticker/co{competition}/ma{id}", "documented", "text; an empty competition id is assumed"
    ),
    Name("phase_resource", "matches-by-round/ro{id}", "assumed", "the matches of a phase; phase = round"),
    Name("overall_resource", "matches-by-season/se{id}", "assumed", "the matches of an overall; overall = season"),
    Name("fixtures_resource", "matches-by-date/da{day}", "documented", "the matches of a day"),
    Name("sport_soccer", "1", "documented", "sport id"),
    Name("sport_basketball", "2", "documented", "sport id; a sport of lists alone"),
    Name("sport_baseball", "3", "documented", "sport id; a sport of lists alone"),
    Name("sport_icehockey", "4", "documented", "sport id"),
    Name("sport_tennis", "5", "documented", "sport id"),
    Name("sport_handball", "6", "documented", "sport id; a sport of lists alone"),
    Name("sport_volleyball", "23", "documented", "sport id; a sport of lists alone"),
    Name("sport_american_football", "7", "assumed", "sport ids, separated by commas; not known"),
    Name("sport_motorsports", "264", "inferred", "sport ids, separated by commas; 264 is Formula E, others not known"),
    Name(
        "quarters_are", "american_football", "assumed", "sport of a match in quarters that names no sport; empty = none"
    ),
    Name("age_classes", "1=senior,4=u19", "inferred", "age_id=class of age, separated by commas; others not known"),
    Name("text_words", "full", "inferred", "live_status of matches with text, separated by commas"),
    Name("textless_words", "data,goals,result,none", "inferred", "live_status of matches without text"),
    Name("added_minute", "minute_additional", "assumed", "field with the minutes of added time"),
    Name("period", "period", "documented", "field with the period of an event, 1 to 5"),
    Name("deleted", "deleted", "assumed", "field that says `yes` on a withdrawn row"),
    Name("incident_postponed", "3", "documented", "match_incident id"),
    Name("incident_abandoned", "5", "documented", "match_incident id"),
    Name("incident_cancelled", "", "assumed", "match_incident id; not known"),
    Name("incident_extra_time", "1", "documented", "match_incident id"),
    Name("incident_shootout", "2", "documented", "match_incident id"),
    Name("incident_penalties", "8", "documented", "match_incident id; a shoot-out in ice hockey"),
    Name("incident_retired", "12", "documented", "match_incident id; somebody gave up"),
    Name("points_row", "100", "assumed", "match_result_at of a tennis game's points; empty = none"),
    Name("serving", "serve_team_id", "assumed", "field of a match with the team id of who serves"),
    Name("lap", "lap", "assumed", "field of a race event with its lap, and of a race with the running one"),
    Name("laps", "laps", "assumed", "field of a race with its number of laps"),
    Name("rounds", "rounds", "documented", "field of a row of the ranking with the laps that are completed"),
    Name(
        "disqualified_words",
        "DSQ,DQ,disqualifiziert,disqualified",
        "assumed",
        "first words of a comment of the ranking that say so",
    ),
    Name(
        "timed_words",
        "training,practice,quali,shootout,shoot-out,superpole,warm-up,warmup",
        "assumed",
        "parts of a round's name that say that it is no race",
    ),
    Name("race_words", "rennen,race", "assumed", "parts of a round's name that say that it is one all the same"),
    Name("additional_team", "additional_team", "assumed", "field of a race event with the other driver's team"),
    Name("over_words", "in,ending,clear,restart", "assumed", "contents that say that a flag or a safety car is over"),
    *(
        Name(f"race_{kind}", kind, "assumed", "kind of a race event")
        for kind in (each.removeprefix("motorsports.") for each in MOTORSPORTS)
    ),
    Name("person_image", "https://s.hs-data.com/gfx/person/l/{id}.jpg", "documented", "photo; empty = none"),
    Name("team_image", "", "assumed", "crest, e.g. https://host/emblem/{id}.png; empty = none"),
)
names_of = partial(correct_names, NAMES)
"""The table with the corrections of an endpoint's options. ValueError for a name that does not exist."""


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
