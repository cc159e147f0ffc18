"""A football match and a race as Global Sports Data is believed to send them: actions, a state, scores of the parts."""

from typing import Any

from tests.kit.wire_courses.soccer import SQUADS, STARTS, TEAMS, Moment, clock
from tests.providers.gn_gsd.gsd import SIDES, action, encoded, match, named, person, race, result

STATUS = {
    "planned": "NOT_STARTED", "running": "IN_PROGRESS", "over": "FINISHED_OFFICIAL", "suspended": "SUSPENDED",
    "abandoned": "ABANDONED", "cancelled": "CANCELLED", "postponed": "POSTPONED", "awarded": "AWARDED",
}  # fmt: skip
PAUSES = {1: "HALF_TIME", 2: "90_MINS", 3: "105_MINS", 4: "120_MINS"}


def gn_gsd_bodies(moment: Moment, match_id: str) -> dict[str, bytes]:
    """The bodies of all resources."""
    found = match(
        id=match_id,
        **_sides(),
        status=STATUS[moment.word],
        currentPeriod=_period(moment),
        result=_result(moment),
        relatedSportsEvents=None,
    )
    squads = {
        f"{side}Participant": {**_sides()[f"{side}Participant"], "starters": [person(number) for number in numbers]}
        for side, numbers in SQUADS.items()
    }
    goals = [
        action(30 + at, "GOAL", f"{goal.minute - 1}:20", goal.side, period=goal.part, who=goal.by)
        for at, goal in enumerate(moment.goals)
    ]
    bodies = {"match": {"match": found}, "lineups": {"lineups": squads}, "actions": {"actions": goals}}
    return {name: encoded(body) for name, body in bodies.items()}


def _sides() -> dict[str, Any]:
    return {f"{side}Participant": {"id": SIDES[side], "names": named(name)} for side, (_, name) in TEAMS.items()}


def _period(moment: Moment) -> dict[str, Any] | None:
    if not moment.part:
        return None
    if moment.over:
        return {"number": "END"}
    return {
        "number": PAUSES[moment.part] if moment.pause else moment.part,
        "startTimeUTC": f"{clock(moment.at if moment.pause else STARTS[moment.part]):%Y-%m-%dT%H:%M:%SZ}",
    }


def _result(moment: Moment) -> dict[str, Any] | None:
    """Scores of the parts that are over; the one of the match stands alone from the beginning of play."""
    if not moment.part or moment.results == "none":
        return None
    parts = {"halfTimeScore": moment.score(1)} if moment.ended >= 1 else {}
    if moment.results != "half":
        parts |= {"fullTimeScore": moment.score(2)} if moment.ended >= 2 else {}
        parts |= {"extraTimeScore": moment.score()} if moment.ended >= 4 or moment.part == 5 else {}
        parts |= {"shootoutScore": moment.tally} if moment.part == 5 else {}
        parts |= dict.fromkeys(("extraTimeScore", "shootoutScore"), moment.total) if moment.results == "twice" else {}
        parts["score"] = moment.total
    written = {name: f"{home}:{away}" for name, (home, away) in parts.items()}
    found = result(written.pop("score", "0:0"), **written)
    for side in found.values() if moment.results == "half" else ():
        del side["score"]
    return found


RACE_STATUS = {"before-start": "NOT_STARTED", "live": "IN_PROGRESS", **{name: name.upper() for name in ("cancelled", "postponed")},
               "regular-time": "FINISHED", "abandoned": "ABANDONED"}  # fmt: skip


def stage_bodies(ending: str, match_id: str) -> dict[str, bytes]:
    """A stage of a race: it has a title, a start and a start list."""
    return {"phase": encoded({"phase": race(id=match_id, status=RACE_STATUS[ending])})}
