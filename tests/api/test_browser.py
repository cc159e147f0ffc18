"""The page in a real browser: it updates itself, ticks, and breaks none of its own rules."""

import json
from functools import partial

import pytest

from store.liveblogs import liveblogs
from tests.kit import matchday, poison
from tests.kit.browser import needed
from tests.kit.matchday import pair
from tests.kit.served_page import address

__all__ = ["address"]

pytestmark = needed


async def test_a_new_post_appears_by_itself(public, address, browser):
    """Without reloading: the post, the score, and a word for screen readers; nothing violates the page's policy."""
    await public.add(matchday.derby())
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(f"{address}/liveblogs/gderby")
    assert await page.locator(".post").count() == len(matchday.PUBLIC)

    goal = matchday.goal(
        "enew", matchday.KICK_OFF + 4500, "75'", matchday.AWAY, score=matchday.pair(2, 2), words="Level!"
    )
    board = {**matchday.document()["scoreboard"], "score": matchday.pair(2, 2)}
    change = liveblogs.Change(events=(goal,), game=matchday.document(scoreboard=board))
    await public.store.write(partial(liveblogs.record, game_id="6a" * 12, change=change))

    await page.locator("#enew.fresh").wait_for(timeout=60_000)
    assert "2" in await page.locator(".board .score").inner_text()
    announced = "75' Goal 2-2. \u2068SV Hafenstadt\u2069 2, \u2068Alpenverein Bergheim\u2069 2"
    assert await page.locator(".announcer[role=status]").text_content() == announced
    assert complaints == []


@pytest.mark.proof
@pytest.mark.parametrize("width", [320, 390, 1280])
async def test_a_long_row_of_partial_scores_neither_breaks_a_name_nor_leaves_the_page(public, address, browser, width):
    """A shoot-out has five of them: each word of the teams' names stays on one line, and nothing needs scrolling sideways."""
    titles = ("Half-time", "Full-time", "After extra time", "Penalty shoot-out")
    board = {"score": {**pair(1, 1), "title": "pens"}, "scores": [pair(1, 1, title) for title in titles]}
    document = matchday.document(scoreboard={**matchday.document()["scoreboard"], **board})
    await public.add(matchday.derby())
    change = liveblogs.Change(game=document)
    await public.store.write(partial(liveblogs.record, game_id="6a" * 12, change=change))
    page = await browser.new_page()
    await page.set_viewport_size({"width": width, "height": 900})
    await page.goto(f"{address}/liveblogs/gderby")

    assert await page.evaluate("document.documentElement.scrollWidth") == width
    lines = "each => each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)"
    heights = await page.locator(".team .name").evaluate_all(f"all => all.map({lines})")
    assert max(heights) < 2.1, "both names have two words"


@pytest.mark.proof
async def test_the_offline_documentation_lists_the_operations(address, browser):
    """The viewer runs under its policy and shows the document."""
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    await page.goto(f"{address}/docs")

    await page.get_by_text("/api/v5/write/ticker/show.json").first.wait_for(timeout=60_000)
    assert complaints == []


async def test_hostile_texts_that_arrive_at_an_open_page_stay_texts(public, address, browser):
    """Posts, score and line-ups, streamed, are put in and read out as texts: nothing runs, and no policy had to prevent it.

    So it is on a page that is opened then; its structured data stand beside the policy that forbids inline scripts.
    """
    hostile = poison.xss_liveblog()
    name = hostile.local_id
    await public.add(matchday.Liveblog(name, hostile.ticker_id, document=matchday.document()))
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    async with page.expect_response(lambda response: "/stream" in response.url):
        await page.goto(f"{address}/liveblogs/{name}")
    change = liveblogs.Change(events=hostile.events, game=hostile.document)
    await public.store.write(partial(liveblogs.record, game_id=hostile.ticker_id, change=change))

    await page.locator("#exss.fresh").wait_for(timeout=60_000)
    for part in ("#exss", "#ebare", "#egoalxss", ".board", ".squads", ".moments", ".announcer"):
        assert "alert(1)" in await page.locator(part).first.text_content(), part
    assert await page.locator(":is(.post, .board, .squads, .moments) :is(script, [onerror], [onload])").count() == 0
    await page.reload()
    data = page.locator('script[type="application/ld+json"]')
    assert await data.count() == 1
    assert json.loads(await data.text_content())["headline"].startswith("<script>alert(1)</script>")
    assert complaints == []
