"""An open page puts posts where they belong when they are pinned and unpinned, without a reload, and as a new page has them."""

from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.event_desk import post
from tests.kit.live_page import SEEN, SOON, Page, page, site
from tests.kit.showing import LONG_AGO, fill

__all__ = ["page", "site"]
pytestmark = needed


async def opened(site, browser, query=""):
    page = Page(await browser.new_page(), site.address)
    page.address += query
    return await page.open()


async def as_served(site, browsers, query=""):
    """The ids of the posts on a page without JavaScript."""
    plain = await (await browsers.new_context(java_script_enabled=False)).new_page()
    await plain.goto(f"{site.address}/liveblogs/gderby{query}")
    return await plain.eval_on_selector_all(SEEN, "all => all.map(each => each.id)")


async def pinned(shown, name):
    await shown.page.locator(f"#{name}.pinned .pin").filter(has_text="Pinned").wait_for(timeout=SOON)


async def test_a_post_of_long_ago_comes_to_the_top_and_goes_again(site, browser, browsers):
    """Also one that the page has not loaded; nothing but the changes is requested, and a page without JavaScript is the same."""
    await site.desk.create(post(local_id="eold", created_at=LONG_AGO))
    await fill(site.server)
    shown = await opened(site, browser)
    assert "eold" not in await shown.ids()
    await site.desk.update("eold", {"highlight": "sticky"})
    await pinned(shown, "eold")
    assert (await shown.ids())[:2] == ["eold", "emany039"]
    assert await shown.ids() == await as_served(site, browsers)

    await site.desk.create(post("Of now", local_id="enew", created_at=matchday.KICK_OFF + 9500))
    await shown.shows("enew")
    assert (await shown.ids())[:2] == ["eold", "enew"]
    await site.desk.update("eold", {"highlight": ""})
    await shown.forgets("eold")
    assert "Withdrawn" not in await shown.page.locator(".announcer").inner_text()
    await shown.page.locator("a.more").click()
    await shown.shows("eold")
    assert (await shown.ids())[-1] == "eold"
    assert shown.complaints == []
