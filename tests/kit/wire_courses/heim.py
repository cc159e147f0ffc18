"""A football match as HEIM:SPIEL sends it: rows of whistles and goals, and a score whose row is the tally of a shoot-out."""

from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from tests.kit.wire_courses.soccer import CAPS, ENDS, SQUADS, STARTS, TEAMS, Moment, clock
from tests.providers.heim import feed
from tests.providers.heim.feed import encoded, item, results, row, wrapped

BERLIN = ZoneInfo("Europe/Berlin")
START = {1: "game-start", 2: "second-half-start", 3: "first-extra-start", 4: "second-extra-start", 5: "penalty-start"}
END = {1: "first-half-end", 2: "second-half-end", 3: "first-extra-end", 4: "second-extra-end"}
INCIDENTS = {
    "abandoned": "5", "postponed": "3", "cancelled": "7", "extra-time": "1", "shoot-out": "2",
}  # fmt: skip
NAMES = {"incident_cancelled": "7"}
"""What nobody has documented, as a contract would say it."""


def heim_bodies(moment: Moment, match_id: str) -> dict[str, bytes]:
    """The bodies of all resources."""
    sides = {side: {**team, "name": TEAMS[side][1]} for side, team in feed.TEAMS.items()}
    match = {**wrapped(), "match": {**wrapped(**_state(moment))["match"], "id": match_id, **sides}}
    rows = sorted(_rows(moment), key=lambda each: (int(each["minute"]), each["created"][6:], each["created"]))
    return {"match": encoded(match), "match-event": encoded([*_squads(), *rows]), "liveticker": encoded(_text(rows))}


def _squads() -> list[dict[str, Any]]:
    return [row(100 + each, "playing/lineup", 0, side, each) for side, squad in SQUADS.items() for each in squad]


def _text(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line of its own, and one on each goal."""
    goals = [
        item(900 + at, int(each["minute"]), "Was für ein Tor!", each)
        for at, each in enumerate(rows)
        if each["action"] == "goal"
    ]
    return [item(899, 0, "Herzlich willkommen."), *goals]


def _time(minutes: float, form: str) -> str:
    return clock(minutes).astimezone(BERLIN).strftime(form)


def _state(moment: Moment) -> dict[str, Any]:
    part = moment.part
    period = "" if not part else "game-end" if moment.over else END[part] if moment.pause else START[part]
    ending = moment.word if moment.word in INCIDENTS else {3: "extra-time", 4: "extra-time", 5: "shoot-out"}.get(part)
    return {
        "finished": "yes" if moment.over else "no",
        "current_period": period,
        "current_period_start": _time(moment.at if moment.pause else STARTS.get(part, 0), "%Y-%m-%d %H:%M:%S") if part else "",
        "current_minute": str(CAPS[part] if moment.pause or moment.over else CAPS[part] - 20) if part else "0",
        "match_result": _scores(moment),
        "match_incident": {"id": INCIDENTS[ending], "name": ending} if ending else None,
    }  # fmt: skip


def _scores(moment: Moment) -> list[dict[str, str]]:
    """Row 0 is there from the beginning; with a shoot-out it holds the tally, and row 21 the score on the pitch."""
    if moment.results == "none":
        return []
    parts = {"p1": moment.score(1)} if moment.ended >= 1 else {}
    if moment.results != "half":
        parts = {"p0": moment.tally if moment.part == 5 else moment.total, **parts}
        parts |= {"p2": moment.score(2)} if moment.part > 2 or (moment.part == 2 and moment.pause) else {}
        parts |= {"p21": moment.score()} if moment.part == 5 or (moment.part == 4 and moment.pause) else {}
    rows = results(**{name: f"{home}:{away}" for name, (home, away) in parts.items()})
    return rows * 2 if moment.results == "twice" else rows


def _rows(moment: Moment) -> Iterator[dict[str, Any]]:
    for part in range(1, moment.part + 1):
        yield row(10 + part, f"match/{START[part]}", CAPS[part - 1] + 1 if 1 < part < 5 else 1 if part == 1 else 120,
                  created=_time(STARTS[part], "%d.%m.%Y %H:%M:%S"))  # fmt: skip
        last = moment.over and part == moment.part
        if last or part <= moment.ended:
            keyword = "match/game-end" if last else f"match/{END[part]}"
            yield row(20 + part, keyword, CAPS[part], created=_time(ENDS[part], "%d.%m.%Y %H:%M:%S"))
    for at, (goal, (home, away)) in enumerate(zip(moment.goals, moment.running(), strict=True)):
        yield row(30 + at, "goal/head", goal.minute, goal.side, goal.by, content=f"{home}:{away}",
                  created=_time(goal.at, "%d.%m.%Y %H:%M:%S"))  # fmt: skip
    for at, (side, went_in) in enumerate(moment.kicks):
        yield row(50 + at, f"pso/{'goal' if went_in else 'miss'}", 120, side, {"home": 1, "away": 51}[side] + at, period="5",
                  created=_time(STARTS[5] + 1 + at, "%d.%m.%Y %H:%M:%S"))  # fmt: skip
