"""A provider that an entry point adds fills a liveblog from plan to full-time, without a line of the core knowing it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from config import Settings
from providers.contract.server import Server, serving
from providers.registry import BUILT_IN
from tests.kit.day import CREATE, ORGANIZATION, SHOW, configuration, running

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "openligadb" / "soccer"
PATH = "getmatchdata/70001"


def body(name):
    return json.loads((FOLDER / f"{name}.match.json").read_text(encoding="utf-8"))


class Day:
    """A server with one match that a test edits, a daemon that follows it, and a client of the API."""

    def __init__(self, server, client):
        self.server, self.client = server, client

    async def create(self, match_id="70001", **more):
        request = {"provider": "openligadb", "matchId": match_id, "autoPostEnabled": True, **more}
        return await self.client.post(CREATE, json=request)

    async def becomes(self, match, local_id, wanted):
        """Serve this match and wait until the liveblog is so."""
        self.server.bodies = {PATH: json.dumps(match).encode()}
        found = None
        try:
            async with asyncio.timeout(30):
                while True:
                    game = (await self.client.get(SHOW, params={"local_id": local_id})).json()
                    found = texts_of(game)
                    if found == wanted:
                        return game
                    await asyncio.sleep(0.05)
        except TimeoutError:
            assert found == wanted
            raise


def texts_of(game):
    """Titles of the published posts in the order of play, and the score."""
    posts = sorted((each for each in game["events"] if each["local_status"] == 0), key=lambda each: each["sort"])
    titles = [each["sport_event"]["title"] for each in posts]
    score = game["scoreboard"]["score"]
    return titles, (score.get("home_score"), score.get("away_score"))


@pytest.fixture
async def day(tmp_path):
    planned = json.dumps(body("cup-final-planned")).encode()
    async with serving(Server({PATH: planned})) as server:
        tables = configuration("http://127.0.0.1:9", tmp_path)
        tables["organizations"][ORGANIZATION]["providers"] = {"openligadb": {"base_url": server.url}}
        settings = Settings.model_validate(tables)
        async with running(settings) as address:
            secret = settings.clients["cms"].secret.get_secret_value()
            async with httpx.AsyncClient(
                base_url=address, auth=("cms", secret), timeout=60, trust_env=False, verify=False
            ) as client:
                yield Day(server, client)


def test_it_is_no_built_in_provider():
    """The proof is one only if the core does not name it."""
    assert "openligadb" not in {provider.id for provider in BUILT_IN}


async def test_a_match_is_followed_from_plan_to_full_time(day):
    """Goals arrive, are corrected, entered twice and entered again under other ids, and each stands once."""
    answer = await day.create()
    assert answer.status_code == 200, answer.text
    game = answer.json()
    assert game["external"]["provider"] == "openligadb"
    assert game["meta_info"]["title"] == "SV Nordhafen – FC Südtor"

    live, name = body("cup-final-running"), game["local_id"]
    goals = live["goals"]
    first = live | {"goals": goals[1:]}
    await day.becomes(first, name, (["Kick-off", "Goal"], ("1", "0")))
    await day.becomes(live, name, (["Kick-off", "Goal", "Own goal"], ("1", "1")))
    again = live | {"goals": [row | {"goalID": row["goalID"] + 500} for row in reversed(goals)] + goals[:1]}
    posted = await day.becomes(again, name, (["Kick-off", "Goal", "Own goal"], ("1", "1")))
    over = await day.becomes(
        body("cup-final"), name, (["Kick-off", "Goal", "Own goal", "Goal", "Goal", "Full-time"], ("2", "2"))
    )

    assert {each["local_id"] for each in posted["events"]} < {each["local_id"] for each in over["events"]}
    assert over["state_info"]["gamestate"] == 31


async def test_text_and_unknown_matches_are_refused_in_the_words_of_the_interface(day):
    """No text for an endpoint without, 404 for a match that the provider does not know, 422 for a foreign event type."""
    assert (await day.create(includeTextContent=True)).status_code == 400
    assert (await day.create("70009")).status_code == 404
    excluded = {"excludeEvents": ["openligadb.goal"]}
    assert (await day.create(autoPostConfiguration=excluded)).status_code == 422
