"""Our own matches of the other sports in HEIM:SPIEL's format, and how a test steps through one."""

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from mapping.documents.import_options import ImportOptions
from mapping.match.match import Match
from mapping.match.references import References
from mapping.posts.posts import Post, wanted_posts
from providers.heim.catalog import names_of
from providers.heim.translate import translate
from providers.replay import read

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "heim"
BERLIN = ZoneInfo("Europe/Berlin")
NAMES = names_of({})
NOBODY = References(owner_id="5f0c1de2a1b2c3d4e5f60718")
Bodies = dict[str, bytes]


def recorded_steps(path: Path) -> tuple[str, list[Bodies]]:
    """The match's id, and what is known of it after each recorded answer."""
    (recording,) = read([path])
    known: Bodies = {"match-event": b"[]", "liveticker": b"[]"}
    steps = []
    for line in recording.lines:
        if line.is_json:
            known = {**known, line.kind: line.text.encode()}
            steps.append(known)
    return recording.match_id, [step for step in steps if "match" in step]


def race(**changes: bytes) -> tuple[str, Bodies]:
    """The Grand Prix as its feed ended, with these bodies instead."""
    kinds = ("match", "match-event", "liveticker")
    return "9900011", {
        **{kind: (FOLDER / "motorsports" / f"sao-paulo.{kind}.json").read_bytes() for kind in kinds},
        **changes,
    }


def practice() -> tuple[str, Bodies]:
    """A practice session with team radio: with words and a driver, without words, without a driver."""
    return "9913000", {
        kind: (FOLDER / "motorsports" / f"practice.{kind}.json").read_bytes() for kind in ("match", "match-event")
    }


def translated(match_id: str, bodies: Bodies, **names: str) -> Match:
    return translate(match_id, bodies, names={**NAMES, **names}, zone=BERLIN)


def stepped(sport: str, name: str) -> list[Match]:
    """A fixture `<sport>/<name>.jsonl`, translated answer by answer."""
    match_id, steps = recorded_steps(FOLDER / sport / f"{name}.jsonl")
    return [translated(match_id, bodies) for bodies in steps]


def posted(match: Match, locale: str = "en", *, text: bool = False) -> dict[str, Post]:
    """The posts that the match asks for, by key."""
    terms = ImportOptions(sport=match.sport, locale=locale, auto_post=True, text=text)
    return {post.key: post for post in wanted_posts(match, terms, NOBODY, block_id=lambda key, part: f"b-{key}-{part}")}


def texts_of(match: Match, locale: str = "en", *, text: bool = False) -> list[str]:
    """The texts of the posts, in order."""
    return [post.document["contents"][0]["text"] for post in posted(match, locale, text=text).values()]


def encoded(value: Any) -> bytes:
    return json.dumps(value).encode()


def bare(match_id="1", **changes):
    """A match in the bare envelope, which says no sport; `p1="6:4"` is a set."""
    sides = {
        "home": {"id": "1", "name": "Jonas Musterholt", "type": "none"},
        "away": {"id": "2", "name": "Emil Beispiel", "type": "none"},
    }
    sets = {name: changes.pop(name) for name in list(changes) if name[0] == "p" and name[1:].isdigit()}
    rows = [
        {"match_result": value, "match_result_at": name[1:], "place": f"none_{side}"}
        for name, score in sets.items()
        for side, value in zip(("home", "away"), score.split(":"), strict=True)
    ]
    body = {"id": match_id, "finished": "no", "match_date": "14.06.2025", "match_time": "14:00", **sides}
    return encoded({"match": {**body, "match_result": rows, **changes}, "match_result_at": []})


def event(number, kind, lap=None, *, at="", **changes):
    """One row of a race; `at` is the time of day."""
    row = {
        "id": str(number),
        "action": "race",
        "kind": kind,
        "content": "",
        "created": f"03.11.2024 {at}" if at else "",
    }
    return {**row, **({} if lap is None else {"lap": str(lap)}), **changes}


def who(number):
    person = {"id": str(800 + number), "name": f"Jan Muster{number}", "surname": f"Muster{number}"}
    return {"person": person, "team": {"id": str(600 + number // 2), "name": f"Team {number // 2}"}}


def session(*events, result=(), **changes):
    """A race in the bare envelope, running unless the test says otherwise."""
    body = {
        "id": "1",
        "finished": "no",
        "match_date": "03.11.2024",
        "match_time": "16:30",
        "current_period": "game-start",
        "match_result": list(result),
        "round": {"id": "5", "name": "Rennen"},
    }
    bodies = {"match": encoded({"match": {**body, **changes}}), "match-event": encoded(list(events))}
    return translated("1", bodies)
