"""Liveblogs for the tests: a match invented by us, in the shape that imports give it."""

from dataclasses import dataclass, field
from typing import Any

from store.clients.clients import ClientSpec, hash_secret
from store.engine.liveblog_records import EventWrite, NewGame
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.masterdata.declarations import Declaration

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
OTHER = "5f0c1de2a1b2c3d4e5f60719"
SECRET = "correct-horse-battery-staple"
OLD_SECRET = "the-secret-before-the-rotation"


def client(name: str, *scopes: str, organization: str = ORGANIZATION) -> ClientSpec:
    secrets = (hash_secret(OLD_SECRET), hash_secret(SECRET))
    return ClientSpec(id=name, secrets=secrets, organizations=(organization,), scopes=scopes)


CLIENTS = (
    client("desk", "read", "write", "external", "comments", "stats"),
    client("stats-only", "stats"),
    client("reader", "read"),
    client("stranger", "read", "write", "external", organization=OTHER),
)

TAGS = tuple(
    Declaration(owner_id=ORGANIZATION, kind="tag", id=name, fields={"name": name.upper()}) for name in ("a", "b", "t1")
)
"""Labels that the organization declares."""


@dataclass(frozen=True)
class Liveblog:
    local_id: str = "gderby"
    ticker_id: str = "6a" * 12
    organization_id: str = ORGANIZATION
    sportstype: str = "soccer"
    document: dict[str, Any] = field(default_factory=dict)
    events: tuple[EventWrite, ...] = ()


def insert(game: Liveblog, unit: Unit) -> None:
    liveblogs.insert_game(
        unit,
        NewGame(
            id=game.ticker_id,
            local_id=game.local_id,
            organization_id=game.organization_id,
            sportstype=game.sportstype,
            template_id=game.sportstype,
            document=game.document or document(),
            events=game.events,
        ),
    )


def team(name: str, short: str, number: int) -> dict[str, Any]:
    return {"_type": "Svc::Model::Team", "local_id": f"t{number}", "name": name, "short_name": short}


HOME, AWAY = team("SV Hafenstadt", "HAF", 1), team("Alpenverein Bergheim", "AVB", 2)
SCORE = "Svc::Model::Content::Scoreboard::ScoreboardScore"


def pair(home: int | str, away: int | str, title: str = "") -> dict[str, Any]:
    return {"_type": SCORE, "home_score": str(home), "away_score": str(away), "title": title}


NAMES = (
    "Ole Brandt", "Mats Kröger", "Jonas Wiebe", "Tim Harms", "Finn Petersen", "Lars Oltmann", "Nils Behrens",
    "Piet Janssen", "Sören Dahl", "Malte Riedel", "Kai Lüders", "Hauke Thun", "Bo Martens", "Arne Voß", "Jan Focke",
)  # fmt: skip
POSITIONS = ("keeper", "defense", "defense", "defense", "defense", "midfield", "midfield", "midfield", "offense")


def player(index: int, name: str) -> dict[str, Any]:
    position = POSITIONS[min(index, len(POSITIONS) - 1)]
    return {
        "_type": "Svc::Model::Player",
        "local_id": f"p{name}",
        "name": name,
        "number": str(index + 1),
        "position": position,
    }


def squad(of: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    people = [player(index, name) for index, name in enumerate(names)]
    return {"_type": "Svc::Model::Squad", "team": of, "lineup": people[:11], "bench": people[11:]}


def document(**changes: Any) -> dict[str, Any]:
    return {
        "locale": "en",
        "summary": "",
        "meta_info": {
            "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
            "title": "SV Hafenstadt – Alpenverein Bergheim",
            "home_team": HOME,
            "away_team": AWAY,
            "tournament": {"_type": "Svc::Model::Tournament", "local_id": "c1", "name": "Küstencup"},
            "location": {"_type": "Svc::Model::Location", "local_id": "l1", "name": "Stadion am Kai"},
            "starts_at": 1_789_995_600,
        },
        "scoreboard": {
            "_type": "Svc::Model::Content::Scoreboard::TeamGameScoreboard",
            "home_team": HOME,
            "away_team": AWAY,
            "score": pair(2, 1),
            "scores": [pair(1, 1, "Half-time")],
        },
        "options": {
            "_type": "Svc::Model::Options::TimedGameOptions",
            "timing_type": "aui",
            "regular_phase_length": 45,
            "num_regular_phases": 2,
            "overtime_phase_length": 15,
            "num_overtime_phases": 2,
        },
        "state_info": {
            "_type": "Svc::Model::GameStateInfo::TimeBasedGameStateInfo",
            "timeout": False,
            "check_time": 1_789_999_000,
            "check_seconds": 0,
            "is_break": False,
            "recurrence": 2,
            "gamestate": 1,
        },
        "squads": {"home": squad(HOME, NAMES), "away": squad(AWAY, tuple(name[::-1].title() for name in NAMES))},
        **changes,
    }


def text(words: str) -> dict[str, Any]:
    return {"_type": "Svc::Model::Content::RichTextContentBlock", "local_id": "b1", "text": words}


def event(name: str, at: int, *, status: int = 0, publish_at: int | None = None, **fields: Any) -> EventWrite:
    body = {"headline": "", "highlight": "", "contents": [], **fields}
    return EventWrite.new(
        local_id=name, document=body, created_at=at, local_status=status, publish_at=publish_at, user_id="heim"
    )


def incident(
    kind: str,
    title: str,
    time: str,
    *,
    side: dict[str, Any] | None = None,
    people: tuple[tuple[str, str], ...] = (),
    score: dict[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "_type": "Svc::Model::Content::SportEventContentBlock",
        "local_id": "b2",
        "sportstype": "soccer",
        "event_type": f"soccer.{kind}",
        "title": title,
        **({"time_of_play": time} if time else {}),
        **({"team": side} if side else {}),
        **({"score": score} if score else {}),
        "players": [
            {
                "_type": "Svc::Model::Content::SportEventPlayer",
                "event_player_type": role.lower(),
                "event_player_title": role,
                "player": {"_type": "Svc::Model::Player", "local_id": f"p{name}", "name": name},
            }
            for role, name in people
        ],
    }


KICK_OFF = 1_789_995_600


def goal(name: str, at: int, time: str, side: dict[str, Any], *people: tuple[str, str], **fields: Any) -> EventWrite:
    score = fields.pop("score")
    words = fields.pop("words")
    play = incident("goal", "Goal", time, side=side, people=people, score=score)
    return event(name, at, sport_event=play, contents=[text(words)], **fields)


def incident_post(name: str, at: int, kind: str, title: str, words: str, time: str = "", **more: Any) -> EventWrite:
    return event(name, at, sport_event=incident(kind, title, time, **more), contents=[text(words)])


QUOTE = {
    "_type": "Svc::Model::Content::QuoteContentBlock",
    "local_id": "b3",
    "text": "We have to be braver on the wings.",
    "author": "Coach Ina Hartwig",
    "source": "https://club.example.org/talk",
}
FIRST_GOAL = (
    "Goal for SV Hafenstadt! Dahl makes it 1-0 with a low shot into the far corner after Lüders had won the ball"
    " on the halfway line."
)
SENT_OFF = (("Player", "Trah Mits"),)
SWAPPED = (("In", "Bo Martens"), ("Out", "Piet Janssen"))


def afternoon() -> tuple[EventWrite, ...]:
    """A first half and a bit, with one of everything; a draft, a deleted and a scheduled post at the end."""
    t = KICK_OFF
    return (
        incident_post("ekick", t, "start", "Kick-off", "Kick-off! The derby is under way."),
        goal(
            "egoal",
            t + 900,
            "15'",
            HOME,
            ("Scorer", "Sören Dahl"),
            ("Assist", "Kai Lüders"),
            score=pair(1, 0),
            words=FIRST_GOAL,
        ),
        incident_post(
            "eyellow", t + 1500, "yellow-card", "Yellow card", "A late tackle.", "26'", side=AWAY, people=SENT_OFF
        ),
        event("etext", t + 1800, contents=[text("<p>The <b>wind</b> picks up: high balls are a lottery now.</p>")]),
        goal(
            "equal",
            t + 2820,
            "45+2'",
            AWAY,
            ("Scorer", "Ledeir Etlam"),
            score=pair(1, 1),
            words="Out of nothing: level.",
        ),
        incident_post(
            "ehalf", t + 2880, "pause-halves", "Half-time", "Half-time: SV Hafenstadt 1-1 Alpenverein Bergheim."
        ),
        event("equote", t + 3000, contents=[QUOTE]),
        incident_post("eagain", t + 3400, "resume-halves", "Second half", "The second half is under way."),
        incident_post(
            "esub", t + 3600, "substitution", "Substitution", "Martens comes on.", "49'", side=HOME, people=SWAPPED
        ),
        incident_post(
            "ered", t + 3800, "yellow-red-card", "Second yellow card", "Down to ten.", "53'", side=AWAY, people=SENT_OFF
        ),
        goal(
            "ewinner",
            t + 4200,
            "59'",
            HOME,
            ("Scorer", "Malte Riedel"),
            score=pair(2, 1),
            words="Riedel heads in the corner and the Stadion am Kai shakes.",
            headline="Hafenstadt turn the derby around",
            highlight="milestone",
        ),
        event("edraft", t + 4250, status=60, contents=[text("Not for the public yet.")]),
        event("edeleted", t + 4260, status=100, contents=[text("Taken back.")]),
        event("elater", t + 4270, publish_at=t + 99_999, contents=[text("Embargoed.")]),
    )


PUBLIC = ("ekick", "egoal", "eyellow", "etext", "equal", "ehalf", "equote", "eagain", "esub", "ered", "ewinner")
"""What the public may see of `afternoon`, oldest first."""


def derby(**changes: Any) -> Liveblog:
    return Liveblog(document=document(**changes), events=afternoon())
