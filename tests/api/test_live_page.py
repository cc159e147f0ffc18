"""An open page in a real browser keeps up with its liveblog: by the stream, without it, and after the server was away."""

import asyncio
from itertools import pairwise

import pytest

from store.engine.liveblog_records import EventWrite
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.event_desk import post
from tests.kit.live_page import SEEN, SOON, TOP, Page, page, site, words

__all__ = ["page", "site"]

pytestmark = needed

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


ANNOUNCED = """() => {
  window.announced = [];
  const announcer = document.querySelector(".announcer");
  const text = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
  Object.defineProperty(announcer, "textContent", { set(words) {
    announced.push({ at: performance.now(), words });
    text.set.call(this, words);
  }, get: text.get });
}"""


@pytest.mark.proof
async def test_every_change_is_seen_without_a_reload(site, page):
    """A new post, a correction, a withdrawal, its return, a deletion, the score: all by the stream, nothing reloaded.

    What is new, corrected and withdrawn is announced to those who listen, in pauses of five seconds; the list is no live region.
    """
    await page.page.evaluate(ANNOUNCED)
    await page.page.evaluate("window.untouched = true")
    before = len(page.polls())

    await site.desk.create(post("Level again!", local_id="enew"))
    await page.shows("enew", "Level again!")
    assert "fresh" in await page.post("enew").get_attribute("class")
    await site.desk.update("enew", words("Level at last!"))
    await page.shows("enew", "Level at last!")
    await site.desk.update("enew", {"local_status": 60})
    await page.forgets("enew")
    await site.desk.update("enew", {"local_status": 0})
    await page.shows("enew")
    await site.desk.delete("enew")
    await page.forgets("enew")
    board = {**matchday.document()["scoreboard"], "score": matchday.pair(7, 6)}
    await site.change(game=matchday.document(scoreboard=board))
    await page.page.locator(".board .score").filter(has_text="7").wait_for(timeout=SOON)

    async with asyncio.timeout(30):
        while "7" not in await page.page.evaluate("announced.at(-1).words"):
            await asyncio.sleep(0.2)
    (began, first), *later = [tuple(each.values()) for each in await page.page.evaluate("announced")]
    assert first == "Level again!"
    said = " ".join(each for _, each in later)
    for each in (
        "Corrected: Level at last!",
        "Withdrawn: Level at last!",
        "\u2068SV Hafenstadt\u2069 7, \u2068Alpenverein Bergheim\u2069 6",
    ):
        assert each in said
    assert all(after - before >= 4900 for before, after in pairwise([began, *(at for at, _ in later)]))
    assert await page.page.locator("[aria-live], [role=log]").count() == 0
    assert await page.ids() == list(reversed(matchday.PUBLIC))
    assert await page.page.evaluate("window.untouched")
    assert len(page.polls()) == before
    assert page.complaints == []


async def test_whoever_reads_further_down_keeps_the_place(site, page):
    """What is added, changed and removed above moves neither line nor focus; a button leads to the new posts."""
    await page.page.set_viewport_size({"width": 800, "height": 500})
    await page.page.evaluate("document.getElementById('eyellow').scrollIntoView({block: 'start'})")
    await page.page.locator("#eyellow a.link").focus()
    before = await page.page.evaluate(TOP, "eyellow")
    news = page.page.locator(".news")
    assert not await news.is_visible()
    assert await page.page.evaluate("scrollY") > 300
    for number in range(3):
        await site.desk.create(post("A long story. " * 40, local_id=f"enew{number}"))
    await site.desk.delete("ered")
    await site.desk.update("eyellow", {"headline": "Booked", "highlight": "milestone"})
    await page.shows("enew2")
    await page.forgets("ered")
    await page.shows("eyellow", "Booked")

    assert abs(await page.page.evaluate(TOP, "eyellow") - before) < 2
    assert await page.page.evaluate("document.activeElement.closest('.post').id") == "eyellow"
    assert await news.inner_text() == "3 new posts"
    await site.desk.delete("enew0")
    await page.forgets("enew0")
    await news.focus()
    await page.page.keyboard.press("Enter")
    assert await page.page.evaluate("document.activeElement.id") == "enew2"
    assert -1 < await page.page.evaluate(TOP, "enew2") < 500
    assert not await news.is_visible()
    await site.desk.delete("enew2")
    await page.forgets("enew2")
    assert await page.page.evaluate("document.activeElement.id") == "enew1"


async def test_a_permalink_shows_its_post_and_counts_newer_ones(site, page):
    """Also one of before, without a parameter; a filter shows its kind alone, also of what comes."""
    shown = page.page
    page.address = f"{site.address}/liveblogs/gderby?limit=3#egoal"
    await page.open()
    await shown.wait_for_url("**/liveblogs/gderby?limit=3&post=egoal#egoal")
    assert await page.ids() == ["egoal", "ekick"]
    await asyncio.sleep(0.3)
    await site.desk.create(post("Of now", local_id="enew"))
    await shown.locator(".news").filter(has_text="1 new post").wait_for(timeout=SOON)
    assert await page.ids() == ["egoal", "ekick"]
    await shown.locator(".news").click()
    await shown.wait_for_url("**/liveblogs/gderby?limit=3")
    await page.shows("enew")  # the browser may have kept the page of a second ago, which hears of it then
    before = await page.ids()
    assert before[0] == "enew"
    await shown.locator("a.more").click()
    await shown.locator(SEEN).nth(len(before) + 2).wait_for(timeout=SOON)
    assert len(await page.ids()) == len(before) + 3
    assert await shown.evaluate("document.activeElement.id") == (await page.ids())[len(before)]

    await shown.get_by_role("link", name="Goals").click()
    await page.forgets("etext")
    assert await page.ids() == ["ewinner", "equal", "egoal"]
    await asyncio.sleep(0.3)
    await site.desk.update("egoal", {"headline": "First blood", "highlight": "milestone"})
    await site.desk.create(post("No goal", local_id="enogoal"))
    await page.shows("egoal", "First blood")
    await site.desk.delete("equal")
    await page.forgets("equal")
    assert await page.ids() == ["ewinner", "egoal"]
    assert page.complaints == []


@pytest.mark.proof
async def test_a_server_that_comes_back_is_found_again(site, page):
    """The page shows what it has missed, and hears the rest."""
    lost, minute = page.page.locator(".lost"), page.page.locator(".board .clock")
    await site.stop()
    requested = len(page.requested)
    await lost.wait_for(timeout=SOON)
    stands = await minute.inner_text()
    await page.page.evaluate("document.querySelector('.clock').dataset.started -= 600")
    await asyncio.sleep(1.5)
    assert len(page.requested) - requested <= 3  # it does not hammer
    assert await minute.inner_text() == stands  # nobody knows what happens meanwhile
    streams = len(page.streams())
    write = EventWrite.new(
        local_id="emissed", document=post("While you were away"), created_at=matchday.KICK_OFF + 9000
    )
    await site.change(write)
    await site.desk.delete("etext")
    await site.start()
    await page.shows("emissed", "While you were away", within=60_000)
    await page.forgets("etext")
    await lost.wait_for(state="hidden", timeout=SOON)
    async with asyncio.timeout(60):
        while len(page.streams()) == streams:
            await asyncio.sleep(0.05)
    requested = len(page.polls())
    await site.desk.create(post(local_id="elater2"))
    await page.shows("elater2")

    assert len(page.polls()) <= requested + 1


@pytest.mark.proof
async def test_without_a_stream_the_page_asks(site, browser):
    """Where streams do not get through, changes are seen all the same, a little later."""
    page = Page(await browser.new_page(), site.address)
    await page.page.route("**/api/embed/v4/stream?*", lambda route: route.abort())
    await page.open()
    await site.desk.create(post(local_id="enew"))
    await page.shows("enew", within=60_000)
    await site.desk.delete("enew")
    await page.forgets("enew", within=60_000)

    assert len(page.polls()) >= 3


@pytest.mark.proof
async def test_a_hidden_page_rests_and_catches_up(site, page):
    """It neither listens nor asks; once it is looked at again it shows what there is."""
    await page.page.evaluate(HIDE, True)
    requested = len(page.requested)
    await site.desk.create(post(local_id="enew"))
    await asyncio.sleep(1.5)
    assert "enew" not in await page.ids()
    assert len(page.requested) == requested
    await page.page.evaluate(HIDE, False)

    await page.shows("enew")


async def test_the_page_is_whole_without_a_script(site, browsers):
    """Every post, the score and the line-ups; nothing that waits for a script."""
    page = await (await browsers.new_context(java_script_enabled=False)).new_page()
    await page.goto(f"{site.address}/liveblogs/gderby")
    assert await page.locator(SEEN).count() == len(matchday.PUBLIC)
    assert "2" in await page.locator(".board .score").inner_text()
    assert await page.locator(".squad").count() == 2
