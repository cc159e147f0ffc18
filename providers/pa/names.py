"""Names that PA's public material does not settle, and those that it does, in one table that the config can correct."""

from __future__ import annotations

from providers.naming import Name
from providers.pa.catalog import STATES

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
    Name("error_nothing", "No data available", "documented", "what an error contains: there is none, or not yet"),
    Name("error_unknown", "not valid", "documented", "what an error contains: nobody knows the id"),
    Name("error_refused", "denied", "documented", "what an error contains: not with these credentials"),
)
