"""Builds bodies in the shapes that gn-gsd is believed to have, with invented people; no recorded answer is public."""

import json
from typing import Any

from providers.gn_gsd.names import names_of
from providers.gn_gsd.translate import translate

NAMES = names_of({})
MATCH_ID = "GN9JNTF07S0NS4Q"
HOME_ID, AWAY_ID = "GNHOME000000001", "GNAWAY000000001"
KICKOFF = 1_749_916_800
"""2025-06-14T16:00:00Z"""

SIDES = {"home": HOME_ID, "away": AWAY_ID}


def named(default: str, **more: str) -> dict[str, str]:
    return {"default": default, **more}


def participant(side: str) -> dict[str, Any]:
    if side == "home":
        return {"id": HOME_ID, "names": named("SV Nordhafen", short="Nordhafen", abbreviation="SVN")}
    return {"id": AWAY_ID, "names": named("FC Südtor", short="Südtor", abbreviation="FCS")}


def match(**changes: Any) -> dict[str, Any]:
    """A match in its second half; a change to None leaves the field out."""
    body: dict[str, Any] = {
        "id": MATCH_ID,
        "homeParticipant": participant("home"),
        "awayParticipant": participant("away"),
        "result": result("1:0", halfTimeScore="1:0"),
        "dateAndTimeInfo": {"scheduledStartTimeUTC": "2025-06-14T16:00:00Z"},
        "status": "IN_PROGRESS",
        "currentPeriod": {"number": 2, "startTimeUTC": "2025-06-14T17:02:11Z"},
        "relatedSportsEvents": [
            {"id": "GNGROUP00000001", "typeDetail": "PHASE_GROUP", "navigationInfo": {"name": "Group Z"}},
            {"id": "GNLEAGUE0000001", "typeDetail": "LEAGUE", "names": named("Harbour Cup")},
        ],
        "sport": {"id": "GNFB17MNF4TH4KM", "names": named("Football")},
        "venue": {"id": "GNVENUE00000001", "names": named("Hafenstadion"), "city": {"names": named("Nordhafen")}},
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def result(score: str, **parts: str) -> dict[str, Any]:
    """`result("2:1", halfTimeScore="1:0")`."""
    scores = {"score": score, **parts}
    return {
        f"{side}Result": {name: int(value.split(":")[at]) for name, value in scores.items()}
        for at, side in enumerate(("home", "away"))
    }


def person(number: int, **changes: Any) -> dict[str, Any]:
    """A player with an invented name; 1 to 49 play for home, 51 to 99 for away."""
    body = {"id": f"GNP{number:012}", "names": named(f"Jan Muster{number}", short=f"Muster{number}"), **changes}
    return {name: value for name, value in body.items() if value is not None}


def lineups(**changes: Any) -> dict[str, Any]:
    def player(number: int) -> dict[str, Any]:
        functions = {1: "Goalkeeper", 2: "Defender (C)", 7: "Midfielder", 9: "Forward"}
        return person(number, shirtNumber=str(number % 50), function=functions.get(number % 50, "Defender"))

    def squad(side: str, shift: int) -> dict[str, Any]:
        return {
            **participant(side),
            "starters": [player(shift + number) for number in range(1, 12)],
            "substitutes": [player(shift + number) for number in range(12, 15)],
            "coaches": [person(shift + 40)],
        }

    return {"homeParticipant": squad("home", 0), "awayParticipant": squad("away", 50), **changes}


def action(
    number: int,
    kind: str,
    clock: Any = None,
    side: str | None = None,
    who: int | None = None,
    other: int | None = None,
    *,
    period: Any = None,
    **changes: Any,
) -> dict[str, Any]:
    """One row of the actions; `clock` is `mm:ss`; without a period it is the half of that minute. None leaves a field out."""
    minute = int(clock.split(":")[0]) if isinstance(clock, str) and ":" in clock else 0
    body: dict[str, Any] = {
        "id": f"GNA{number:012}",
        "type": kind,
        "sequence": number * 10,
        "eventTime": {"periodNumber": period or (1 if minute < 45 else 2), "time": clock},
        "participant": None if side is None else {"id": SIDES[side]},
        "person": None if who is None else person(who),
        "relatedPerson": None if other is None else person(other),
        "meta": {"updateDate": "2025-06-14T17:30:00Z"},
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def race(**changes: Any) -> dict[str, Any]:
    """A stage of a race with a start list."""
    body: dict[str, Any] = {
        "id": "GNF057JFZJSXMEX",
        "names": named("Stage 5"),
        "dateAndTimeInfo": {"scheduledStartTimeUTC": "2025-07-09T11:15:00Z"},
        "relatedSportsEvents": [
            {"id": "GNEYFW8HYN7ZKEP", "typeDetail": "OVERALL", "names": named("Tour of the Coast")}
        ],
        "sport": {"names": named("Cycling")},
        "participants": [
            person(1, bib="1", team={"id": "GNTEAM1", "names": named("Team Dune")}),
            person(2, bib="2", team={"id": "GNTEAM1", "names": named("Team Dune")}),
            person(11, bib="11", team={"id": "GNTEAM2", "names": named("Team Tide")}),
        ],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


ACTIONS = [
    action(1, "GOAL", "14:20", "home", 9, 7, reason="Assist"),
    action(2, "YELLOW", "32:05", "away", 54),
    action(3, "SUBSTITUTION", "61:00", "home", 12, 7),
    action(4, "PENALTY_MISSED", "70:40", "away", 59, reason="saved"),
    action(5, "RED_2_YELLOW", "80:01", "away", 54),
    action(6, "KICK_OFF", "45:00"),
]


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def bodies(actions: Any = (), squads: Any = None, **changes: Any) -> dict[str, bytes]:
    return {
        "match": encoded({"match": match(**changes)}),
        "lineups": encoded({"lineups": lineups() if squads is None else squads}),
        "actions": encoded({"actions": list(actions)}),
    }


def translated(actions: Any = (), squads: Any = None, names: Any = NAMES, **changes: Any):
    """The canonical match of a match with these actions; `changes` are to the match."""
    return translate(MATCH_ID, bodies(actions, squads, **changes), names=names)


def kinds_of(found: Any) -> list[tuple[Any, ...]]:
    """(kind, minute) of the incidents, in order."""
    return [(incident.kind, incident.minute) for incident in found.incidents]
