"""Five hundred posts at the desk: every filter and page of them, a small page, and a list that stays where it is read."""

import html
import re
from urllib.parse import urljoin

import pytest

from api.desk.cookies import SESSION
from store.engine.liveblog_records import Change, EventWrite
from store.liveblogs import liveblogs
from tests.api.desk.conftest import BOTH_DATABASES
from tests.kit.browser import needed
from tests.kit.event_desk import post, text
from tests.kit.liveblog_page import PATH, TICKER, at_desk, follow_match, row, writing
from tests.kit.matchday import KICK_OFF
from tests.kit.people import signed_in

MANY = 500
PAGE = 30
FILTERED = 320
"""So many that every filter but that of the scheduled has a second page."""
MOST_BYTES, MOST_ELEMENTS = 200_000, 4_000
TOP = "each => each.getBoundingClientRect().top"
BOXES = "all => all.map((each) => each.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
NAMES = "all => all.map((each) => each.dataset.post)"
WITHOUT_HELP = "document.documentElement.style.overflowAnchor = 'none'"
"""As in a browser that does not itself keep what is read in its place."""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def is_draft(number):
    return number % 10 == 3


def is_scheduled(number):
    return number % 50 == 7


def is_mine(number):
    return number % 8 == 1


def is_corrected(number):
    return number % 9 == 4


def written(number, account):
    document = {"_type": "Svc::Model::Event", "headline": "", "highlight": "",
                "contents": [{**text(f"<p>Post number {number}.</p>"), "local_id": f"b{number}"}]}  # fmt: skip
    if is_corrected(number):
        document["editor"] = "desk"
    return EventWrite(
        local_id=f"e{number:03}",
        document=document,
        created_at=KICK_OFF + number * 5,
        updated_at=KICK_OFF + number * 5,
        local_status=60 if is_draft(number) else 0,
        publish_at=1_999_999_999 if is_scheduled(number) else None,
        user_id=account.id if is_mine(number) else "desk",
    )


async def fill(desk, count=MANY):
    """That many posts beside those of the derby."""
    posts = [written(number, desk.account) for number in range(count)]
    shown = [each for each in posts if each.publish_at is None]

    def keep(unit):
        liveblogs.record(unit, game_id=TICKER, change=Change(events=tuple(shown)))
        game = liveblogs.require_game(unit.conn, TICKER)
        for each in posts:
            if each.publish_at is not None:
                liveblogs.schedule(unit, game, each, known={})

    await desk.store.write(keep)


async def names(page):
    return await page.locator(".row").evaluate_all(NAMES)


async def pages(desk, query):
    """The posts of all pages, one after the other, each reached by the link of the one before; and the filter that is marked."""
    editor = await signed_in(desk, desk.account)
    editor.name, path, found = SESSION, f"{PATH}{query}", []
    while True:
        served = (await editor.send("GET", path)).text
        here = re.findall(r'<li class="row [^"]*" data-post="([^"]+)"', served)
        assert len(here) <= PAGE
        found += here
        older = re.search(r'<a [^>]*href="([^"]+)"[^>]*>Older posts<', served)
        if older is None:
            return found, re.findall(r'aria-current="true">([^<]+)<', served)
        path = urljoin(path, html.unescape(older[1]))


@BOTH_DATABASES
async def test_every_filter_shows_all_of_its_posts_page_by_page(desk):
    """The newest first, none twice and none left out, and what it is for."""
    await fill(desk, FILTERED)
    await follow_match(desk)
    numbers = {f"e{number:03}": number for number in range(FILTERED)}
    for query, link, belongs in (
        ("", "All", lambda _: True),
        ("?show=drafts", "Drafts", lambda number: is_draft(number) and not is_scheduled(number)),
        ("?show=scheduled", "Scheduled", is_scheduled),
        ("?show=mine", "Mine", is_mine),
        ("?show=changed", "Withdrawn or corrected", is_corrected),
    ):
        found, marked = await pages(desk, query)
        assert len(set(found)) == len(found)
        expected = [name for name, number in numbers.items() if belongs(number)]
        assert [each for each in found if each in numbers] == sorted(expected, reverse=True), link
        assert (len(found) > PAGE) == (link != "Scheduled"), link
        assert ("ecard9" in found) == (link not in {"Mine", "Scheduled"}), link
        assert link in marked


@needed
@pytest.mark.proof
async def test_new_posts_do_not_move_what_somebody_reads(desk, browser):
    """Down to the last post of the page, which stays although others push it off; the focus stays on its button."""
    await fill(desk)
    page = await at_desk(desk, browser)
    await page.evaluate(WITHOUT_HELP)
    last = (await names(page))[-1]
    edit = row(page, last).get_by_role("button", name="Edit")
    await edit.scroll_into_view_if_needed()
    await page.evaluate(SETTLED)
    before = await row(page, last).evaluate(TOP)
    for number in range(12):
        await desk.desk.create(post(f"News {number}", local_id=f"enews{number}"))
    await row(page, "enews11").wait_for(state="attached")
    await page.evaluate(SETTLED)
    assert abs(await row(page, last).evaluate(TOP) - before) < 2

    await edit.focus()
    before = await row(page, last).evaluate(TOP)
    for number in range(12, 20):
        await desk.desk.create(post(f"News {number}", local_id=f"enews{number}"))
    await row(page, "enews19").wait_for(state="attached")
    await page.evaluate(SETTLED)
    assert abs(await row(page, last).evaluate(TOP) - before) < 2
    assert await edit.evaluate("each => each === document.activeElement")

    await page.evaluate("document.activeElement.blur(); scrollTo({ top: 0, behavior: 'instant' })")
    await desk.desk.create(post("On top", local_id="etop"))
    await row(page, "etop").wait_for()
    assert await page.evaluate("scrollY") == 0
    assert len(await names(page)) == PAGE


@needed
@pytest.mark.proof
async def test_new_posts_do_not_move_what_somebody_writes(desk, browser):
    """The form stays where it is on the screen, and the cursor in it, while the match above changes too."""
    await fill(desk, 60)
    page = await at_desk(desk, browser)
    await page.evaluate(WITHOUT_HELP)
    await page.keyboard.press("c")
    await writing(page)
    await page.keyboard.type("Half a sen")
    await page.evaluate(SETTLED)
    before = await page.locator("#text").evaluate(TOP)
    await desk.desk.create(post("News", local_id="enews"))
    await desk.http.post(
        "/api/v5/write/ticker/post_modifications.json", auth=desk.desk.auth,
        json={"local_id": "gderby", "modifications": [{
            "_type": "Svc::Model::Modification::UpdateGameScoreInfoModification",
            "score_info": {"home_score": 11, "away_score": 10}}]},
    )  # fmt: skip
    await row(page, "enews").wait_for(state="attached")
    await page.locator("#match").filter(has_text="11-10").wait_for(state="attached")
    await page.evaluate(SETTLED)
    assert abs(await page.locator("#text").evaluate(TOP) - before) < 2
    await page.keyboard.type("tence")
    assert await page.locator("#text").inner_text() == "Half a sentence"


@needed
@pytest.mark.proof
async def test_the_first_screen_has_the_composer_and_the_posts_as_tall_as_their_words(desk, browser):
    """Pixels of the composer at rest and of a post of one sentence, whole posts in sight; actions in sight on a phone."""
    await fill(desk, 60)
    page = await at_desk(desk, browser)
    for (width, height), composer, sentence, whole in (((1280, 800), 110, 44, 9), ((390, 844), 124, 64, 5)):
        await page.set_viewport_size({"width": width, "height": height})
        boxes = await page.locator('.row.is-published[data-post^="e0"]').evaluate_all(BOXES)
        seen = await page.locator("#form").evaluate("(each) => each.getBoundingClientRect().toJSON()")
        below = seen["top"] if width == 390 else height
        assert seen["height"] <= composer
        assert max(bottom - top for top, bottom in boxes) <= sentence
        assert len([each for each in await page.locator(".row").evaluate_all(BOXES) if each[1] <= below]) >= whole
        assert await page.locator(".row .dots").first.is_visible() == (width == 390)
    await page.locator(".row.is-published .dots").first.click()
    assert await page.locator(".row.open [data-action=withdraw]").is_visible()
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.keyboard.press("j")
    assert await page.evaluate("getComputedStyle(document.activeElement.querySelector('.acts')).opacity") == "1"
