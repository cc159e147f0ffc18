"""The list of one day as each provider would write it: a match at each moment that a list distinguishes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from providers.contract import Listing, xml
from providers.contract.case import KEY
from tests.kit.wire_courses.courses import SOCCER, id_of
from tests.kit.wire_courses.soccer import OVER, PLANNED, SECOND_HALF, SHOT_OUT, Moment

DAY = date(2025, 6, 14)
ANOTHER = date(2025, 6, 21)
MOMENTS = (
    PLANNED, SECOND_HALF, OVER, SHOT_OUT, replace(SECOND_HALF, word="abandoned"), Moment(word="cancelled"),
    Moment(word="postponed"),
)  # fmt: skip
FIRST = 9_300_001
RACE = {
    "id": "9300009", "matchday": "0", "match_date": "14.06.2025", "match_time": "20:00", "finished": "no", "live_status": "none",
    "current_period": "", "current_minute": "0", "winner_team_id": "0",
}  # fmt: skip


def row(provider: str, moment: Moment, number: int) -> Any:
    """A match of the list: what a provider answers of it by itself, with what a list says besides."""
    body = SOCCER[provider](moment, id_of(provider, number))["match"].decode()
    if provider == "pa":
        more = '<competition competitionID="100" seasonID="7">Hansepokal 24/25</competition><round roundNumber="4">Round 4</round>'
        return (
            body.removeprefix("<matches>").removesuffix("</matches>").replace("><liveMatch>", f">{more}<liveMatch>", 1)
        )
    found = json.loads(body)
    if provider == "heim":
        hour = {"match_time": "unknown"} if moment.word == "postponed" else {}
        return {name: value for name, value in found["match"].items() if name != "round"} | {"matchday": "3", **hour}
    if provider == "gn-gsd":
        group = {"id": "GNGROUP00000001", "typeDetail": "PHASE_GROUP", "navigationInfo": {"name": "Group Z"}}
        league = {"id": "GNLEAGUE0000001", "typeDetail": "LEAGUE", "names": {"default": "Harbour Cup"}}
        return found["match"] | {"relatedSportsEvents": [group, league]}
    if provider == "openligadb":
        group = {"groupName": "Finale", "groupOrderID": 6, "groupID": 33001}
        return found | {"leagueSeason": 2024, "leagueShortcut": "pokal", "group": group}
    named = {
        "competition": "Hansepokal",
        "tournamentCalendar": "2024/2025",
        "stage": "Final",
        "ruleset": "Women",
        "sport": "Soccer",
    }
    found["matchInfo"] |= {part: {"id": f"{part}1", "name": name} for part, name in named.items()} | {"week": "6"}
    return found


def _heim(rows: list[Any]) -> Any:
    """The competition stands before a race and behind it."""
    return [
        _competition("1", "31", "Hansepokal", "Spieltag", rows[:3]),
        _competition("264", "33", "Hafenpreis", "Rennen", [RACE]) | {"topic": {"id": "1135", "name": "Formel E"}},
        _competition("1", "31", "Hansepokal", "Spieltag", rows[3:]),
    ]


def _competition(sport: str, ident: str, name: str, phase: str, rows: list[Any]) -> dict[str, Any]:
    season = {"id": "77", "name": "2024/2025", "round": [{"id": "4711", "name": phase, "match": rows}]}
    return {
        "id": ident,
        "sport_id": sport,
        "name": name,
        "gender": "male",
        "age_id": "4" if sport == "1" else "1",
        "season": [season],
    }


ENVELOPES: Mapping[str, Callable[[list[Any]], Any]] = {
    "heim": _heim,
    "gn-gsd": lambda rows: {"matches": rows},
    "openligadb": lambda rows: rows,
    "statsperform": lambda rows: {"match": rows},
}
PATHS = {
    "heim": "matches-by-date/da2025-06-14", "gn-gsd": "schedule-results", "openligadb": "getmatchdata/pokal/2024",
    "pa": f"competitions/matchDay/{KEY}/20250614", "statsperform": f"match/{KEY}",
}  # fmt: skip


def body(provider: str, rows: list[Any]) -> bytes:
    """The list with these rows."""
    if provider == "pa":
        return f"<matches>{''.join(rows)}</matches>".encode()
    return json.dumps(ENVELOPES[provider](rows), ensure_ascii=False).encode()


def day_of(provider: str) -> bytes:
    """The whole list."""
    return body(provider, [row(provider, moment, FIRST + at) for at, moment in enumerate(MOMENTS)])


def listing(provider: str) -> Listing:
    """The list for the contract. PA's days are those of London, and a day elsewhere has some of two of them."""
    ids = [id_of(provider, FIRST + at) for at in range(len(MOMENTS))] + ([RACE["id"]] if provider == "heim" else [])
    bodies = {PATHS[provider]: day_of(provider)}
    if provider == "pa":
        bodies[f"competitions/matchDay/{KEY}/20250613"] = b"<matches></matches>"
        return Listing(DAY, tuple(ids), bodies, notation=xml("match", "error"))
    return Listing(DAY, tuple(ids), bodies, spans=provider == "openligadb")
