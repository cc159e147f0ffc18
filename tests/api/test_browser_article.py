"""Articles that were written for another service, in a real browser: its element, its attributes, the path of its script."""

import asyncio

import pytest

from config.organizations import ThemeConfig
from providers.http_server import bind_socket, listening
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.embedding import OtherSite, Service
from tests.kit.event_desk import post

pytestmark = [needed, pytest.mark.proof]

SOON = 30_000
PREFETCH = "/api/embed/v4/prefetch/liveblog.json"
CLASSIC = """src => {
  const script = document.createElement("script");
  Object.assign(script, { src, async: true });
  document.body.appendChild(script);
}"""
"""A plug-in puts the script into its page as one that is no module."""
PUT = """html => { document.querySelector("main").innerHTML = html; }"""
"""As frameworks do that render on the client: templates within stay what they are, scripts do not run."""


@pytest.fixture
async def service(public):
    await public.add(matchday.derby())
    service = Service(
        public,
        element_names=("other-liveblog",),
        script_paths=("/other/embedjs/ob4.js",),
        themes={
            "goals": ThemeConfig(event_types=("soccer.goal",), labels={"soccer.goal": "TOR"}),
            "oldest": ThemeConfig(sort="asc"),
        },
    )
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def page(service, browser):
    """A page of another site, empty but for what a test puts into it."""
    site = OtherSite(service)
    site.pages["/article"] = "<!doctype html><title>Derby</title><h1>Derby</h1><main></main>"
    async with listening(site, bind_socket("127.0.0.1", 0), log_level="critical") as address:
        page = await browser.new_page()
        await page.set_viewport_size({"width": 390, "height": 844})
        page.complaints, page.requested = [], []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: page.requested.append(request.url))
        await page.goto(f"{address}/article")
        yield page


async def html_of(service, **query):
    response = await service.http.get(PREFETCH, params={"liveblogId": "gderby", **query})
    assert response.status_code == 200
    return response.json()["html"]


async def streams(page):
    for _ in range(300):
        if any("/embed/v4/stream?" in url for url in page.requested):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(page.complaints, page.requested)


async def size(locator):
    return await locator.bounding_box()


@pytest.mark.parametrize("theme", ["", "nobody-declared-it", "goals"])
async def test_what_a_script_puts_into_an_article_shows_without_ours(service, page, theme):
    """As high as it is, styled, icons as small as they are; nothing of the article itself looks other than before."""
    heading = await page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize")
    await page.evaluate(PUT, await html_of(service, themeId=theme))
    await page.locator(".post").first.wait_for(timeout=SOON)
    await page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.board')).backgroundImage.includes('gradient')", timeout=SOON
    )

    assert (await size(page.locator("matchwire-liveblog")))["height"] > 300
    icons = await page.locator("svg.icon").evaluate_all("all => all.map(each => each.getBoundingClientRect().width)")
    assert icons
    assert max(icons) <= 24
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    assert await page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == heading
    assert page.complaints == []


@pytest.mark.parametrize("theme", ["", "nobody-declared-it"])
async def test_the_script_of_a_plug_in_makes_it_live(service, page, theme):
    """At a path of the operator's, loaded as no module: the posts stay where they are, and new ones come."""
    await page.evaluate(PUT, await html_of(service, themeId=theme))
    before = await page.locator(".post").evaluate_all("all => all.map(each => each.id)")
    await page.evaluate(CLASSIC, f"{service.address}/other/embedjs/ob4.js")
    await streams(page)
    await service.desk.create(post("Level again!", local_id="enew"))
    await page.locator("#enew").filter(has_text="Level again!").wait_for(timeout=SOON)

    assert await page.locator(".post").evaluate_all("all => all.map(each => each.id)") == ["enew", *before]
    assert await page.evaluate("document.querySelector('matchwire-liveblog').shadowRoot !== null")
    assert [url for url in page.requested if "fragment=1" in url and "refresh" not in url] == []
    assert page.complaints == []


@pytest.mark.parametrize(
    "attributes",
    ['liveblogId="gderby" themeId="5f0c1de2" clientId="desk"', 'liveblog-id="gderby"', 'liveblogid="gderby"'],
)
async def test_the_element_of_another_name_in_both_spellings(service, page, attributes):
    """As articles of another service write it, also with a slip of the pen in its tag."""
    await page.evaluate(PUT, f"<other-liveblog \n {attributes} \n </other-liveblog>")
    await page.evaluate(CLASSIC, f"{service.address}/other/embedjs/ob4.js")
    await page.locator("other-liveblog #egoal").wait_for(timeout=SOON)
    await streams(page)
    await service.desk.create(post("Level again!", local_id="enew"))
    await page.locator("other-liveblog #enew").wait_for(timeout=SOON)

    assert page.complaints == []
