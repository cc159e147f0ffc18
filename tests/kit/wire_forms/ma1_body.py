"""A match as Stats Perform's MA1 sends it: whistles, incidents in lists that are left out while empty, squads; one body."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from mapping.match.match import Incident, Match, Person, Side, Status
from tests.kit.wire_forms.other_words import base_36, digits, extra_time_comes, full_time, half_time, has_begun

CARDS = {"soccer.yellow-card": "YC", "soccer.yellow-red-card": "Y2C", "soccer.red-card": "RC"}
POSITIONS = {"keeper": "Goalkeeper", "defense": "Defender", "offense": "Attacker"}
STARTS = {
    "soccer.start": 1, "soccer.resume-halves": 2, "soccer.start-overtime": 3, "soccer.resume-overtime": 4,
    "soccer.start-shootout": 5,
}  # fmt: skip
ENDS = {
    "soccer.pause-halves": 1, "soccer.end-of-regular-play": 2, "soccer.pause-overtime": 3, "soccer.end-of-overtime": 4,
}  # fmt: skip
STATUS = {
    Status.SCHEDULED: "Fixture", Status.POSTPONED: "Postponed", Status.CANCELLED: "Cancelled", Status.FINISHED: "Played",
    Status.ABANDONED: "Abandoned",
}  # fmt: skip


def ma1_body(match: Match) -> dict[str, bytes]:
    """The only body."""
    rows = {"goal": list(_goals(match)), "card": list(_cards(match)), "substitute": list(_changes(match))}
    squads = [_squad(side) for side in match.sides if side.lineup or side.bench]
    live: dict[str, Any] = {"matchDetails": _details(match), **{name: each for name, each in rows.items() if each}}
    live |= {"lineUp": squads} if squads else {}
    return {"match": json.dumps({"matchInfo": _info(match), "liveData": live}, ensure_ascii=False).encode()}


def _info(match: Match) -> dict[str, Any]:
    kickoff = datetime.fromtimestamp(match.kickoff or 0, UTC)
    sides = [
        {"id": _team(side), "name": side.name, "shortName": side.short_name or side.name, "position": position}
        for position, side in (("home", match.home), ("away", match.away))
        if side is not None
    ]
    return {
        "id": base_36("match", match.match_id),
        "date": f"{kickoff:%Y-%m-%d}Z",
        "time": f"{kickoff:%H:%M:%S}Z",
        "contestant": sides,
    }


def _details(match: Match) -> dict[str, Any]:
    status = STATUS.get(match.status, "Playing")
    if not has_begun(match):
        return {"periodId": 16, "matchStatus": status}
    found: dict[str, Any] = {"periodId": _period(match), "matchStatus": status, "period": list(_whistles(match))}
    half, full, score = half_time(match), full_time(match), match.score
    found["scores"] = {"ht": _score(*half), "ft": _score(*full)}
    found["scores"] |= {} if score is None else {"total": _score(score.home, score.away)}
    found["scores"] |= {} if match.shootout is None else {"pen": _score(match.shootout.home, match.shootout.away)}
    return found | ({"winner": match.winner or "draw"} if match.status is Status.FINISHED else {})


def _period(match: Match) -> int:
    if match.status is Status.FINISHED:
        return 14
    if match.status is Status.SHOOTOUT:
        return 5
    phase, is_break = max(1, match.clock.phase), match.status is Status.BREAK and match.clock.phase > 0
    return 9 + phase if is_break and (phase != 2 or extra_time_comes(match)) else phase


def _whistles(match: Match) -> Iterator[dict[str, Any]]:
    at = {each.kind: each.created_at for each in match.incidents if each.marks_period}
    starts, ends = ({part: at[kind] for kind, part in kinds.items() if kind in at} for kinds in (STARTS, ENDS))
    for part in sorted({1, *starts}):
        times = {"start": starts.get(part), "end": ends.get(part)}
        yield {"id": part, **{name: _moment(time) for name, time in times.items() if time is not None}}


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}Z"


def _score(home: int, away: int) -> dict[str, int]:
    return {"home": home, "away": away}


def _place(match: Match, incident: Incident) -> dict[str, Any]:
    time = {} if incident.created_at is None else {"timestamp": _moment(incident.created_at)}
    return {
        "contestantId": _team(match.side(incident.side)),
        "periodId": incident.phase,
        "timeMin": (incident.minute or 1) + (incident.added or 0),
        **time,
    }


def _named(incident: Incident, **fields: str) -> dict[str, str]:
    """`scorer="scorer"`: the person in the role of that name, under the field of the other."""
    found: dict[str, str] = {}
    for role, field in fields.items():
        person = next((each.person for each in incident.people if each.role == role.rstrip("_")), None)
        if person is not None:
            found |= {f"{field}Id": base_36("person", person.ext_id), f"{field}Name": _match_name(person)}
    return found


def _goals(match: Match) -> Iterator[dict[str, Any]]:
    for each in match.incidents:
        if each.kind in {"soccer.goal", "soccer.own-goal"} and each.phase != 5 and each.score is not None:
            own = each.kind == "soccer.own-goal"
            yield {
                **_place(match, each),
                "type": "OG" if own else "PG" if each.method == "penalty" else "G",
                "optaEventId": digits("event", each.key),
                "homeScore": each.score.home,
                "awayScore": each.score.away,
                **_named(each, scorer="scorer", assist="assistPlayer"),
            }


def _cards(match: Match) -> Iterator[dict[str, Any]]:
    for each in match.incidents:
        if each.kind in CARDS:
            row = {"type": CARDS[each.kind], "optaEventId": digits("event", each.key), "cardReason": "Foul"}
            yield {**_place(match, each), **row, **_named(each, player="player")}


def _changes(match: Match) -> Iterator[dict[str, Any]]:
    for each in match.incidents:
        if each.kind == "soccer.substitution" and {"in", "out"} <= {who.role for who in each.people}:
            yield {**_place(match, each), "subReason": "Tactical", **_named(each, in_="playerOn", out="playerOff")}


def _squad(side: Side) -> dict[str, Any]:
    players = [
        _player(each, starts=starts) for group, starts in ((side.lineup, True), (side.bench, False)) for each in group
    ]
    return {"contestantId": _team(side), "formationUsed": "433", "player": players}


def _player(person: Person, *, starts: bool) -> dict[str, Any]:
    *first, last = person.name.split() or ["?"]
    place = POSITIONS.get(person.position or "", "Midfielder")
    number = {"shirtNumber": int(person.number)} if person.number and person.number.isdigit() else {}
    return {
        "playerId": base_36("person", person.ext_id),
        "shortFirstName": " ".join(first),
        "shortLastName": last,
        "matchName": _match_name(person),
        **number,
        **({"position": place, "formationPlace": "1"} if starts else {"position": "Substitute", "subPosition": place}),
    }


def _match_name(person: Person) -> str:
    *first, last = person.name.split() or ["?"]
    return f"{first[0][0]}. {last}" if first else last


def _team(side: Side | None) -> str:
    return "" if side is None else base_36("team", side.ext_id)
