"""Writes the demo's facts in the shapes that `gn-gsd` is believed to have; none of them but requests is documented."""

from datetime import datetime
from typing import Any

from providers.replay.gn_gsd import write_instant
from tools.demo.facts import Facts, Incident, Team
from tools.demo.plan import Plan
from tools.demo.squads import Person
from tools.demo.words import ENGLISH

Json = dict[str, Any]
Score = tuple[int, int]

PERIODS = {"1H": 1, "2H": 2, "E1": 3, "E2": 4, "P": 5}
FUNCTIONS = {"GK": "Goalkeeper", "DF": "Defender", "MD": "Midfielder", "FW": "Forward"}
KINDS = {
    ("goal", "own-goal"): "Own goal",
    ("card", "yellow"): "Yellow",
    ("card", "red"): "Red (straight)",
    ("card", "yellow-red"): "Red (2 yellow)",
    ("special", "missed-penalty"): "Penalty missed",
    ("playing", "substitute-in"): "Substitution",
    ("pso", "miss"): "Penalty missed",
}
"""The demo's action and kind → the kind's name in the vendor's older feed; whatever else is a goal."""


def match_id(plan: Plan) -> str:
    return f"GNDEMO{int(plan.match_id):09}"


def team_id(ident: str) -> str:
    return f"GNT{int(ident):012}"


def entity(ident: str, name: str, **names: str) -> Json:
    return {"id": ident, "names": {"default": name, **names}}


def participant(team: Team) -> Json:
    return entity(team_id(team.id), ENGLISH.countries[team.code], abbreviation=team.code)


def person(who: Person) -> Json:
    return entity(f"GNP{int(who.id):012}", who.name, short=who.surname)


def match(facts: Facts, plan: Plan, state: Json, result: Json) -> Json:
    """The answer of `matches/{id}`; `state` and `result` hold what changes while it is played."""
    dates = {"scheduledStartTimeUTC": write_instant(facts.kickoff), **state.pop("dates", {})}
    league = {"typeDetail": "LEAGUE_SEASON", **entity("GNDEMOLEAGUE001", "World Cup 2018")}
    group = {
        "id": f"GNDEMO{int(plan.round_id):09}",
        "typeDetail": "PHASE",
        "navigationInfo": {"name": ENGLISH.rounds[plan.round]},
    }
    venue = entity(f"GNDEMOV{int(plan.match_id):08}", facts.venue) | {"city": {"names": {"default": facts.town}}}
    return {
        "match": {
            "id": match_id(plan),
            "sport": {"names": {"default": "Football"}},
            "homeParticipant": participant(facts.home),
            "awayParticipant": participant(facts.away),
            "dateAndTimeInfo": dates,
            "relatedSportsEvents": [group, league],
            "venue": venue,
            **({"result": result} if result else {}),
            **state,
        }
    }


def lineups(facts: Facts) -> Json:
    """The answer of `matches/{id}/lineups`."""
    return {
        "lineups": {
            side: participant(team)
            | {
                "starters": [_player(who) for who in team.lineup],
                "substitutes": [_player(who) for who in team.bench],
                "coaches": [entity(f"GNP{int(team.coach.id):012}", team.coach.name)],
            }
            for side, team in (("homeParticipant", facts.home), ("awayParticipant", facts.away))
        }
    }


def _player(who: Person) -> Json:
    return person(who) | {"shirtNumber": who.number, "function": FUNCTIONS[who.role]}


def action(ident: str, sequence: int, incident: Incident, facts: Facts, changed: datetime) -> Json:
    """One row of `matches/{id}/actions`; an own goal belongs to the team that it counts for."""
    team = facts.team(incident.team)
    if incident.kind == "own-goal":
        team = facts.away if team is facts.home else facts.home
    reason = {"penalty": "Penalty", "direct-free-kick": "Free kick"}.get(
        incident.kind, "Assist" if incident.other else ""
    )
    persons = {"person": incident.person, "relatedPerson": incident.other}
    return {
        "id": ident,
        "type": KINDS.get((incident.action, incident.kind), "Goal"),
        **({"reason": reason} if incident.action == "goal" and reason else {}),
        "sequence": sequence,
        "eventTime": {"periodNumber": PERIODS[incident.period], "time": clock(incident)},
        "participant": {"id": team_id(team.id)},
        **{name: person(who) for name, who in persons.items() if who is not None},
        "meta": {"updateDate": write_instant(changed)},
    }


def clock(incident: Incident) -> str:
    """`mm:ss` on the clock of the match, which runs on into added time."""
    return f"{max(incident.minute - 1, 0):02}:{int(incident.second) % 60:02}"


def result(scores: dict[str, Score]) -> Json:
    """`{"score": (2, 1)}` by sides."""
    return {
        f"{side}Result": {name: score[at] for name, score in scores.items()} for at, side in enumerate(("home", "away"))
    }
