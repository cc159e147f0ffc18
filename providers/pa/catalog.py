"""What PA Media's feed delivers, what its words for the state of a match mean, and every name that the config can correct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mapping.match.match import PERIOD_KEY, Part, Status
from providers.base import CarriedBy
from providers.naming import Name

MATCH, EVENTS, LINEUPS = "match", "events", "lineups"
"""The resources of a match: its state and score, all that happens in it, both squads."""

GOAL, OWN_GOAL, MISSED = "soccer.goal", "soccer.own-goal", "soccer.penalty-kick-missed"
YELLOW, RED, YELLOW_RED = "soccer.yellow-card", "soccer.red-card", "soccer.yellow-red-card"
SUBSTITUTION, END = "soccer.substitution", "soccer.end"


class PlayedPart(NamedTuple):
    """A part of a match: the types that its start and end lead to, and the minutes at which they are."""

    start: str
    start_minute: int
    end: str
    end_minute: int


PARTS: Mapping[int, PlayedPart] = {
    1: PlayedPart("soccer.start", 1, "soccer.pause-halves", 45),
    2: PlayedPart("soccer.resume-halves", 46, "soccer.end-of-regular-play", 90),
    3: PlayedPart("soccer.start-overtime", 91, "soccer.pause-overtime", 105),
    4: PlayedPart("soccer.resume-overtime", 106, "soccer.end-of-overtime", 120),
    5: PlayedPart("soccer.start-shootout", 120, END, 120),
}
HALVES, EXTRA, SHOOTOUT = 2, 4, 5
"""The last part of a match without extra time, the last with it, and the shoot-out."""

CATALOG: Mapping[str, tuple[str, ...]] = {
    "soccer": (
        *(GOAL, OWN_GOAL, YELLOW, RED, YELLOW_RED, MISSED, SUBSTITUTION),
        *(kind for each in PARTS.values() for kind in (each.start, each.end)),
    )
}
WORDS: Mapping[str, str] = {
    "goal": GOAL, "penalty_goal": GOAL, "own_goal": OWN_GOAL, "booking": YELLOW, "dismissal": RED,
    "substitution": SUBSTITUTION, "penalty_missed": MISSED, "penalty_saved": MISSED,
}  # fmt: skip
"""Name of an eventType → event type."""
SILENT = ("assist", "penalty_twin", "shootout_goal", "shootout_miss", "shootout_save")
"""Names of eventTypes that say something of a match, and are no incidents of their own."""
PLAYER = (("player", "player1"),)
ROLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(("goal", "penalty_goal", "own_goal"), (("scorer", "player1"),)),
    "assist": (("assist", "player1"),),
    "substitution": (("in", "player1"), ("out", "player2")),
}
"""Name of an eventType → (role, element of the person); PLAYER for all others."""
SCOREBOARD: Mapping[str, bool] = {"soccer": True}
TEXT_SPORTS: frozenset[str] = frozenset()

MARKS = frozenset(f"{PERIOD_KEY}{kind}" for each in PARTS.values() for kind in (each.start, each.end))
"""Keys of what starts and ends the parts of a match: none is sent, all follow from the state."""

CARRIED_BY: CarriedBy = {
    **dict.fromkeys((Part.FACTS, Part.STATE, Part.SCORE), frozenset({MATCH})),
    **dict.fromkeys((Part.IMPLIED, Part.SHOOTOUT), frozenset({MATCH, EVENTS})),
    Part.SQUADS: frozenset({LINEUPS}),
    Part.ROWS: frozenset({EVENTS}),
}


class State(NamedTuple):
    """What a `word` of the feed means: the status, and the part that runs or ran last.

    `if_result`: the status once `result` says that it is over. `by_events`: the part is the last in which something
    happened, and this one at least.
    """

    word: str
    status: Status
    part: int = 0
    if_result: Status | None = None
    by_events: bool = False


_LIVE, _BREAK, _FINISHED, _SCHEDULED = Status.LIVE, Status.BREAK, Status.FINISHED, Status.SCHEDULED
STATES: Mapping[str, State] = {
    **{
        name: State(word, _SCHEDULED, by_events=True)
        for name, word in (("unknown", "-"), ("new", "New"), ("fixture", "Fixture"))
    },
    "first_half": State("KO", _LIVE, 1), "half_time": State("HT", _BREAK, 1), "second_half": State("SHS", _LIVE, 2),
    "before_extra_time": State("FTET", _BREAK, 2), "extra_time": State("ETS", _LIVE, 3),
    "extra_time_break": State("ETHT", _BREAK, 3), "extra_time_second_half": State("ETSHS", _LIVE, 4),
    "before_shootout": State("FTPT", _BREAK, 2), "extra_time_before_shootout": State("ETFTPT", _BREAK, 4),
    "shootout": State("PT", Status.SHOOTOUT, 5), "extra_time_over": State("ETFT", _BREAK, 4, _FINISHED),
    "shootout_over": State("PTFT", Status.SHOOTOUT, 5, _FINISHED),
    "full_time": State("FT", _BREAK, 2, _FINISHED, by_events=True),  # there may be extra time to come
    "result": State("Result", _FINISHED, by_events=True), "complete": State("MC", _FINISHED, by_events=True),
    "suspended": State("Suspended", _BREAK, by_events=True), "resumed": State("Resumed", _LIVE, 1, by_events=True),
    "postponed": State("Postponed", Status.POSTPONED, by_events=True),
    "cancelled": State("Cancelled", Status.CANCELLED, by_events=True),
    "abandoned": State("Abandoned", Status.ABANDONED, by_events=True),
}  # fmt: skip
"""Name of a status (`status_<name>` of the names) → what it means."""

MEN = "100,101,102,103,120,121,122,123,300,301,320,321,400,500,501,510,620,625,635,650,700,701,713,714,750,751,994"
"""Competitions of which nobody says in public that women or youth play them; friendlies (721) are of both."""

NAMES: tuple[Name, ...] = (
    Name("match_resource", "match/info/{key}/{id}", "documented", "state and score of a match"),
    Name("events_resource", "match/events/{key}/{id}", "documented", "all that happens in a match"),
    Name("lineups_resource", "match/lineUpsEnhanced/{key}/{id}", "documented", "squads; before 2026 `match/lineUps/…`"),
    Name("phase_resource", "competition/matchDay/{key}/{id}", "documented", "a competition's matches of a day"),
    Name("overall_resource", "competition/liveGames/{key}/{id}", "documented", "a competition's running matches"),
    Name("fixtures_resource", "competitions/matchDay/{key}/{day}", "documented", "all matches of a day, `yyyyMMdd`"),
    Name("yes", "Yes", "documented", "`result`, `liveMatch`"),
    Name("no", "No", "documented", "`substitute` of a player who starts"),
    Name("deleted", "deleted", "documented", "`status` of an event that is taken back"),
    *(Name(f"status_{name}", state.word, "documented", "matchStatus") for name, state in STATES.items()),
    Name("goal", "goal", "documented", "eventType"),
    Name("penalty_goal", "goal from penalty", "documented", "eventType"),
    Name("penalty_twin", "penalty goal", "documented", "eventType: the same goal again"),
    Name("own_goal", "own goal", "documented", "eventType; the player's team is his own"),
    Name("assist", "assist", "documented", "eventType: who made the goal of his team at that time"),
    Name("booking", "booking", "documented", "eventType"),
    Name("dismissal", "dismissal", "documented", "eventType; after a booking of the player a second yellow card"),
    Name("substitution", "substitution", "documented", "eventType; player1 comes on for player2"),
    Name("penalty_missed", "penalty missed", "assumed", "eventType"),
    Name("penalty_saved", "penalty saved", "assumed", "eventType"),
    Name("shootout_goal", "shootoutGoal", "documented", "eventType"),
    Name("shootout_miss", "shootoutMiss", "documented", "eventType"),
    Name("shootout_save", "shootoutSave", "documented", "eventType"),
    Name("competitions_men", MEN, "inferred", "competitionIDs that men's first teams play, separated by commas"),
    Name("competitions_women", "333,423,961,970", "inferred", "competitionIDs that women's first teams play"),
    Name("error_nothing", "No data available", "documented", "what an error contains: there is none, or not yet"),
    Name("error_unknown", "not valid", "documented", "what an error contains: nobody knows the id"),
    Name("error_refused", "denied", "documented", "what an error contains: not with these credentials"),
)
