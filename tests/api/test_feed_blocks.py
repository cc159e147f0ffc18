"""Incidents and scoreboards within the contents of a post show in feeds, on pages and in structured data."""

import pytest

from tests.kit import matchday
from tests.kit.feed_blocks import BOARD, GOAL
from tests.kit.feed_forms import feed
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


CONTENT = "Svc::Model::Content"
ALONE = {
    "epoll": (
        {"_type": f"{CONTENT}::PollContentBlock", "question": "Who wins?", "options": [{"id": "a", "text": "We"}]},
        "Who wins?",
    ),
    "equiz": (
        {"_type": f"{CONTENT}::QuizContentBlock", "question": "How old?", "options": [{"id": "a", "text": "9"}]},
        "How old?",
    ),
    "eemoji": ({"_type": f"{CONTENT}::EmojiContentBlock", "emoji": "🔥", "title": "On fire <b>"}, "🔥 On fire <b>"),
    "eembed": ({"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://youtu.be/dQw4w9WgXcQ"}, "YouTube"),
    "elink": ({"_type": f"{CONTENT}::WebEmbedContentBlock", "url": "https://news.example/a"}, "news.example"),
    "ecard": (
        {
            "_type": f"{CONTENT}::PlayerCardContentBlock",
            "title": "Star <i>",
            "player": {"name": "Ole Brandt", "number": "9"},
        },
        "Star <i> Ole Brandt",
    ),
}
QUOTE = {
    "_type": f"{CONTENT}::QuoteContentBlock",
    "text": "Well.",
    "author": "Coach <b>",
    "source": "https://news.example/q?a=1&b=2",
}


@pytest.fixture
async def alone(public):
    posts = {name: [block] for name, (block, _) in ALONE.items()} | {"equote": [QUOTE]}
    await add(
        public,
        *(matchday.event(name, matchday.KICK_OFF + at, contents=each) for at, (name, each) in enumerate(posts.items())),
    )
    return public


async def test_titles_and_sources_show_on_the_page_and_in_feeds(alone):
    """An emoji and a card with their title, a quote with its address behind the author; all escaped."""
    page = (await alone.http.get("/liveblogs/gderby")).text
    html = " ".join(each["content_html"] for each in (await feed(alone)).json()["items"])
    link = (
        '<a href="https://news.example/q?a=1&amp;b=2" rel="nofollow noopener noreferrer"><bdi>Coach &lt;b&gt;</bdi></a>'
    )

    for shown in (page, html):
        assert '<p class="emoji"><span>🔥</span> <small>On fire &lt;b&gt;</small></p>' in shown
        assert "<b>Star &lt;i&gt;</b> 9 <bdi>Ole Brandt</bdi></span></p>" in shown
        assert f"<footer>{link}</footer>" in shown
