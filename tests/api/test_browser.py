"""The page and the list in a real browser: they update themselves, are light, and break none of their own rules."""

import json
from functools import partial

import pytest

from api.page.load_liveblog import POSTS_SHOWN
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.kit import matchday, poison
from tests.kit.browser import SHIFTS, address, needed
from tests.kit.event_desk import Desk, post

__all__ = ["address"]

pytestmark = needed
SIZES = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind)).map(
  ({ name, encodedBodySize, decodedBodySize }) => ({ name, sent: encodedBodySize, whole: decodedBodySize }))"""
BYTES = 64 * 1024


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
    change = Change(events=hostile.events, game=hostile.document)
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


@pytest.mark.proof
async def test_keys_are_enough(public, address, browser):
    """Each stop of the tabulator is seen, and the filters are among the first."""
    await public.add(matchday.derby())
    page = await browser.new_page()
    await page.goto(f"{address}/liveblogs/gderby")
    reached = []
    for _ in range(16):
        await page.keyboard.press("Tab")
        reached.append(await page.evaluate("document.activeElement.textContent.trim()"))
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert reached[:1] == ["All liveblogs"]
    assert {"All", "Key moments", "Goals", "Texts"} <= set(reached)


@pytest.mark.proof
async def test_a_page_is_light_and_shifts_nothing(public, address, browser):
    """A full first page, its style sheet and scripts, and a post that arrives while somebody reads."""
    await public.add(matchday.derby())
    desk = Desk(public.http)
    for number in range(POSTS_SHOWN):
        words = (
            f"After {number} minutes nobody has found a way through, and the rain is getting worse on the coast. " * 2
        )
        await desk.create(post(words, local_id=f"e{number}", created_at=matchday.KICK_OFF + 5000 + number))
    page = await browser.new_page()
    await page.add_init_script(f"({SHIFTS})()")
    async with page.expect_request("**/api/embed/v4/stream?*"):
        await page.goto(f"{address}/liveblogs/gderby")
    document, *others = await page.evaluate(SIZES)
    await desk.create(post("Somebody has found a way.", local_id="elast", created_at=matchday.KICK_OFF + 9000))
    await page.locator("#elast").wait_for(timeout=30_000)

    assert await page.locator(".post").count() == POSTS_SHOWN + 1
    assert await page.evaluate("window.shifted") < 0.05
    assert 0 < document["whole"] <= BYTES
    assert sum(each["sent"] for each in (document, *others)) <= BYTES
    assert any("liveblog.js" in each["name"] for each in others)


@pytest.mark.proof
async def test_the_list_updates_itself(public, address, browser):
    """A new score and a new liveblog appear; the link that has the focus keeps it."""
    await public.add(matchday.derby())
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    await page.clock.install()
    await page.goto(address)
    link = page.get_by_role("link", name="SV Hafenstadt")
    await link.focus()
    assert "2-1" in await link.inner_text()
    board = {**matchday.document()["scoreboard"], "score": matchday.pair(3, 1)}
    change = Change(game=matchday.document(scoreboard=board))
    await public.store.write(partial(liveblogs.record, game_id="6a" * 12, change=change))
    await public.add(matchday.Liveblog("gmore", "6b" * 12, document=matchday.document(state_info={"gamestate": 0})))
    public.now += 10
    await page.clock.fast_forward(15_000)
    await page.get_by_role("link", name="3-1").wait_for(timeout=30_000)

    assert await page.locator(".games li").count() == 2
    await page.set_viewport_size({"width": 320, "height": 700})
    lines = (
        "each => { const range = new Range(); range.selectNodeContents(each); return range.getClientRects().length; }"
    )
    assert await page.locator(".games b").first.evaluate(lines) == 1
    assert await page.locator(".games a span").first.evaluate(lines) <= 3, "the title has the width of the card"
    assert "3-1" in await page.evaluate("document.activeElement.textContent")
    assert complaints == []
