"""Each feed keeps the rules of its standard and is read by feedparser without complaint, whatever the liveblog holds."""

import os
from typing import get_args
from xml.etree import ElementTree as ET

import pytest

from config.organizations import ThemeConfig
from mapping.documents.scalars import Locale
from tests.api.conftest import serving
from tests.kit import matchday, poison
from tests.kit.feed_forms import FORMATS, feed
from tests.kit.feed_rules import ATOM, BOARD, GOAL, faults
from tests.kit.showing import add, block, file, item

CONTENT = "Svc::Model::Content"
PHOTO, CLIP = (
    file("mphoto", "https://photos.example/a.jpg", title="A & B"),
    file("mclip", "https://clips.example/a.mp4", "v"),
)
BLOCKS = {
    "etext": matchday.text("<p>Wind &amp; <b>rain</b> ]]> \u2028</p>"),
    "equote": matchday.QUOTE,
    "eembed": {"_type": f"{CONTENT}::WebEmbedContentBlock", "local_id": "b1", "url": "https://video.example/?a=1&b=2"},
    "eemoji": {"_type": f"{CONTENT}::EmojiContentBlock", "local_id": "b1", "emoji": "⚽"},
    "ecard": {
        "_type": f"{CONTENT}::PlayerCardContentBlock",
        "local_id": "b1",
        "player": {"name": "Ole", "image": PHOTO["url"]},
    },
    "epoll": {
        "_type": f"{CONTENT}::PollContentBlock",
        "local_id": "b1",
        "question": "Who?",
        "options": [{"text": "A"}],
    },
    "equiz": {
        "_type": f"{CONTENT}::QuizContentBlock",
        "local_id": "b1",
        "question": "When?",
        "options": [{"text": "9"}],
    },
    "eboard": BOARD,
    "eincident": GOAL,
}


def everything(locale):
    """A liveblog in that language with each kind of content, and a post without any."""
    posts = [matchday.event(name, matchday.KICK_OFF + 9, contents=[each]) for name, each in BLOCKS.items()]
    shown = matchday.event("efiles", 9, media=[PHOTO, CLIP], contents=[block(item(PHOTO), item(CLIP))])
    name = f"g{locale or 'none'}"
    return matchday.Liveblog(
        local_id=name,
        ticker_id=f"{sum(map(ord, name)):024x}",
        document=matchday.document(locale=locale),
        events=tuple(
            matchday.event(f"{name}{each.local_id}", each.created_at, **each.document)
            for each in (*posts, shown, matchday.event("eempty", 0), *matchday.afternoon())
            if each.local_status == 0 and each.publish_at is None
        ),
    )


@pytest.fixture
async def full(store):
    themes = {"goals": ThemeConfig.model_construct(event_types=("soccer.goal",), labels={"soccer.goal": "<TOR> & ]]>"})}
    async with serving(store, public_feeds=True, public_per_second=0, themes=themes) as server:
        for locale in get_args(Locale):
            await server.add(everything(locale))
        await server.add(poison.xss_liveblog())
        await server.add(matchday.Liveblog(local_id="gbare", ticker_id="8e" * 12))
        await server.store.write(poison.insert)
        yield server


CASES = [
    *({"liveblogId": f"g{locale or 'none'}", "limit": "1000"} for locale in get_args(Locale)),
    {"liveblogId": "gde", "limit": "3", "sort": "asc"},
    {"liveblogId": "gde", "themeId": "goals", "tags": ""},
    {"liveblogId": "gde", "delay": "30"},
    {"liveblogId": "gxss", "limit": "1000"},
    {"liveblogId": "gpoison", "limit": "1000"},
    {"liveblogId": "gbare"},
]


@pytest.mark.parametrize("extension", FORMATS)
async def test_every_feed_keeps_the_rules_of_its_standard(full, extension):
    """Each block, locale, theme and delay, hostile texts, broken documents, and a liveblog without a post."""
    found = {}
    for case in CASES:
        response = await feed(full, extension, **case)
        assert response.status_code == 200, (case, response.text)
        found[str(case)] = faults(extension, response.content)
        if case["liveblogId"] == "gpoison":  # whose neighbours are there
            found[str(case)] += [name for name in matchday.PUBLIC if name not in response.text]
        if extension != "json":
            read = feedparser().parse(response.content, response_headers=dict(response.headers))
            found[str(case)] += [f"bozo: {read.bozo_exception}"] if read.bozo else []
    assert {case: each for case, each in found.items() if each} == {}


def feedparser():
    """The reader that most programs use; where it is missing the test is skipped, in CI it fails."""
    if os.environ.get("CI"):
        import feedparser as found
    else:
        found = pytest.importorskip("feedparser")
    return found


async def test_pages_name_the_first_and_the_next_one(full):
    """RFC 5005: a program that starts anywhere finds the beginning, and follows the pages to the end."""
    whole = {"liveblogId": "gde", "limit": "1000"}
    total = [each["id"] for each in (await feed(full, **whole)).json()["items"]]
    for extension in ("atom", "rss"):
        seen, address, first = [], f"/api/embed/v4/feed/liveblog.{extension}?liveblogId=gde&limit=9", None
        while address:
            response = await full.http.get(address)
            assert faults(extension, response.content) == []
            links = links_of(response.content)
            assert links.get("first") == first
            seen += ids_of(extension, response.content)
            first = first or links["self"]
            address = links.get("next", "").removeprefix("https://live.example.org/blogs")
        assert seen == total


def links_of(body):
    root = ET.fromstring(body)
    found = root.findall(f"{ATOM}link") or root.findall(f"channel/{ATOM}link")
    return {link.get("rel"): link.get("href") for link in found}


def ids_of(extension, body):
    root = ET.fromstring(body)
    if extension == "rss":
        return [guid.text for guid in root.iter("guid")]
    return [entry.findtext(f"{ATOM}id").removeprefix("urn:matchwire:") for entry in root.iter(f"{ATOM}entry")]


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
