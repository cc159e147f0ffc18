"""Everybody can use the pages: axe-core finds nothing, keys are enough, targets are large, nothing moves who wants it still.

The list of liveblogs keeps itself up to date, and the pages are light and do not shift.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from api.app import create_app
from api.page.window import POSTS_SHOWN
from providers.http_server import bind_socket, listening
from store.liveblogs import liveblogs
from tests.api.conftest import NOW, serving
from tests.kit import matchday
from tests.kit.accessible import SMALL, violations
from tests.kit.browser import needed
from tests.kit.browser_media import SHIFTS
from tests.kit.event_desk import Desk, post
from tests.kit.served_page import address
from tests.kit.shootout_page import cup, posts

__all__ = ["address"]
pytestmark = [needed, pytest.mark.proof]

WAITING = """() => {
  for (const each of document.querySelectorAll(".bar > *")) each.hidden = false;
  for (const each of document.querySelectorAll(".news")) each.textContent = "3 new posts";
}"""
"""Shows what only appears when something happens."""
SIZES = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind)).map(
  ({ name, encodedBodySize, decodedBodySize }) => ({ name, sent: encodedBodySize, whole: decodedBodySize }))"""
BYTES = 64 * 1024


async def test_axe_finds_nothing_and_keys_are_enough(public, address, browser):
    """Each kind of page, light and dark; every target has 24 pixels; nothing is animated where that is unwanted."""
    await public.add(matchday.derby())
    state = {"gamestate": 31}
    await public.add(matchday.Liveblog("gover", "6b" * 12, document=matchday.document(locale="de", state_info=state)))
    await public.add(matchday.Liveblog("gcup", "6c" * 12, document=cup(), events=posts()))
    for at, highlight in enumerate(("sticky", "stickyNoHighlight", "inplace", "milestone")):
        await Desk(public.http, liveblog="gcup").update(
            f"ekick{at + 1}", {"highlight": highlight, "headline": "A kick"}
        )
    page = await browser.new_page()
    faults = {}
    for path in (
        "/liveblogs/gderby",
        "/liveblogs/gderby?show=goals&limit=2",
        "/liveblogs/gderby?post=ekick&limit=2",
        "/",
        "/none",
        "/liveblogs/gderby/snippets",
        "/embed/gderby",
        "/liveblogs/gcup",
    ):
        await page.emulate_media(color_scheme="light", reduced_motion="reduce")
        await page.goto(f"{address}{path}")
        await page.evaluate(WAITING)
        moving = "[...document.getAnimations()].length"
        assert await page.evaluate(moving) == 0
        if small := await page.evaluate(SMALL):
            faults[path, "small"] = small
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if found := await violations(page):
                faults[scheme, path] = found
            assert await page.evaluate(moving) == 0
    assert not faults, faults

    await page.goto(f"{address}/liveblogs/gderby")
    reached = []
    for _ in range(16):
        await page.keyboard.press("Tab")
        reached.append(await page.evaluate("document.activeElement.textContent.trim()"))
        outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    assert reached[:1] == ["All liveblogs"]
    assert {"All", "Key moments", "Goals", "Texts"} <= set(reached)


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
    change = liveblogs.Change(game=matchday.document(scoreboard=board))
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


ENDED = {"kind": "outbox", "message": "updates wait", "beganAt": NOW - 4000, "endedAt": NOW - 60}
REPORT = {
    "process": {"version": "1", "role": "all", "host": "h", "pid": 1, "startedAt": NOW},
    "workers": 1,
    "matches": {"followed": 3},
    "followed": [
        {
            "match": "8315073",
            "endpoint": "heim",
            "status": "live",
            "silent": True,
            "failures": 2,
            "pending": True,
            "standingStill": 1,
            "lastGood": 1,
            "age": 12,
            "lastChange": 1,
            "nextPoll": 3,
            "saidToSeen": None,
            "seenToCommitted": {"p50": 12, "p95": 40, "p99": 90, "count": 7},
        }
    ],
    "endpoints": [
        {
            "name": "heim",
            "state": "answers",
            "cause": None,
            "demand": 0.4,
            "matches": 1,
            "lastGood": 1,
            "age": 3,
            "saidToSeen": {"p50": 4000, "p95": 9000, "p99": 9000, "count": 7},
            "seenToCommitted": None,
        }
    ],
    "webhooks": {"waiting": 2},
    "alarms": [ENDED, {**ENDED, "endedAt": None}],
}


async def reported():
    return REPORT


async def test_axe_finds_nothing_on_the_pages_of_the_operator(store, browser):
    """The status with alarms and endpoints, and the reference of the interface: an operation open, all others closed."""
    async with serving(store, client_per_second=0, public_per_second=0, public_metrics=True) as server:
        app = create_app(replace(server.services, status=reported))
        async with listening(app, bind_socket("127.0.0.1", 0), log_level="critical") as root:
            page = await browser.new_page()
            faults = {}
            for path in ("/status", "/docs"):
                await page.emulate_media(color_scheme="light", reduced_motion="reduce")
                await page.goto(f"{root}{path}")
                if path == "/docs":
                    await page.locator(".opblock button").first.click(timeout=30_000)
                    await page.locator(".responses-wrapper").first.wait_for(timeout=30_000)
                    assert await page.locator(".opblock:not(.is-open)").count() > 1
                for scheme in ("light", "dark"):
                    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    faults[scheme, path] = await violations(page)

    assert {name: found for name, found in faults.items() if found} == {}
