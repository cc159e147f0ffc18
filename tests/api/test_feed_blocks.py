"""Incidents and scoreboards within the contents of a post show in feeds, on pages and in structured data."""

import pytest

from tests.kit import matchday
from tests.kit.feed_forms import feed
from tests.kit.feed_rules import BOARD, GOAL
from tests.kit.showing import add

CARD = {**matchday.incident("red-card", "Red card", "9'", side=matchday.AWAY), "local_id": "b2"}
UNTITLED = {**matchday.incident("corner-kick", "", "11'"), "local_id": "b3"}
NAMELESS = {**BOARD, "scoreboard": {"score": matchday.pair(2, 2)}}


@pytest.fixture
async def blocks(public):
    posts = {"egoal": [GOAL], "eboth": [CARD, UNTITLED], "eboard": [BOARD], "enameless": [NAMELESS]}
    await add(
        public,
        *(matchday.event(name, matchday.KICK_OFF + at, contents=each) for at, (name, each) in enumerate(posts.items())),
    )
    return public


async def test_every_item_has_a_title_and_shows_its_blocks(blocks):
    """A post without text is named after what it shows."""
    items = {each["id"]: each for each in (await feed(blocks)).json()["items"]}

    assert {name: each["title"] for name, each in items.items()} == {
        "egoal": "3' Goal 1-0 – Ole Brandt (HAF)",
        "eboth": "9' Red card – AVB",
        "eboard": "SV Hafenstadt 2-1 Alpenverein Bergheim",
        "enameless": "2-2",
    }
    assert (
        items["egoal"]["content_html"] == '<p class="incident"><strong>3&#x27; Goal 1-0</strong> – Ole Brandt (HAF)</p>'
    )
    assert "<strong>11&#x27; Corner kick</strong></p>" in items["eboth"]["content_html"]
    assert "SV Hafenstadt 2-1 Alpenverein Bergheim" in items["eboard"]["content_html"]
    assert "Half-time 1-1" in items["eboard"]["content_html"]
