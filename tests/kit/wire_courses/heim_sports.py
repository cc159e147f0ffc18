"""Matches and sessions of the other sports as HEIM:SPIEL sends them: scores by row, a period, what is special about them."""

from typing import Any

from tests.kit.wire_courses.heim import INCIDENTS
from tests.providers.heim import feed
from tests.providers.heim.feed import encoded, results, row, tree

OVERTIME, PENALTIES, GAVE_UP = "1", "8", "12"
IDS = {"home": "501", "away": "502"}
Step = tuple[int, dict[str, Any]]
"""Minutes after the planned start, and what the feed says of the match then."""

BEFORE = {"current_period": "", "current_period_start": "", "current_minute": "0"}
OVER = {"finished": "yes", "current_period": "game-end"}


def _special(which: str, at: int = -30, **more: Any) -> Step:
    return at, {**BEFORE, "match_incident": {"id": INCIDENTS[which], "name": which}, **more}


def _planned(score: str | None = "0:0") -> Step:
    return -30, {**BEFORE, "match_result": [] if score is None else results(p0=score)}


def _rows(*, twice: bool = False, **scores: str) -> dict[str, Any]:
    return {"match_result": results(**scores) * (2 if twice else 1)}


def _never_played(planned: Step) -> dict[str, tuple[Step, ...]]:
    """The endings of a match that nobody plays."""
    rows = {"match_result": planned[1]["match_result"]}
    return {
        "before-start": (planned,),
        **{name: (planned, _special(name, **rows)) for name in ("cancelled", "postponed")},
    }


SINGLES = {"home": "Jonas Musterholt", "away": "Emil Beispiel"}
DOUBLES = {"home": "J. Holt / K. Mai", "away": "E. Beil / F. Spiel"}
FIRST_SET = (20, {"current_period": "game-start", **_rows(p0="0:0", p1="3:2")})
SECOND_SET = (70, {"current_period": "game-start", **_rows(p0="1:0", p1="6:4", p2="2:3")})
SETS = {"p0": "2:1", "p1": "6:4", "p2": "3:6", "p3": "7:5"}
WON = (150, {**OVER, "winner_team_id": IDS["home"], **_rows(**SETS)})
STANDS = {"winner_team_id": "0", "match_result": SECOND_SET[1]["match_result"]}
SET_LEADER = (80, {**OVER, **STANDS})
TENNIS = {
    **_never_played(_planned()),
    "live": (_planned(), FIRST_SET, SECOND_SET),
    "regular-time": (_planned(), FIRST_SET, SECOND_SET, WON),
    "abandoned": (_planned(), FIRST_SET, SECOND_SET, _special("abandoned", 80, current_period="game-start", **STANDS)),
    "awarded": (_planned(), (5, {**OVER, "winner_team_id": IDS["home"], "match_incident": {"id": GAVE_UP, "name": "Aufgabe"},
                                 **_rows(p0="0:0")})),
    "retired": (_planned(), FIRST_SET, SECOND_SET, (80, {**OVER, **STANDS, "winner_team_id": IDS["home"],
                                                        "match_incident": {"id": GAVE_UP, "name": "Aufgabe"}})),
    "result-missing": (_planned(), FIRST_SET, SECOND_SET, SET_LEADER),
    "flag-first": (_planned(), FIRST_SET, SECOND_SET, SET_LEADER, WON),
    "entered-twice": (_planned(), FIRST_SET, SECOND_SET, (150, {**WON[1], **_rows(**SETS, twice=True)})),
    "doubles": (_planned(), FIRST_SET, SECOND_SET, WON),
}  # fmt: skip

HALF_TIME = (80, {"current_period": "second-quarter-end", **_rows(p0="7:10", p1="7:3", p2="0:7")})
THIRD_QUARTER = (110, {"current_period": "third-quarter-start", **_rows(p0="10:10", p1="7:3", p2="0:7")})
QUARTERS = {"p1": "7:3", "p2": "0:7", "p3": "3:0"}
PLAYED = (_planned(), HALF_TIME, THIRD_QUARTER)
TOUCHDOWN = (190, {**OVER, "winner_team_id": IDS["home"], **_rows(p0="17:13", **QUARTERS, p4="7:3")})
NO_TOTAL = (185, {**OVER, "winner_team_id": "0", **_rows(**QUARTERS)})
AMERICAN_FOOTBALL = {
    **_never_played(_planned()),
    "live": PLAYED,
    "regular-time": (*PLAYED, TOUCHDOWN),
    "extra-time": (*PLAYED, (200, {"current_period": "overtime-start", "match_incident": {"id": OVERTIME, "name": "n.V."},
                                   **_rows(p0="13:13", **QUARTERS, p4="3:3")}),
                   (215, {**OVER, "winner_team_id": IDS["home"], "match_incident": {"id": OVERTIME, "name": "n.V."},
                          **_rows(p0="19:13", **QUARTERS, p4="3:3", p21="6:0")})),
    "abandoned": (*PLAYED, _special("abandoned", 130, **THIRD_QUARTER[1])),
    "result-missing": (*PLAYED, NO_TOTAL),
    "flag-first": (*PLAYED, NO_TOTAL, TOUCHDOWN),
    "entered-twice": (*PLAYED, (190, {**TOUCHDOWN[1], **_rows(p0="17:13", **QUARTERS, p4="7:3", twice=True)})),
}  # fmt: skip

SECOND_THIRD = (50, {"current_period": "second-third-start", **_rows(p0="1:1", p1="1:0")})
THIRDS = {"p1": "1:0", "p2": "0:1", "p3": "1:1"}
SKATED = (_planned(), SECOND_THIRD)
LEVEL = (
    130,
    {
        "current_period": "overtime-start",
        "match_incident": {"id": OVERTIME, "name": "n.V."},
        **_rows(p0="2:2", **THIRDS),
    },
)
WINNER = (125, {**OVER, "winner_team_id": IDS["home"], **_rows(p0="3:2", p1="1:0", p2="0:1", p3="2:1")})
AFTER_KICKS = {**OVER, "winner_team_id": IDS["home"], **_rows(p0="3:2", **THIRDS, p21="0:0")}
NO_GOALS = (124, {**OVER, "winner_team_id": "0", **_rows(p1="1:0", p2="0:1")})
ICEHOCKEY = {
    **_never_played(_planned()),
    "live": SKATED,
    "regular-time": (*SKATED, WINNER),
    "extra-time": (*SKATED, LEVEL, (136, {**OVER, "winner_team_id": IDS["away"], "match_incident": {"id": OVERTIME, "name": "n.V."},
                                          **_rows(p0="2:3", **THIRDS, p21="0:1")})),
    "shoot-out": (*SKATED, LEVEL, (150, {**AFTER_KICKS, "match_incident": {"id": PENALTIES, "name": "n.P."}})),
    "shoot-out-unsaid": (*SKATED, (150, AFTER_KICKS)),
    "abandoned": (*SKATED, _special("abandoned", 60, **SECOND_THIRD[1])),
    "result-missing": (*SKATED, NO_GOALS),
    "flag-first": (*SKATED, NO_GOALS, WINNER),
    "entered-twice": (*SKATED, (125, {**WINNER[1], **_rows(p0="3:2", p1="1:0", p2="0:1", p3="2:1", twice=True)})),
}  # fmt: skip


def _placed(*numbers: int, rounds: int = 10, time: str = "0") -> dict[str, Any]:
    ranked = [
        {
            "match_result": time, "match_result_at": "0", "place": "", "rounds": str(rounds), "points": "0.000", "rank": str(rank),
            "comment": "", "team_id": "0", "person_id": str(700_000 + number), "person": feed.person(number),
        }
        for rank, number in enumerate(numbers, 1)
    ]  # fmt: skip
    return {"match_result": ranked}


GRID, LEADING, FINAL = _placed(1, 2, 3, rounds=0), _placed(2, 1, 3), _placed(2, 3, 1, rounds=40)
RACING = ((-30, {**BEFORE, **GRID}), (20, {"current_period": "game-start", **LEADING}))
CHEQUERED = (90, {**OVER, **FINAL})
TWICE = (90, {**OVER, "match_result": FINAL["match_result"] * 2})
NO_PLACES = (88, {**OVER, "match_result": []})
MOTORSPORTS = {
    **_never_played(RACING[0]),
    "live": RACING,
    "regular-time": (*RACING, CHEQUERED),
    "abandoned": (*RACING, _special("abandoned", 30, current_period="game-start", **LEADING)),
    "result-missing": (*RACING, NO_PLACES),
    "flag-first": (*RACING, NO_PLACES, CHEQUERED),
    "entered-twice": (*RACING, TWICE),
    "practice": (*RACING, CHEQUERED),
    "qualifying": (*RACING, CHEQUERED),
    "sprint-shoot-out": (*RACING, CHEQUERED),
    "red-flag": (*RACING, (30, {"finished": "yes", "current_period": "game-start", **LEADING})),
}
SESSIONS = {"practice": "1. Training", "qualifying": "Qualifying", "sprint-shoot-out": "Sprint Shootout"}

SPORTS = {"tennis": TENNIS, "american_football": AMERICAN_FOOTBALL, "icehockey": ICEHOCKEY, "motorsports": MOTORSPORTS}
SPORT_IDS = {"tennis": "5", "american_football": "7", "icehockey": "4", "motorsports": "264"}


def sport_bodies(sport: str, ending: str, said: dict[str, Any], match_id: str) -> dict[str, bytes]:
    """The bodies of all resources."""
    names = {side: team["shortname"] for side, team in feed.TEAMS.items()}
    if sport == "tennis":
        names = DOUBLES if ending == "doubles" else SINGLES
    teams = {side: {**team, "name": names[side], "shortname": names[side]} for side, team in feed.TEAMS.items()}
    if sport == "motorsports":
        teams = dict.fromkeys(teams)
    match = feed.match(
        **{**teams, "id": match_id, "current_period_start": "2025-06-14 18:00:00", "venue": None, **said}
    )
    body = tree(match, sport=SPORT_IDS[sport])
    body[0]["competition"][0]["season"][0]["round"][0]["name"] = match["round"]["name"] = SESSIONS.get(ending, "Rennen")
    return {"match": encoded(body), "match-event": encoded(_events(sport, ending, said)), "liveticker": b"[]"}


def _events(sport: str, ending: str, said: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a session its start and its end, or the flag that stopped it."""
    period = said["current_period"]
    if sport != "motorsports" or not period:
        return []
    rows = [row(1, "match/game-start", 0, created="14.06.2025 18:00:05")]
    if ending == "red-flag" and said.get("finished") == "yes":
        return [*rows, row(2, "race/red-flag", 0, content="deployed", created="14.06.2025 18:29:00")]
    return [*rows, row(3, "match/game-end", 0, created="14.06.2025 19:30:00")] if period == "game-end" else rows
