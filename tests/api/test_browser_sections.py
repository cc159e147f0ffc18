"""The bar of sections on a phone, the button to share, and the page on paper."""

import pytest

from mapping.locales import translator
from tests.kit import matchday
from tests.kit.browser import address, needed
from tests.kit.event_desk import Desk, post
from tests.kit.matchday import pair

__all__ = ["address"]
pytestmark = [needed, pytest.mark.proof]

PHONE = {"width": 390, "height": 844}
SEEN = """each => {
  const box = each.getBoundingClientRect(), bar = document.querySelector(".sections").getBoundingClientRect();
  return box.top >= bar.bottom - 1 && box.top < innerHeight;
}"""
SHARES = """() => {
  window.shared = [];
  Object.defineProperty(navigator, "share", { value: async (what) => { shared.push(what); }, configurable: true });
}"""
COPIES = """() => {
  window.copied = [];
  Object.defineProperty(navigator, "share", { value: undefined, configurable: true });
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } } });
}"""
CANNOT = """() => {
  for (const name of ["share", "clipboard"]) Object.defineProperty(navigator, name, { value: undefined });
}"""


def goal(at):
    """A post of the goal with that number."""
    play = matchday.incident("goal", "Goal", f"{at + 60}'", side=matchday.HOME, score=pair(at + 3, 1))
    play |= {"local_id": f"bg{at}"}
    return post(
        f"Goal number {at}. " * 20, local_id=f"eg{at}", created_at=matchday.KICK_OFF + 5000 + at, sport_event=play
    )


async def goals(public, count):
    """Many goals, so that the key moments fold and the page is long."""
    for at in range(count):
        await Desk(public.http).create(goal(at))


@pytest.mark.parametrize("scripted", [True, False])
async def test_line_ups_are_a_tap_away_on_a_phone(public, address, browsers, scripted):
    """The bar stays in sight with the score, also far down, and leads to each section below itself; without a script, too."""
    await public.add(matchday.derby())
    await goals(public, 12)
    context = await browsers.new_context(locale="en", viewport=PHONE, java_script_enabled=scripted)
    page = await context.new_page()
    await page.goto(f"{address}/liveblogs/gderby")
    await page.locator("#egoal").scroll_into_view_if_needed()
    bar = page.locator(".sections")

    assert (await bar.bounding_box())["y"] == 0
    assert "HAF" in await bar.inner_text()
    for name, target in (("Line-up", ".squads"), ("Key moments", ".moments"), ("Posts", ".stream")):
        await bar.get_by_role("link", name=name).click()
        assert await page.locator(target).evaluate(SEEN), name
        assert 0 <= (await bar.bounding_box())["y"] < 40


async def test_the_page_can_be_shared(public, address, browsers):
    """By the system where it can, else the address is copied and said so; nobody is offered what cannot be done."""
    await public.add(matchday.derby())
    wanted = f"{address}/liveblogs/gderby"
    found = {}
    for name, script in (("shares", SHARES), ("copies", COPIES), ("cannot", CANNOT)):
        page = await (await browsers.new_context(locale="en")).new_page()
        await page.add_init_script(f"({script})()")
        await page.goto(f"{wanted}?post=egoal#egoal")
        await page.locator(".sections").wait_for()
        found[name] = page
    await found["shares"].get_by_role("button", name="Share").click()
    await found["copies"].get_by_role("button", name="Share").click()
    await found["copies"].get_by_role("button", name="Link copied").wait_for()

    assert await found["shares"].evaluate("shared") == [
        {"title": "SV Hafenstadt – Alpenverein Bergheim", "url": wanted}
    ]
    assert await found["copies"].evaluate("copied") == [wanted]
    assert translator("en").text("Link copied") in await found["copies"].locator(".announcer").inner_text()
    assert not await found["cannot"].locator(".share-page").is_visible()


async def test_on_paper_there_is_all_to_read_and_nothing_to_click(public, address, browser):
    """Also in the dark: ink on white; what was folded is there."""
    await public.add(matchday.derby())
    await goals(public, 12)
    page = await browser.new_page()
    await page.goto(f"{address}/liveblogs/gderby")
    await page.emulate_media(media="print", color_scheme="dark")

    for name in (".sections", ".filters", ".bar", ".top", "a.more"):
        assert not await page.locator(name).first.is_visible() if await page.locator(name).count() else True, name
    assert await page.locator(".moments details li").last.evaluate(
        "each => each.checkVisibility() && each.offsetHeight > 0"
    )
    for name in (".board h1", ".board .name", ".body", ".squad li"):
        assert await page.locator(name).first.evaluate("each => getComputedStyle(each).color") == "rgb(0, 0, 0)", name
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert await page.locator(".board").evaluate("each => getComputedStyle(each).backgroundImage") == "none"
