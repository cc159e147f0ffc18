"""A football match as OpenLigaDB's volunteers enter it: goals, results by their kind, one flag."""

import json
from collections.abc import Iterator
from typing import Any

from tests.kit.wire_courses.soccer import KICK_OFF, TEAMS, Moment, Score

HALF, FULL, EXTRA, SHOOTOUT = 1, 2, 3, 4


def openligadb_bodies(moment: Moment, match_id: str) -> dict[str, bytes]:
    """The only body."""
    teams = {
        f"team{at}": {"teamId": int(ident), "teamName": name, "shortName": name}
        for at, (ident, name) in enumerate(TEAMS.values(), 1)
    }
    document = {
        "matchID": int(match_id), "matchDateTimeUTC": f"{KICK_OFF:%Y-%m-%dT%H:%M:%SZ}", "leagueId": 4711, "leagueName": "Pokal",
        "lastUpdateDateTime": f"{KICK_OFF:%Y-%m-%dT%H:%M:%SZ}", **teams, "matchIsFinished": moment.over,
        "matchResults": list(_results(moment)), "goals": list(_goals(moment)), "location": None,
    }  # fmt: skip
    return {"match": json.dumps(document, ensure_ascii=False).encode()}


def _results(moment: Moment) -> Iterator[dict[str, Any]]:
    """That of the first half once it is over; the others at the end. Kicks count on top of the goals."""
    if moment.ended >= 1 and moment.results != "none":
        yield _result(HALF, moment.score(1))
    if not moment.over or moment.results in {"none", "half"}:
        return
    yield _result(FULL, moment.award or moment.score(2))
    if moment.part > 2 or moment.results == "twice":
        yield _result(EXTRA, moment.total)
    if moment.part == 5 or moment.results == "twice":
        yield _result(SHOOTOUT, tuple(map(sum, zip(moment.total, moment.tally, strict=True))))


def _result(kind: int, score: Score) -> dict[str, Any]:
    home, away = score
    return {"resultID": 100 + kind, "resultTypeID": kind, "resultName": "", "pointsTeam1": home, "pointsTeam2": away}


def _goals(moment: Moment) -> Iterator[dict[str, Any]]:
    goals = [
        (each.minute, each.by, each.name, score, None)
        for each, score in zip(moment.goals, moment.running(), strict=True)
    ]
    home, away = moment.score()
    for side, went_in in moment.kicks:
        home, away = home + (went_in and side == "home"), away + (went_in and side == "away")
        goals += [(None, 0, "", (home, away), "Elfmeterschießen")] if went_in else []
    for at, (minute, ident, name, score, comment) in enumerate(goals):
        yield {
            "goalID": 1000 + at, "scoreTeam1": score[0], "scoreTeam2": score[1], "matchMinute": minute, "goalGetterID": ident,
            "goalGetterName": name, "isPenalty": comment is not None, "isOwnGoal": False,
            "isOvertime": (minute or 0) > 90, "comment": comment,
        }  # fmt: skip
