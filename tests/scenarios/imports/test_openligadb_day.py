"""A provider that an entry point adds fills a liveblog from plan to full-time, without a line of the core knowing it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from providers.registry import BUILT_IN
from tests.kit.provider_day import provider_day

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "openligadb" / "soccer"
PATH = "getmatchdata/70001"


def body(name):
    return json.loads((FOLDER / f"{name}.match.json").read_text(encoding="utf-8"))


def served(match):
    """What the provider has of it, by the path."""
    return {PATH: json.dumps(match).encode()}


@pytest.fixture
async def day(tmp_path):
    first = body("cup-final-planned")
    async with provider_day("openligadb", "70001", served, first, tmp_path, lambda url: {"base_url": url}) as found:
        yield found


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
