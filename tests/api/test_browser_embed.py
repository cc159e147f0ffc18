"""Liveblogs in a page of another origin, in a real browser: live, complete, under a strict policy, without a script too."""

from __future__ import annotations

import asyncio
import time

import pytest
from playwright.async_api import async_playwright

from providers.http_server import bound, listening
from tests.api import matchday
from tests.api.embedding import OtherSite, Service, example
from tests.api.showing import file, showing
from tests.api.test_browser import CHROMIUM, browser, pytestmark
from tests.api.writing import post, text

__all__ = ["browser", "pytestmark"]

SOON = 30_000
"""Milliseconds in which something must be seen, on a machine that does other things too."""
OTHER = "6b" * 12
PHOTO = file("mphoto", "https://img.example.org/derby.jpg", width=2000, height=1250)
SHOWN = "element => [...element.shadowRoot.querySelectorAll('.post')].map(post => post.id)"
STYLE = "element => getComputedStyle(element.shadowRoot.querySelector('.board')).backgroundImage"


@pytest.fixture
async def service(public):
    await public.add(matchday.derby())
    posts = [matchday.event(f"e{n:02}", matchday.KICK_OFF + 60 + n * 60) for n in range(7)]
    other = matchday.Liveblog("gother", OTHER, document=matchday.document(), events=(*posts, showing("ephoto", PHOTO)))
    await public.add(other)
    service = Service(public)
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def site(service):
    """The other site; its `address` is another origin."""
    site = OtherSite(service)
    async with listening(site, bound("127.0.0.1", 0), log_level="critical") as address:
        site.address = address
        yield site


class Article:
    """An open page of the other site, what it requested, and what it complained about."""

    def __init__(self, page):
        self.page, self.requested, self.complaints = page, [], []
        page.on("request", lambda request: self.requested.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    async def open(self, address, streams=1):
        await self.page.goto(address)
        for _ in range(300):
            if sum("/embed/v4/stream?" in url for url in self.requested) >= streams:
                return self
            await asyncio.sleep(0.1)
        raise AssertionError(self.complaints, self.requested)

    def embed(self, name="gderby"):
        return self.page.locator(f"matchwire-liveblog[liveblog-id={name}]")

    async def shows(self, name, words="", liveblog="gderby"):
        await self.embed(liveblog).locator(f"#{name}").filter(has_text=words).wait_for(timeout=SOON)

    async def ids(self, liveblog="gderby"):
        return await self.embed(liveblog).evaluate(SHOWN)


async def test_the_documented_page_is_live_under_a_strict_policy(service, site, browser):
    """Two liveblogs on a page of another origin follow theirs: new posts within a second, corrections, withdrawals, older posts.

    Nothing is requested of anybody but the two sites, and the policy has nothing to complain about.
    """
    site.pages["/article"] = example(service.address)
    article = await Article(await browser.new_page()).open(f"{site.address}/article", streams=2)
    await article.shows("egoal")
    assert await article.ids() == list(reversed(matchday.PUBLIC))
    assert "gradient" in await article.embed().evaluate(STYLE)

    waited = []
    for name in ("enew1", "enew2", "enew3"):
        began = time.monotonic()
        await service.desk.create(post("Level again!", local_id=name))
        await article.shows(name, "Level again!")
        waited.append(time.monotonic() - began)
    assert min(waited) < 1
    await service.desk.update("enew1", {"contents": [text("Level at last!")]})
    await article.shows("enew1", "Level at last!")
    await service.desk.update("egoal", {"local_status": 60})
    await article.embed().locator("#egoal").wait_for(state="detached", timeout=SOON)
    await article.embed().locator(".moments a").first.click()
    jumped = await article.page.evaluate("document.activeElement.shadowRoot.activeElement.id")
    assert (jumped, article.page.url) == ("ewinner", f"{site.address}/article")

    other = article.embed("gother")
    assert await article.ids("gother") == ["e06", "e05"]
    for shown in (4, 6, 8):
        await other.locator("a.more").click()
        await other.locator(f".post:nth-child({shown})").wait_for(timeout=SOON)
    assert await article.ids("gother") == [f"e0{n}" for n in reversed(range(7))] + ["ephoto"]
    assert await other.locator("a.more").count() == 0
    assert await article.page.evaluate("document.activeElement.shadowRoot.activeElement.id") == "e00"
    images = await other.locator("#ephoto img").evaluate_all("all => all.map(each => each.currentSrc || each.src)")
    assert images[0].startswith(f"{service.address}/media/")

    assert {url for url in article.requested if not url.startswith((service.address, site.address))} == set()
    policy = [said for said in article.complaints if "404" not in said and "media" not in said]
    assert policy == []


async def test_an_embed_loses_nothing_while_the_server_is_away(service, site, browser):
    """What happened in between is there when it is back; no post stands there twice."""
    site.pages["/article"] = example(service.address)
    article = await Article(await browser.new_page()).open(f"{site.address}/article", streams=2)
    await service.stop()
    third = {"score": matchday.pair(3, 1), "words": "While you were away"}
    await service.change(matchday.goal("eaway", matchday.KICK_OFF + 5000, "80'", matchday.HOME, **third))
    await service.start()

    await article.shows("eaway", "While you were away")
    assert sorted(await article.ids()) == sorted([*matchday.PUBLIC, "eaway"])


async def test_a_prefetched_liveblog_needs_no_script_and_is_taken_over_by_one(service, site, tmp_path, browser):
    """An article that holds the prefetched HTML shows the same without a script; with one it is live and loads nothing twice."""
    html = (await service.http.get("/api/embed/v4/prefetch/liveblog.json", params={"liveblogId": "gderby"})).json()[
        "html"
    ]
    script = f'<script type="module" src="{service.address}/static/embed.js"></script>'
    site.pages["/plain"] = f"<!doctype html><title>Derby</title>{html}"
    site.pages["/live"] = f"<!doctype html><title>Derby</title>{html}{script}"

    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        plain = await (await chromium.new_context(java_script_enabled=False)).new_page()
        await plain.goto(f"{site.address}/plain")
        board = plain.locator(".board")
        assert await board.is_visible()
        assert (await board.bounding_box())["height"] > 100, "styled"
        assert await plain.locator(".post").count() == len(matchday.PUBLIC)
        await chromium.close()

    article = await Article(await browser.new_page()).open(f"{site.address}/live")
    await service.desk.create(post("Level again!", local_id="enew"))
    await article.shows("enew", "Level again!")
    assert [url for url in article.requested if "fragment=1" in url and "refresh" not in url] == []
    assert article.complaints == []
