"""Reads what happened in a match from public data: Wyscout's events and openfootball's squads."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.demo.squads import Person, cased, player, read_squads

PERIOD_OFFSET = {"1H": 0, "2H": 45, "E1": 90, "E2": 105, "P": 120}
FIRST_IN_EXTRA_TIME = 96  # nobody was changed earlier; 91 to 95 are added time here
PERIOD_END = {"1H": 45, "2H": 90, "E1": 105, "E2": 120, "P": 120}
# Wyscout tag -> heim kind, strongest first
GOAL_KINDS = ((403, "head"), (401, "left-foot"), (402, "right-foot"))
CARD_KINDS = ((1701, "red"), (1703, "yellow-red"), (1702, "yellow"))


@dataclass(frozen=True)
class Team:
    id: str
    code: str
    coach: Person
    lineup: tuple[Person, ...]
    bench: tuple[Person, ...]

    def player(self, surname: str) -> Person:
        """The player of that surname in the match (StopIteration if there is none)."""
        return next(person for person in (*self.lineup, *self.bench) if person.surname == surname)


@dataclass(frozen=True)
class Incident:
    """One happening: `second` counts from the start of the period, `minute` is the running minute, never capped."""

    key: str
    period: str
    second: float
    minute: int
    action: str
    kind: str
    team: str = ""
    person: Person | None = None
    other: Person | None = None


@dataclass(frozen=True)
class Facts:
    """A match as it was."""

    home: Team
    away: Team
    kickoff: datetime
    referee: Person
    venue: str
    town: str
    capacity: str
    attendance: str
    lengths: dict[str, float]
    incidents: tuple[Incident, ...]

    def team(self, team_id: str) -> Team:
        return self.home if team_id == self.home.id else self.away


def read_facts(folder: Path, stem: str) -> Facts:
    """The facts of the match whose files begin with `stem` (`2058005_WC2018_Croatia-Denmark`)."""
    events = _load(folder / f"{stem}_events.json")
    match = _load(folder / f"{stem}_match.json")
    text = (folder / "openfootball" / f"2018_{stem.rpartition('_')[2]}.txt").read_text()
    squads = read_squads((folder / "openfootball" / "worldcup_2018_squads.txt").read_text())
    codes = {
        team["name"]: team["code"] for team in _load(folder / "openfootball" / "2018_worldcup.teams.json")["teams"]
    }
    sides = {data["side"]: _team(data, events, squads, codes) for data in match["teamsData"].values()}
    people = {person.id: person for team in sides.values() for person in (*team.lineup, *team.bench)}
    venue, town, attendance = re.search(r"@ (.+?), (.+?), Att: (\d+)", text).groups()  # type: ignore[union-attr]
    stadiums = _load(folder / "openfootball" / "2018_worldcup.stadiums.json")["stadiums"]
    return Facts(
        home=sides["home"],
        away=sides["away"],
        kickoff=datetime.fromisoformat(match["dateutc"]).replace(tzinfo=UTC),
        referee=_referee(text, match),
        venue=venue,
        town=town,
        capacity=str(next(place["capacity"] for place in stadiums if place["city"] == town)),
        attendance=attendance,
        lengths=_lengths(events["events"]),
        incidents=_incidents(events["events"], match, people),
    )


def _load(path: Path) -> Any:
    return json.loads(path.read_text())


def _team(data: dict[str, Any], events: dict[str, Any], squads: dict[str, list[Person]], codes: dict[str, str]) -> Team:
    key = str(data["teamId"])
    name = events["teams"][key]["team"]["name"]
    raw = {row["player"]["wyId"]: row["player"] for row in events["players"][key]}
    squad = squads[name]
    coach = next(person for person in squad if person.role == "MG")

    def chosen(part: str) -> tuple[Person, ...]:
        people = [player(raw[row["playerId"]], squad) for row in data["formation"][part]]
        return tuple(sorted(people, key=lambda person: int(person.number)))

    return Team(
        id=key,
        code=codes[name],
        coach=Person(
            str(data["coachId"]), cased(coach.name), birthday=coach.birthday, country=coach.country or codes[name]
        ),
        lineup=chosen("lineup"),
        bench=chosen("bench"),
    )


def _referee(text: str, match: dict[str, Any]) -> Person:
    name, country = re.search(r"Refs: (.+?) \((\w+)\)", text).groups()  # type: ignore[union-attr]
    person = next(row["refereeId"] for row in match["referees"] if row["role"] == "referee")
    return Person(str(person), cased(name), country=country)


def _lengths(events: list[dict[str, Any]]) -> dict[str, float]:
    """Seconds from the start of each period to its last touch."""
    return {
        period: max(row["eventSec"] for row in events if row["matchPeriod"] == period)
        for period in PERIOD_OFFSET
        if any(row["matchPeriod"] == period for row in events)
    }


def minute_of(period: str, second: float) -> int:
    return int(second // 60) + 1 + PERIOD_OFFSET[period]


def _incidents(events: list[dict[str, Any]], match: dict[str, Any], people: dict[str, Person]) -> tuple[Incident, ...]:
    cards = _card_minutes(match)
    found: list[Incident] = []
    assist: dict[str, Any] | None = None
    for row in events:
        tags = {tag["id"] for tag in row["tags"]}
        if 301 in tags:
            assist = row
        if row["eventName"] == "Save attempt":
            continue
        named = _named(row, tags)
        if named is None:
            continue
        action, kind = named
        minute = minute_of(row["matchPeriod"], row["eventSec"])
        if action == "card":
            minute = max(minute, cards.get((str(row["playerId"]), kind), 0))
        helper = _helper(assist, row) if action == "goal" and kind != "own-goal" else ""
        found.append(_incident(row, named, minute, people[str(row["playerId"])], people.get(helper)))
    return (*found, *_substitutions(match, people))


def _named(row: dict[str, Any], tags: set[int]) -> tuple[str, str] | None:
    """The feed's action and kind for a Wyscout event, None for play that leaves no trace in the feed."""
    if row["matchPeriod"] == "P":
        return ("pso", "goal" if 101 in tags else "miss") if row["subEventName"] == "Penalty" else None
    if 102 in tags:
        return "goal", "own-goal"
    if row["subEventName"] == "Penalty":
        return ("goal", "penalty") if 101 in tags else ("special", "missed-penalty")
    if 101 in tags:
        return "goal", _goal_kind(row, tags)
    return next((("card", kind) for tag, kind in CARD_KINDS if tag in tags), None)


def _goal_kind(row: dict[str, Any], tags: set[int]) -> str:
    if row["subEventName"] == "Free kick shot":
        return "direct-free-kick"
    return next(kind for tag, kind in GOAL_KINDS if tag in tags)


def _incident(
    row: dict[str, Any], named: tuple[str, str], minute: int, person: Person, other: Person | None
) -> Incident:
    action, kind = named
    word = {"card": kind, "special": "missed"}.get(action, action)
    key = f"{word}-{minute}-{person.surname}" if action != "pso" else f"pso-{person.surname}"
    return Incident(key, row["matchPeriod"], row["eventSec"], minute, action, kind, str(row["teamId"]), person, other)


def _helper(assist: dict[str, Any] | None, goal: dict[str, Any]) -> str:
    """The player whose pass Wyscout marks as the assist, if it came within ten seconds before the goal, else empty."""
    if assist is None or assist["matchPeriod"] != goal["matchPeriod"] or assist["teamId"] != goal["teamId"]:
        return ""
    return str(assist["playerId"]) if 0 <= goal["eventSec"] - assist["eventSec"] <= 10 else ""


def _card_minutes(match: dict[str, Any]) -> dict[tuple[str, str], int]:
    """Minutes of cards in the match file. Events give the second of the foul, and the card comes after it."""
    rows = [
        row for data in match["teamsData"].values() for part in ("lineup", "bench") for row in data["formation"][part]
    ]
    minutes = {(str(row["playerId"]), "yellow"): int(row["yellowCards"]) for row in rows}
    for row in rows:
        minutes[str(row["playerId"]), "red"] = minutes[str(row["playerId"]), "yellow-red"] = int(row["redCards"])
    return {key: minute for key, minute in minutes.items() if minute}


def _substitutions(match: dict[str, Any], people: dict[str, Person]) -> list[Incident]:
    """Substitutions stand in the match file, unsorted and by minute only."""
    changes = [
        (change["minute"], str(data["teamId"]), people[str(change["playerIn"])], people[str(change["playerOut"])])
        for data in match["teamsData"].values()
        for change in data["formation"]["substitutions"]
    ]
    return [
        Incident(
            f"sub-{minute}-{enters.surname}", *_moment(minute), minute, "playing", "substitute-in", team, enters, leaves
        )
        for minute, team, enters, leaves in sorted(changes, key=lambda change: (change[0], change[2].id))
    ]


def _moment(minute: int) -> tuple[str, float]:
    period = next(name for name in ("E2", "E1", "2H", "1H") if minute > PERIOD_OFFSET[name])
    if period == "E1" and minute < FIRST_IN_EXTRA_TIME:
        period = "2H"
    into = minute - 1 - PERIOD_OFFSET[period]
    return period, into * 60 + (30 if into else 5)
