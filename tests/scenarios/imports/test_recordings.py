"""The main job on real traffic: recorded matches through replay server, running daemon and HTTP API."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from store.upkeep.doctor import examine
from tests.kit.day import match_day
from tests.kit.recordings import required, soccer_recordings
from tests.kit.scripted import timeline

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = pytest.mark.proof

KINDS = {
    "card yellow": "soccer.yellow-card",
    "card red": "soccer.red-card",
    "card yellow-red": "soccer.yellow-red-card",
    "special missed-penalty": "soccer.penalty-kick-missed",
    "match game-start": "soccer.start",
    "match first-half-end": "soccer.pause-halves",
    "match second-half-start": "soccer.resume-halves",
    "match second-half-end": "soccer.end-of-regular-play",
    "match first-extra-start": "soccer.start-overtime",
    "match first-extra-end": "soccer.pause-overtime",
    "match second-extra-start": "soccer.resume-overtime",
    "match second-extra-end": "soccer.end-of-overtime",
    "match penalty-start": "soccer.start-shootout",
    "match game-end": "soccer.end",
}
Post = tuple[str, str, str, frozenset[tuple[str, str]], str]
"""Type, minute, team, (role, player) pairs, score."""


def posts_of_the_provider(rows: list[dict[str, Any]]) -> set[Post]:
    """What a person reads in the recorded `match-event` body: written without the adapter, as a second opinion."""
    found: set[Post] = set()
    subs: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in rows:
        action, kind, minute = row["action"], row["kind"], f"{row['minute']}'"
        team, person = row.get("team", {}).get("name", ""), row.get("person", {}).get("name", "")
        if action == "goal":
            other = (
                {("assist" if kind != "penalty" else "fouled", row["additional_person"]["name"])}
                if row.get("additional_person")
                else set()
            )
            name = "soccer.own-goal" if kind == "own-goal" else "soccer.goal"
            found.add((name, minute, team, frozenset({("scorer", person), *other}), row["content"]))
        elif action == "match":
            found.add((KINDS[f"{action} {kind}"], minute, "", frozenset(), ""))
        elif action in {"card", "special"}:
            found.add((KINDS[f"{action} {kind}"], minute, team, frozenset({("player", person)}), ""))
        elif (
            action == "pso"
        ):  # a kick of the shoot-out, in no minute of play, which leaves the score on the pitch alone
            name, role = ("soccer.goal", "scorer") if kind == "goal" else ("soccer.penalty-kick-missed", "player")
            found.add((name, "", team, frozenset({(role, person)}), ""))
        elif action == "playing" and kind.startswith("substitute"):
            subs.setdefault((team, minute), {"substitute-in": [], "substitute-out": []})[kind].append(row)
    for (team, minute), change in subs.items():
        outs, ins = (
            sorted(change[name], key=lambda row: int(row["id"])) for name in ("substitute-out", "substitute-in")
        )
        assert len(outs) == len(ins), "the recordings end with whole substitutions"
        for out, into in zip(outs, ins, strict=True):
            roles = frozenset({("out", out["person"]["name"]), ("in", into["person"]["name"])})
            found.add(("soccer.substitution", minute, team, roles, ""))
    return found


def posts_of_the_liveblog(game: dict[str, Any]) -> list[Post]:
    """The same, read from the posts of the HTTP API."""
    return [
        (
            block["event_type"],
            block.get("time_of_play", ""),
            block.get("team", {}).get("name", ""),
            frozenset((each["event_player_type"], each["player"]["name"]) for each in block.get("players", ())),
            ":".join(block["score"][f"{side}_score"] for side in ("home", "away")) if block.get("score") else "",
        )
        for event in game["events"]
        if event["local_status"] == 0 and (block := event.get("sport_event"))
    ]


def squads(rows: list[dict[str, Any]], team: str, kind: str) -> dict[str, str]:
    """Who is named, with the shirt number where the provider gives one."""
    return {
        row["person"]["name"]: row.get("team_person", {}).get("shirtnumber", "")
        for row in rows
        if row["action"] == "playing" and row["kind"] == kind and row["team"]["id"] == team
    }


def running_score(match: dict[str, Any]) -> tuple[str, str]:
    rows = {(row["match_result_at"], row["place"][-4:]): row["match_result"] for row in match["match_result"]}
    return rows["0", "home"], rows["0", "away"]


def texts_of(items: list[dict[str, Any]]) -> int:
    """How many standalone pieces of text the provider gives."""
    return sum(1 for item in items if "event" not in item and item["content"].strip())


def unbound(files: Iterable[Path], match_id: str, items: list[dict[str, Any]]) -> int:
    """How many of these texts were bound to an incident before: they are still that incident's."""
    (path,) = (each for each in files if each.name.startswith(f"ma{match_id}."))
    ever = {
        item["id"]
        for bodies in timeline(path)[1]
        for item in json.loads(bodies.get("liveticker", b"[]"))
        if "event" in item
    }
    return sum(1 for item in items if "event" not in item and item["id"] in ever)


async def test_recorded_matches_end_as_their_last_good_snapshot_says(tmp_path):
    """Posted incidents, scoreboard, state, line-ups and texts equal what the provider said last; nothing more, nothing twice."""
    files = required(soccer_recordings())
    async with match_day(files, folder=tmp_path, speed=1000, live=0.25) as day:
        names = {}
        for match_id in day.replay.matches:
            names[match_id] = (await created_when_it_appears(day, match_id))["local_id"]
        await day.until_played()
        games = dict(zip(names, await day.until_quiet(*names.values()), strict=True))

        for match_id, game in games.items():
            last = day.replay.last_good(match_id)
            match, rows = last["match"]["match"], last["match-event"]
            posts = posts_of_the_liveblog(game)
            missing, more = posts_of_the_provider(rows) - set(posts), set(posts) - posts_of_the_provider(rows)
            assert not missing, (match_id, missing)
            assert {kind for kind, *_ in more} <= {"soccer.yellow-card"}, (match_id, more)
            assert all(first_yellow(each, rows) for each in more), (match_id, more)
            assert len(posts) == len(set(posts)), f"{match_id}: a post stands twice"
            score = game["scoreboard"]["score"]
            assert running_score(match) == (score["home_score"], score["away_score"]), match_id
            state = 31 if match["finished"] == "yes" or match["current_period"] == "game-end" else 1
            assert state == game["state_info"]["gamestate"], match_id
            for side in ("home", "away"):
                squad = game["squads"][side]
                for ours, theirs in (("lineup", "lineup"), ("bench", "bench")):
                    listed = {player["name"]: player.get("number") for player in squad[ours]}
                    named = squads(rows, match[side]["id"], theirs)
                    assert set(named) == set(listed), (match_id, side, ours)
                    assert all(listed[name] == number for name, number in named.items() if number), match_id
            standalone = [
                event for event in game["events"] if event["local_status"] == 0 and not event.get("sport_event")
            ]
            texts = last.get("liveticker", [])
            assert texts_of(texts) - unbound(files, match_id, texts) == len(standalone), match_id
        found = await asyncio.to_thread(examine, day.settings.database.url.get_secret_value())
        assert not [each for each in found if each.outcome != "ok"]


def first_yellow(post: Post, rows: list[dict[str, Any]]) -> bool:
    """Whether the post is a first yellow card that the provider dropped after the yellow-red of the same player."""
    ((_, player),) = post[3]
    return any(row["kind"] == "yellow-red" and row["person"]["name"] == player for row in rows)


async def created_when_it_appears(day: Any, match_id: str) -> dict[str, Any]:
    """Ask until the match has begun to exist at the provider; recordings begin with answers that are not JSON."""
    import asyncio

    from tests.kit.day import CREATE

    for _ in range(2000):
        body = {
            "provider": "heim",
            "matchId": match_id,
            "autoPostEnabled": True,
            "includeTextContent": True,
            "locale": "de",
        }
        answer = await day.client.post(CREATE, json=body)
        if answer.status_code == 200:
            return answer.json()
        assert answer.status_code in {404, 503}, answer.text
        await asyncio.sleep(0.1)
    pytest.fail(f"{match_id} never appeared")
