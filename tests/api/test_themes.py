"""Themes of the configuration: which posts feeds and articles show, in which order, and what incidents are called."""

from dataclasses import replace

import pytest

from config import Settings
from config.organizations import ThemeConfig
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.feed_forms import feed, ids

CONFIG = {
    "themes": {
        "goals": {"event_types": ["soccer.goal"], "labels": {"soccer.goal": "TOR!"}, "posts": 2},
        "words": {"event_types": ["text"], "sort": "asc"},
        "newsroom": {"authors": ["desk"]},
        "moments": {"highlights": ["milestone", "sticky"], "tags": ["t1", "a"]},
        "all": {"posts": 1000},
    }
}
ARTICLE = "/api/embed/v4/prefetch/liveblog.json"


def tagged(event):
    tags = {"ewinner": ["t1"], "etext": ["b"], "equal": ["a"]}
    return replace(
        event,
        document={**event.document, "tag_ids": tags.get(event.local_id, [])},
        user_id="desk" if event.local_id in {"etext", "equote"} else event.user_id,
    )


@pytest.fixture
async def themed(store):
    themes = Settings.model_validate(CONFIG).themes
    async with serving(store, public_feeds=True, themes=themes) as server:
        await server.add(
            matchday.Liveblog(document=matchday.document(), events=tuple(map(tagged, matchday.afternoon())))
        )
        yield server


async def test_a_theme_filters_sorts_and_bounds(themed):
    """By event types, authors, tags and highlights, each of which a post has to meet."""
    assert await ids(themed, themeId="goals") == ["ewinner", "equal"]
    assert await ids(themed, themeId="words") == ["etext", "equote"]
    assert await ids(themed, themeId="newsroom") == ["equote", "etext"]
    assert await ids(themed, themeId="moments") == ["ewinner"]
    assert await ids(themed, themeId="all") == await ids(themed, limit=1000)


async def test_parameters_of_the_query_are_laid_over_the_theme(themed):
    """Each takes the place of the theme's setting of its name; without a theme they say nothing."""
    assert await ids(themed, themeId="goals", limit=3) == ["ewinner", "equal", "egoal"]
    assert await ids(themed, themeId="goals", sort="asc") == ["egoal", "equal"]
    assert await ids(themed, themeId="goals", event_types="soccer.yellow-card,soccer.start") == ["eyellow", "ekick"]
    assert await ids(themed, themeId="goals", event_types="", tags="b") == ["etext"]
    assert await ids(themed, themeId="moments", highlights="") == ["ewinner", "equal"]
    assert await ids(themed, themeId="words", authors="heim") == await ids(themed, themeId="words")  # says nothing
    assert await ids(themed, event_types="soccer.goal") == await ids(themed)


async def test_pages_of_a_theme_follow_each_other(themed):
    """`next_url` leads on with the theme and what was laid over it, as far as there are posts."""
    seen, address = (
        [],
        "/api/embed/v4/feed/liveblog.json?liveblogId=gderby&themeId=goals&limit=1&event_types=soccer.goal,text",
    )
    while address:
        document = (await themed.http.get(address)).json()
        seen += [item["id"] for item in document["items"]]
        address = document.get("next_url", "").removeprefix("https://live.example.org/blogs")
    assert seen == ["ewinner", "equote", "equal", "etext", "egoal"]


async def test_a_theme_says_what_incidents_are_called(themed):
    """In titles and in the text of feeds; key moments are the match's, whatever the theme."""
    document = (await feed(themed, themeId="goals")).json()

    assert document["items"][1]["title"] == "45+2' TOR! 1-1 – Ledeir Etlam (AVB)"
    assert document["_matchwire"] == (await feed(themed)).json()["_matchwire"]


async def test_an_article_shows_the_theme(themed):
    """The posts, their order and their number; the head and the key moments stay."""
    whole = (await themed.http.get(ARTICLE, params={"liveblogId": "gderby"})).json()
    words = (await themed.http.get(ARTICLE, params={"liveblogId": "gderby", "themeId": "words"})).json()
    goal = (await themed.http.get(ARTICLE, params={"liveblogId": "gderby", "themeId": "goals", "limit": "1"})).json()

    assert whole["html"].index('id="equote"') < whole["html"].index('id="etext"')
    assert words["html"].index('id="etext"') < words["html"].index('id="equote"')
    assert 'id="egoal"' not in words["html"]
    assert 'class="moments"' in words["html"]
    assert [each["url"].rpartition("#")[2] for each in goal["schema"]["liveBlogUpdate"]] == ["ewinner"]


@pytest.mark.parametrize(
    "path", ["/api/embed/v4/feed/liveblog.atom", ARTICLE, "/api/embed/v4/prefetch/liveblog-teaser.json"]
)
async def test_a_theme_that_nobody_declared_is_the_default_theme(themed, path):
    """Embeds and plug-ins always name a theme: what they get is what they would get without one, whatever lies over it."""
    query = {"liveblogId": "gderby"}
    default = await themed.http.get(path, params=query)
    named = await themed.http.get(path, params={**query, "themeId": "5f0c", "event_types": "soccer.goal"})
    empty = await themed.http.get(path, params={**query, "themeId": ""})

    assert (named.status_code, named.content) == (200, default.content)
    assert empty.content == default.content


async def test_a_rare_theme_finds_its_posts_behind_many_others(store):
    """Filters are applied to all posts, not to a page of them."""
    rare = matchday.event("erare", 1, tag_ids=["t1"])
    many = (matchday.event(f"e{at:04}", 10 + at) for at in range(450))
    async with serving(store, public_feeds=True, themes={"rare": ThemeConfig(tags=("t1",))}) as server:
        await server.add(matchday.Liveblog(events=(rare, *many)))

        assert await ids(server, themeId="rare") == ["erare"]
