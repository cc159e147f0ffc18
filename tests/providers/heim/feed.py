"""Builds bodies in HEIM:SPIEL's format with invented people, so that a test says only what matters to it."""

import json
from typing import Any
from zoneinfo import ZoneInfo

from providers.heim.catalog import names_of
from providers.heim.translate import translate

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = names_of({})
MATCH_ID = "9000001"
HOME = {
    "id": "501",
    "name": "SV Nordhafen",
    "shortname": "Nordhafen",
    "microname": "SVN",
    "type": "club",
    "gender": "male",
    "show_team": "yes",
    "country": {"id": "47", "name": "Deutschland", "code": "GER", "iso": "DE"},
}
AWAY = {
    "id": "502",
    "name": "FC Südtor",
    "shortname": "Südtor",
    "microname": "FCS",
    "type": "club",
    "gender": "male",
    "show_team": "yes",
    "country": {"id": "149", "name": "Österreich", "code": "AUT", "iso": "AT"},
}
TEAMS = {"home": HOME, "away": AWAY}


def results(**periods: str) -> list[dict[str, str]]:
    """`results(p0="2:1", p1="1:0")` as rows of `match_result`."""
    return [
        {"match_result": points, "match_result_at": name.removeprefix("p"), "place": place}
        for name, score in periods.items()
        for place, points in zip(("home", "away"), score.split(":"), strict=True)
    ]


def match(**changes: Any) -> dict[str, Any]:
    """A match in its second half; a change to None leaves the field out."""
    body: dict[str, Any] = {
        "id": MATCH_ID,
        "round_id": "4711",
        "round": {"id": "4711", "season_id": "77", "name": "Gruppe Z", "current_matchday": "0", "round_order": "1"},
        "matchday": "0",
        "match_date": "14.06.2025",
        "match_time": "18:00",
        "finished": "no",
        "live_status": "full",
        "current_period": "second-half-start",
        "current_period_start": "2025-06-14 19:02:11",
        "current_minute": "46",
        "home": HOME,
        "away": AWAY,
        "match_result": results(p0="0:0", p1="0:0"),
        "venue": {
            "id": "88",
            "name": "Hafenstadion",
            "kind": "Stadion",
            "town": {"id": "9", "name": "Nordhafen"},
            "country": {"id": "47", "name": "Deutschland", "code": "GER", "iso": "DE"},
        },
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def wrapped(**changes: Any) -> dict[str, Any]:
    """The bare envelope."""
    catalogue = [{"id": period, "name": "", "shortname": ""} for period in ("0", "1", "2", "21")]
    return {"match": match(**changes), "match_result_at": catalogue}


def tree(*matches: dict[str, Any], sport: str = "1") -> list[dict[str, Any]]:
    """The tree envelope around these matches."""
    rounds = [{"id": "4711", "name": "Gruppe Z", "match": list(matches)}]
    season = [{"id": "77", "name": "2025", "round": rounds}]
    competition = [{"id": "31", "name": "Hansepokal", "type": "club", "season": season}]
    return [{"id": sport, "name": "", "competition": competition}]


def person(number: int, **changes: Any) -> dict[str, Any]:
    """A player with an invented name."""
    return {
        "id": str(700_000 + number),
        "name": f"Jan Muster{number}",
        "firstname": "Jan",
        "surname": f"Muster{number}",
        "fullname": f"Jan Muster{number}",
        "gender": "male",
        "birthday": "05.03.1999",
        "height": "183",
        "weight": "79",
        "country": [{"id": "45", "name": "Dänemark", "code": "DEN", "iso": "DK"}],
        **changes,
    }


def row(
    event_id: int,
    keyword: str,
    minute: int | str,
    side: str | None = None,
    who: int | None = None,
    second: int | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """One row of match-event; `keyword` is "action/kind"; no side: a structural row. None leaves a field out."""
    action, _, kind = keyword.partition("/")
    if side is None:
        acting: dict[str, Any] = {"team_id": "0", "person_id": "0"}
    else:
        acting = {"team": TEAMS[side]}
    if who is not None:
        role = {"id": "3", "name": "Mittelfeld", "group": "Athletes", "order": "3"}
        acting |= {"team_person": {"id": str(who), "shirtnumber": str(who % 100), "role": role}, "person": person(who)}
    other = {"additional_person_id": "0"} if second is None else {"additional_person": person(second)}
    body = {
        "id": str(event_id),
        **acting,
        "action": action,
        "content": "",
        "kind": kind,
        "minute": str(minute),
        **other,
        "created": "14.06.2025 19:10:00",
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def item(
    item_id: int, minute: int, content: str, event: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """One row of the liveticker, bound to `event` where that is given."""
    bound = {} if event is None else {"event": {**event, "created": "14.06.2025 19:10"}}
    return {
        "id": str(item_id),
        **bound,
        "tickertime": f"14.06.2025 19:{minute % 60:02}:30",
        "minute": str(minute),
        "headline": "",
        "content": content,
        "syndicate": "heimspiel",
        **changes,
    }


def encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def translated(events: Any = (), text: Any = (), names: Any = NAMES, **changes: Any):
    """The canonical match of a match with these rows; `changes` are to the match."""
    bodies = {
        "match": encoded(wrapped(**changes)),
        "match-event": encoded(list(events)),
        "liveticker": encoded(list(text)),
    }
    return translate(MATCH_ID, bodies, names=names, zone=BERLIN)


def kinds_of(found: Any) -> list[tuple[Any, ...]]:
    """(kind, minute) of the incidents, in order."""
    return [(incident.kind, incident.minute) for incident in found.incidents]
