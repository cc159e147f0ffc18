"""Incidents and scoreboards within the contents of a post show in feeds, on pages and in structured data."""

from xml.etree import ElementTree as ET

import pytest

from tests.api.test_feeds import ATOM, feed
from tests.kit import matchday
from tests.kit.showing import add

GOAL = {
    **matchday.incident(
        "goal", "Goal", "3'", side=matchday.HOME, people=(("Scorer", "Ole Brandt"),), score=matchday.pair(1, 0)
    ),
    "local_id": "b1",
}
CARD = {**matchday.incident("red-card", "Red card", "9'", side=matchday.AWAY), "local_id": "b2"}
UNTITLED = {**matchday.incident("corner-kick", "", "11'"), "local_id": "b3"}
BOARD = {
    "_type": "Svc::Model::Content::ScoreboardContentBlock",
    "local_id": "b4",
    "scoreboard": {
        "_type": "Svc::Model::Content::Scoreboard::TeamGameScoreboard",
        "home_team": matchday.HOME,
        "away_team": matchday.AWAY,
        "score": matchday.pair(2, 1),
        "scores": [matchday.pair(1, 1, "Half-time"), matchday.pair("", "")],
    },
}
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


async def test_all_formats_the_page_and_structured_data_show_them_too(blocks):
    """The same sentence everywhere."""
    channel = ET.fromstring((await feed(blocks, "rss")).content)
    entries = ET.fromstring((await feed(blocks, "atom")).content)
    assert all(item.findtext("title") and item.findtext("description") for item in channel.iter("item"))
    assert all(
        entry.findtext(f"{ATOM}title") and entry.findtext(f"{ATOM}content") for entry in entries.iter(f"{ATOM}entry")
    )
    page = (await blocks.http.get("/liveblogs/gderby")).text
    schema = (await blocks.http.get("/api/embed/v4/prefetch/liveblog.json?liveblogId=gderby")).json()["schema"]

    assert '<strong>3&#x27; Goal <span class="whole">1-0</span></strong> – Ole Brandt (HAF)' in page
    assert {each["headline"] for each in schema["liveBlogUpdate"]} >= {"3' Goal 1-0 – Ole Brandt (HAF)", "2-2"}
