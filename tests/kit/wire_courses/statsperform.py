"""A football match as Stats Perform's MA1 sends it: whistles, scores of the parts, goals with the score after them; one body."""

import json
from typing import Any

from tests.kit.wire_courses.soccer import ENDS, KICK_OFF, STARTS, TEAMS, Goal, Moment, Score, clock

STATUS = {"planned": "Fixture", "running": "Playing", "over": "Played"}
"""Others are the word with a capital."""


def statsperform_bodies(moment: Moment, match_id: str) -> dict[str, bytes]:
    """The only body."""
    sides = [
        {"id": _team(side), "name": name, "shortName": name, "position": side} for side, (_, name) in TEAMS.items()
    ]
    info = {"id": match_id, "date": f"{KICK_OFF:%Y-%m-%dZ}", "time": f"{KICK_OFF:%H:%M:%SZ}", "contestant": sides}
    live: dict[str, Any] = {"matchDetails": _details(moment)}
    if moment.goals:
        live["goal"] = [_goal(goal, at, moment) for at, goal in enumerate(moment.goals)]
    return {"match": json.dumps({"matchInfo": info, "liveData": live}, ensure_ascii=False).encode()}


def _team(side: str) -> str:
    return f"team{TEAMS[side][0]}"


def _details(moment: Moment) -> dict[str, Any]:
    status = STATUS.get(moment.word, moment.word.capitalize())
    if not moment.part:
        return {"periodId": 16, "matchStatus": status}
    period = 14 if moment.over else 9 + moment.part if moment.pause else moment.part
    found = {"periodId": period, "matchStatus": status, "period": _whistles(moment), "scores": _scores(moment)}
    if moment.over and moment.results in {"all", "twice"}:
        home, away = moment.tally if moment.part == 5 else moment.total
        found["winner"] = "draw" if home == away else "home" if home > away else "away"
    return found


def _whistles(moment: Moment) -> list[dict[str, Any]]:
    return [
        {"id": part, "start": _moment(STARTS[part]), **({"end": _moment(ENDS[part])} if part <= moment.ended else {})}
        for part in range(1, moment.part + 1)
    ]


def _moment(minutes: float) -> str:
    return f"{clock(minutes):%Y-%m-%dT%H:%M:%SZ}"


def _scores(moment: Moment) -> dict[str, Any]:
    parts: dict[str, Score] = {"ht": moment.score(1)} if moment.ended >= 1 and moment.results != "none" else {}
    if moment.results in {"all", "twice"}:
        parts |= {"ft": moment.score(2)} if moment.ended >= 2 else {}
        parts |= {"et": moment.score()} if moment.ended >= 4 or moment.part == 5 else {}
        parts |= {"pen": moment.tally} if moment.part == 5 else {}
        parts |= dict.fromkeys(("et", "pen"), moment.total) if moment.results == "twice" else {}
        parts["total"] = moment.total
    return {name: {"home": home, "away": away} for name, (home, away) in parts.items()}


def _goal(goal: Goal, at: int, moment: Moment) -> dict[str, Any]:
    home, away = moment.running()[at]
    return {
        "contestantId": _team(goal.side), "periodId": goal.part, "timeMin": goal.minute, "timestamp": _moment(goal.at), "type": "G",
        "optaEventId": str(5100 + at), "homeScore": home, "awayScore": away, "scorerId": f"player{goal.by}",
        "scorerName": goal.name,
    }  # fmt: skip
