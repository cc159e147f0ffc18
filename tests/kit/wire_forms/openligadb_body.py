"""A match as OpenLigaDB sends it: goals and results that volunteers enter, and nothing else; the score after a goal is its key."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from mapping.match.match import Incident, Match, Score, Side, Status
from tests.kit.wire_forms.other_words import digits, full_time, half_time, has_begun

HALF, FULL, EXTRA, SHOOTOUT = 1, 2, 3, 4
KICK = "Elfmeterschießen"


def openligadb_body(match: Match) -> dict[str, bytes]:
    """The only body."""
    kickoff = datetime.fromtimestamp(match.kickoff or 0, UTC)
    begun = has_begun(match)
    document = {
        "matchID": int(digits("match", match.match_id)),
        "matchDateTimeUTC": f"{kickoff:%Y-%m-%dT%H:%M:%S}Z",
        "leagueId": 4711,
        "leagueName": "Pokal",
        "lastUpdateDateTime": f"{kickoff:%Y-%m-%dT%H:%M:%S}Z",
        "team1": _team(match.home),
        "team2": _team(match.away),
        "matchIsFinished": match.status is Status.FINISHED,
        "matchResults": list(_results(match)) if begun else [],
        "goals": list(_goals(match)) if begun else [],
        "location": None,
    }
    return {"match": json.dumps(document, ensure_ascii=False).encode()}


def _team(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "teamId": int(digits("team", side.ext_id)),
        "teamName": side.name,
        "shortName": side.short_name or side.name,
    }


def _results(match: Match) -> Iterator[dict[str, Any]]:
    """The result of the first half once it is over; all others at the end."""
    phase, over = match.clock.phase, match.status is Status.FINISHED
    if over or phase > 1 or match.status is Status.BREAK:
        yield _result(HALF, *half_time(match))
    score = match.score
    if not over or score is None:
        return
    yield _result(FULL, *full_time(match))
    if phase > 2 or match.shootout:
        yield _result(EXTRA, score.home, score.away)
    if match.shootout is not None:
        yield _result(SHOOTOUT, score.home + match.shootout.home, score.away + match.shootout.away)


def _result(kind: int, home: int, away: int) -> dict[str, Any]:
    return {"resultID": 100 + kind, "resultTypeID": kind, "resultName": "", "pointsTeam1": home, "pointsTeam2": away}


def _goals(match: Match) -> Iterator[dict[str, Any]]:
    kicks: list[Incident] = []
    pitch = Score(0, 0)
    for at, each in enumerate(each for each in match.incidents if each.kind in {"soccer.goal", "soccer.own-goal"}):
        if each.phase == 5:
            kicks.append(each)
        elif each.score is not None:
            pitch = each.score
            yield _goal(each, each.score, at)
    for at, each in enumerate(kicks):
        sides = [kick.side for kick in kicks[: at + 1]]
        yield _goal(
            each, Score(pitch.home + sides.count("home"), pitch.away + sides.count("away")), 90 + at, comment=KICK
        )


def _goal(incident: Incident, score: Score, at: int, comment: str | None = None) -> dict[str, Any]:
    scorer = incident.people[0].person if incident.people else None
    minute = None if incident.minute is None else incident.minute + (incident.added or 0)
    return {
        "goalID": 1000 + at,
        "scoreTeam1": score.home,
        "scoreTeam2": score.away,
        "matchMinute": minute,
        "goalGetterID": 0 if scorer is None else int(digits("person", scorer.ext_id)),
        "goalGetterName": "" if scorer is None else scorer.name,
        "isPenalty": incident.method == "penalty",
        "isOwnGoal": incident.kind == "soccer.own-goal",
        "isOvertime": bool(incident.added) or (incident.phase or 0) > 2,
        "comment": comment,
    }
