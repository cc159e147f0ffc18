"""Writes persons, teams, incidents and the match in the provider's own form: every scalar a string, times of Berlin."""

from datetime import datetime
from typing import Any

from providers.replay.moved_dates import CLOCK, DAY, DAY_CLOCK, DAY_SECONDS, ISO_SECONDS, write
from tools.demo.facts import PERIOD_END, Facts, Incident, Team
from tools.demo.plan import Plan
from tools.demo.squads import Person
from tools.demo.words import ISO, ROLE_IDS, Words

Json = dict[str, Any]
PERIOD_IDS = {"1H": "1", "2H": "2", "E1": "3", "E2": "4", "P": "5"}


class Wire:
    """One match in one language."""

    def __init__(self, facts: Facts, plan: Plan, words: Words) -> None:
        self.facts, self.plan, self.words = facts, plan, words

    def country(self, code: str) -> Json:
        number, alpha2 = ISO[code]
        return {"id": number, "name": self.words.countries[code], "code": code, "iso": alpha2}

    def name(self, team: Team) -> str:
        return self.words.countries[team.code]

    def team(self, team: Team) -> Json:
        name = self.name(team)
        return {
            "id": team.id,
            "name": name,
            "shortname": name,
            "microname": team.code,
            "type": "national",
            "gender": "male",
            "show_team": "yes",
            "country": self.country(team.code),
        }

    def side(self, team: Team) -> Json:
        full = self.team(team)
        return {key: full[key] for key in ("id", "name", "shortname", "country")}

    def person(self, person: Person, country: str) -> Json:
        day = ".".join(reversed(person.birthday.split("-"))) if person.birthday else ""
        return {
            "id": person.id,
            "name": person.name,
            "firstname": person.firstname or person.name.rpartition(" ")[0],
            "surname": person.surname or person.name.rpartition(" ")[2],
            "fullname": person.name,
            "gender": "male",
            "birthday": day,
            "height": person.height,
            "weight": person.weight,
            "person_detail": {
                "id": person.id,
                "position_1": "",
                "position_2": "",
                "preferred_side": person.foot,
                "birth_place": "",
                "died": "no",
            },
            "country": [self.country(country)],
        }

    def squad_row(self, row_id: str, team: Team, person: Person, kind: str, created: datetime) -> Json:
        """A row of the line-up or the bench."""
        return {
            "id": row_id,
            "team": self.team(team),
            "team_person": self._team_person(person),
            "person": self.person(person, team.code),
            "action": "playing",
            "content": "",
            "kind": kind,
            "minute": "0",
            "additional_person_id": "0",
            "created": write(created, DAY_SECONDS),
        }

    def coach_row(self, row_id: str, team: Team, created: datetime) -> Json:
        return {
            "id": row_id,
            "team": self.team(team),
            "person": self.person(team.coach, team.coach.country),
            "action": "coaching",
            "content": "",
            "kind": "",
            "minute": "0",
            "additional_person_id": "0",
            "created": write(created, DAY_CLOCK),
        }

    def row(self, row_id: str, incident: Incident, content: str, created: datetime) -> Json:
        """A row of the play; `content` is the running score of a goal."""
        row: Json = {"id": row_id}
        if incident.person is None:
            row |= {"team_id": "0", "person_id": "0"}
        else:
            team = self.facts.team(incident.team)
            row |= {
                "team": self.team(team),
                "team_person": self._team_person(incident.person),
                "person": self.person(incident.person, team.code),
            }
        row |= {
            "action": incident.action,
            "content": content,
            "kind": incident.kind,
            "minute": shown_minute(incident),
            "period": PERIOD_IDS[incident.period],
        }
        if incident.other is None or incident.action == "playing":
            row["additional_person_id"] = "0"
        else:
            row["additional_person"] = self.person(incident.other, self.facts.team(incident.team).code)
        return row | {"created": write(created, DAY_SECONDS)}

    def headline(self, incident: Incident, content: str) -> str:
        """What the provider writes above an incident by itself, at once."""
        if incident.person is None:
            return self.words.marks[incident.kind]
        team = self.facts.team(incident.team)
        other = self.facts.away if team is self.facts.home else self.facts.home
        kind = "goal" if incident.action == "goal" and incident.kind != "own-goal" else incident.kind
        return self.words.headlines[kind].format(
            side=self.name(team), other_side=self.name(other), player=incident.person.name, score=content
        )

    def ticker_item(self, item_id: str, minute: str, at: datetime, content: str, row: Json | None) -> Json:
        """A text; with the row of the incident that it belongs to, in the reduced form the provider uses there."""
        event = {} if row is None else {"event": _reduced(row)}
        return (
            {"id": item_id}
            | event
            | {
                "tickertime": write(at, DAY_SECONDS),
                "minute": minute,
                "headline": "",
                "content": content,
                "syndicate": "matchwire-demo",
            }
        )

    def match(self, state: Json) -> Json:
        """The answer of `match`; `state` holds what changes while the match runs."""
        facts, words = self.facts, self.words
        results = [{"id": key, "name": name, "shortname": short} for key, (name, short) in words.results.items()]
        match = {
            "id": self.plan.match_id,
            "round_id": self.plan.round_id,
            "round": self._round(),
            "matchday": "0",
            "group_matchday": self.plan.group_matchday,
            "match_date": write(facts.kickoff, DAY),
            "match_time": write(facts.kickoff, CLOCK),
            "live_status": "full",
            "home": self.side(facts.home),
            "away": self.side(facts.away),
            "venue": self._venue(),
            "referee": self.person(facts.referee, facts.referee.country),
        }
        return {"match": match | state, "match_result_at": results}

    def incident(self, incident_id: str) -> Json:
        name, short = self.words.incidents[incident_id]
        return {"id": incident_id, "name": name, "shortname": short}

    def _round(self) -> Json:
        words, plan = self.words, self.plan
        competition = {"id": "9900028", "name": words.competition, "type": "national", "gender": "male"}
        return {
            "id": plan.round_id,
            "season_id": "9900078",
            "season": {"id": "9900078", "name": words.season, "competition": competition},
            "name": words.rounds[plan.round],
            "current_matchday": "0",
            "round_order": plan.round_order,
        }

    def _venue(self) -> Json:
        facts = self.facts
        venue_id = str(9900000 + int(self.plan.match_id) % 100)
        return {
            "id": venue_id,
            "name": facts.venue,
            "kind": "Stadion",
            "venue_detail": {"id": venue_id, "capacity": facts.capacity},
            "town": {"id": venue_id, "name": facts.town},
            "country": self.country("RUS"),
        }

    def _team_person(self, person: Person) -> Json:
        number = ROLE_IDS[person.role]
        role = {"id": number, "name": self.words.roles[person.role], "group": "Athletes", "order": number}
        return {"id": str(10_000_000 + int(person.id)), "shirtnumber": person.number, "role": role}


def shown_minute(incident: Incident) -> str:
    """The minute as the feed writes it: added time is not counted on."""
    return str(min(incident.minute, PERIOD_END[incident.period]))


def period_start(at: datetime) -> str:
    return write(at, ISO_SECONDS)


def _reduced(row: Json) -> Json:
    """The row inside a text: the team by id and name, countries by id, the instant without seconds, no shirt."""
    event = {key: value for key, value in row.items() if key != "team_person"}
    if "team" in event:
        event["team"] = {key: event["team"][key] for key in ("id", "name")}
    for key in {"person", "additional_person"} & event.keys():
        event[key] = event[key] | {"country": [{"id": country["id"]} for country in event[key]["country"]]}
    return event | {"created": event["created"].rpartition(":")[0]}
