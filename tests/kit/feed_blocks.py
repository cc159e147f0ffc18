"""A scoreboard and a goal as blocks of a post."""

from tests.kit import matchday

GOAL = {
    **matchday.incident(
        "goal", "Goal", "3'", side=matchday.HOME, people=(("Scorer", "Ole Brandt"),), score=matchday.pair(1, 0)
    ),
    "local_id": "b1",
}

BOARD = {
    "_type": "Svc::Model::Content::ScoreboardContentBlock",
    "local_id": "b4",
    "scoreboard": {
        "_type": "Svc::Model::Content::Scoreboard::TeamGameScoreboard",
        "home_team": matchday.HOME,
        "away_team": matchday.AWAY,
        "score": matchday.pair(2, 1),
        "scores": [matchday.pair(1, 1, "Half-time"), matchday.pair("", "")],
    },
}
