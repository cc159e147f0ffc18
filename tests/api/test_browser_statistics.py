"""Statistics by a real browser: what a page and a frame report, and what a browser that objects does not."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from time import monotonic

import pytest
from playwright.async_api import async_playwright
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from providers.http_server import bind_socket, listening
from tests.api.conftest import serving
from tests.kit import matchday
from tests.kit.browser import ARGUMENTS, CHROMIUM, needed
from tests.kit.statistics import BROWSER, Site

pytestmark = [needed, pytest.mark.proof]

OBJECTS = "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})"
POSTS = [matchday.event(f"e{number:03}", matchday.KICK_OFF + number) for number in range(70)]


def article(service):
    """A page of another site with a frame of the liveblog and its element."""
    parts = (
        "<!doctype html><title>News</title><link rel=icon href=data:,>",
        f"<iframe src='{service}/embed/gderby'></iframe>",
        "<matchwire-liveblog liveblog-id=gderby></matchwire-liveblog>",
        f"<script type=module src='{service}/static/embed.js'></script>",
    )
    page = HTMLResponse("".join(parts))
    return Starlette(routes=[Route("/today", lambda _: page)])


async def until(site, loads, views=0):
    """Wait for so many loads and clicks, and views that have ended; the numbers that are read then."""
    ends = monotonic() + 30
    while True:
        await site.writer.flush()
        metrics = (await site.read("overview.json"))["visitorMetrics"]
        if (metrics["tickerLoads"] >= loads and metrics["samplesForRetention"] >= views) or monotonic() > ends:
            return metrics
        await asyncio.sleep(0.05)


async def test_a_page_and_a_frame_report_what_their_reader_does(store, tmp_path):
    """Load, click on load more and visible time; frame and element report the page around them; no cookie; who objects, nothing."""
    async with AsyncExitStack() as cleanup:
        server = await cleanup.enter_async_context(
            serving(
                store,
                client_per_second=0,
                public_per_second=0,
                public_feeds=True,
                counted={matchday.ORGANIZATION: True},
            )
        )
        await server.add(replace(matchday.derby(), events=tuple(POSTS)))
        site = Site(server, tmp_path / "statistics")
        await store.write(site.begin)

        async def opened(app):
            listener = bind_socket("127.0.0.1", 0)
            await cleanup.enter_async_context(
                listening(app, listener, timeout_graceful_shutdown=1, log_level="critical")
            )
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        address = await opened(site.app)
        news = await opened(article(address))
        playwright = await cleanup.enter_async_context(async_playwright())
        # A context's user agent does not hold for what is sent when its page has gone.
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, f"--user-agent={BROWSER}"]
        )
        cleanup.push_async_callback(browser.close)
        context, objecting = [await browser.new_context(user_agent=BROWSER) for _ in range(2)]
        await objecting.add_init_script(OBJECTS)
        page, frame, quiet = await context.new_page(), await context.new_page(), await objecting.new_page()
        complaints = []
        for each in (page, frame, quiet):
            each.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
            each.on("pageerror", lambda error: complaints.append(str(error)))

        await page.goto(f"{address}/liveblogs/gderby?utm=1#e069")
        assert (await until(site, 1))["tickerLoads"] == 1
        await page.locator("a.more").click()
        assert (await until(site, 2))["tickerLoads"] == 2
        await quiet.goto(f"{address}/liveblogs/gderby")
        await quiet.locator("#e069").wait_for()
        await frame.goto(f"{news}/today?kim=1")
        assert (await until(site, 4))["tickerLoads"] == 4
        for each in (page, frame, quiet):
            await each.goto("about:blank")
        metrics = await until(site, 4, views=3)

        assert {name: metrics[name] for name in ("tickerLoads", "totalUniques", "samplesForRetention")} == {
            "tickerLoads": 4, "totalUniques": 1, "samplesForRetention": 3,
        }  # fmt: skip
        assert 0 < metrics["avgRetentionMS"] < 60_000
        places = {
            each["normalizedUrl"]: each["visitorMetrics"]["tickerLoads"] for each in await site.read("all/origins.json")
        }
        assert places == {address: 2, news: 2}
        assert [each["normalizedUrl"] for each in await site.read(f"all/origin/{address}/locations.json")] == [
            f"{address}/liveblogs/gderby"
        ]
        assert await context.cookies() == []
        assert complaints == []
        await site.writer.stop()
