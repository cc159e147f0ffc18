"""Liveblogs in a page of another origin, in a real browser: live, complete, under a strict policy, without a script too."""

import asyncio

import pytest

from providers.http_server import bind_socket, listening
from tests.kit import matchday
from tests.kit.browser import needed, violations
from tests.kit.embedding import OtherSite, Service, example
from tests.kit.event_desk import post, text
from tests.kit.showing import file, showing

pytestmark = needed

SOON = 30_000
"""Milliseconds in which something must be seen, on a machine that does other things too."""
OTHER = "6b" * 12
PHOTO = file("mphoto", "https://img.example.org/derby.jpg", width=2000, height=1250)
SHOWN = "element => [...element.shadowRoot.querySelectorAll('.post')].map(post => post.id)"
FORGED = """service => {
  const said = { data: { type: "matchwire-height", height: 9 } };
  dispatchEvent(new MessageEvent("message", { ...said, origin: "https://elsewhere.example", source: frames[0] }));
  dispatchEvent(new MessageEvent("message", { ...said, origin: service, source: window }));
}"""
"""Heights that nobody of the service has said."""
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
    async with listening(site, bind_socket("127.0.0.1", 0), log_level="critical") as address:
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

    def fragments(self):
        return [url for url in self.requested if "fragment=1" in url]

    async def ids(self, liveblog="gderby"):
        return await self.embed(liveblog).evaluate(SHOWN)


@pytest.mark.proof
async def test_the_documented_page_is_live_under_a_strict_policy(service, site, browser):
    """Two liveblogs on a page of another origin follow theirs: new posts by the stream, corrections, withdrawals, older posts.

    Nothing is requested of anybody but the two sites, and the policy has nothing to complain about.
    """
    site.pages["/article"] = example(service.address)
    article = await Article(await browser.new_page()).open(f"{site.address}/article", streams=2)
    await article.shows("egoal")
    assert await article.ids() == list(reversed(matchday.PUBLIC))
    assert "gradient" in await article.embed().evaluate(STYLE)

    loaded = article.fragments()
    for name in ("enew1", "enew2", "enew3"):
        await service.desk.create(post("Level again!", local_id=name))
        await article.shows(name, "Level again!")
    assert article.fragments() == loaded, "the stream brings them, and nothing is loaded again"
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
    assert (await violations(article.page)).keys() <= {"landmark-unique"}, "two liveblogs on a page have the same parts"


@pytest.mark.proof
async def test_a_prefetched_liveblog_needs_no_script_and_is_taken_over_by_one(service, site, browsers, browser):
    """An article that holds the prefetched HTML shows the same without a script; with one it is live and loads nothing twice."""
    html = (await service.http.get("/api/embed/v4/prefetch/liveblog.json", params={"liveblogId": "gderby"})).json()[
        "html"
    ]
    script = f'<script type="module" src="{service.address}/static/embed.js"></script>'
    site.pages["/plain"] = f"<!doctype html><title>Derby</title>{html}"
    site.pages["/live"] = f"<!doctype html><title>Derby</title>{html}{script}"

    plain = await (await browsers.new_context(java_script_enabled=False)).new_page()
    await plain.goto(f"{site.address}/plain")
    board = plain.locator(".board")
    assert await board.is_visible()
    assert (await board.bounding_box())["height"] > 100, "styled"
    assert await plain.locator(".post").count() == len(matchday.PUBLIC)

    article = await Article(await browser.new_page()).open(f"{site.address}/live")
    await service.desk.create(post("Level again!", local_id="enew"))
    await article.shows("enew", "Level again!")
    assert [url for url in article.requested if "fragment=1" in url and "refresh" not in url] == []
    assert article.complaints == []


async def test_a_frame_is_as_high_as_its_liveblog_and_the_snippets_show_it(service, site, browser):
    """The page of snippets is usable at 390 pixels; its frame works elsewhere, grows with the liveblog, and obeys nobody else."""
    article = Article(await browser.new_page())
    await article.page.set_viewport_size({"width": 390, "height": 844})
    await article.open(f"{service.address}/liveblogs/gderby/snippets")
    await article.shows("egoal")
    page = article.page
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    frame = page.frame_locator(".preview iframe")
    await page.locator(".preview iframe").scroll_into_view_if_needed()
    await frame.locator("#egoal").wait_for(timeout=SOON)
    buttons = await page.locator(".snippet button").evaluate_all("all => all.map(each => each.offsetHeight)")
    assert len(buttons) == 5
    assert min(buttons) >= 24
    await page.locator(".snippet button").nth(1).click()
    status = page.get_by_role("status")
    await status.filter(has_text="Cop").or_(status.filter(has_text="Selected")).wait_for(timeout=SOON)
    snippet = await page.locator(".snippet code").nth(1).text_content()
    assert article.complaints == []

    site.pages["/framed"] = (
        f"<!doctype html><title>Framed</title><h1>Derby</h1>{snippet}<iframe src='{service.address}/embed/gnone'></iframe>"
    )
    await page.goto(f"{site.address}/framed")
    outer, inner = page.locator("iframe").first, page.frame_locator("iframe >> nth=0")
    await inner.locator("#egoal").wait_for(timeout=SOON)
    fits = """() => {
      const frame = document.querySelector("iframe");
      return frame.style.height !== "" && frame.offsetHeight !== 800;
    }"""
    await page.wait_for_function(fits, timeout=SOON)
    before = (await outer.bounding_box())["height"]
    content = await inner.locator("html").evaluate("element => element.getBoundingClientRect().height")
    assert abs(before - content) < 2
    await service.desk.create(post("Level again! " * 80, local_id="elong"))
    await inner.locator("#elong").wait_for(timeout=SOON)
    higher = (
        "before => document.querySelector('iframe').offsetHeight > before + 100"  # a function: the page forbids eval
    )
    await page.wait_for_function(higher, arg=before, timeout=SOON)
    await page.evaluate(FORGED, service.address)
    await asyncio.sleep(0.3)
    assert (await outer.bounding_box())["height"] > before
    assert await page.locator("iframe").nth(1).evaluate("frame => frame.style.height") == ""
    assert [said for said in article.complaints if "404" not in said] == []
