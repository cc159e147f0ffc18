"""The main job on real traffic: recorded matches through replay server, running daemon and HTTP API."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from store.upkeep.doctor import examine
from tests.kit.day import match_day
from tests.kit.recorded_posts import created_when_it_appears, first_yellow, posts_of_the_liveblog, posts_of_the_provider
from tests.kit.recordings import required, soccer_recordings
from tests.kit.scripted import timeline

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = pytest.mark.proof


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
