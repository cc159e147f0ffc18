"""Matches and comments at the desk in a real browser: acted on without a reload, kept up to date, decided by keys."""

import time
from functools import partial

import pytest

from api.desk.cookies import SESSION
from mapping.documents.state import ENDED
from store.accounts import accounts, sessions
from store.alarms import alarms
from store.alarms.alarms import Observed
from store.comments import comments
from store.comments.comments import NewComment
from store.following import follow_rows
from tests.api.conftest import declared_database
from tests.api.desk.conftest import desk_on_a_port, note_complaints
from tests.kit import matchday
from tests.kit.browser import needed, violations
from tests.kit.followed import add_followed, draft, set_score
from tests.kit.opening import pool_settings, store_at
from tests.kit.people import EMAIL
from tests.kit.sqlite import copied_url

pytestmark = needed


@pytest.fixture
async def desk(tmp_path):
    """The service on a real port with matches in all kinds of trouble, and its address."""
    database = copied_url(tmp_path / "desk.db", declared_database)
    store = await store_at(database, clock=time.time, pool=pool_settings(timeout=60.0))
    async with desk_on_a_port(store) as (server, address, _):
        server.now = time.time()
        server.ticks = 0.0
        yield server, address
    await store.close()


async def fill(server):
    """Four matches: silent, with a draft, well, and to come."""
    now = int(server.now)
    state = {**matchday.document()["state_info"], "check_time": now - 1500, "recurrence": 1}
    live = matchday.document(state_info=state)
    silent = await add_followed(server, 1, document=live, title="SV Hafenstadt – AV Bergheim")
    posted = matchday.event("enow", now - 240, headline="A chance")
    await add_followed(server, 2, document=live, title="TuS Marschland – FC Deichtor", events=(draft("edraft"), posted))
    well = await add_followed(server, 3, document=live, title="1. FC Seeburg – Rot-Weiß Heidekamp")
    coming = matchday.document(state_info={**state, "gamestate": 0})
    terms = {"exclude_events": ["soccer.yellow-card"], "exclude_scoreboard": True}
    await add_followed(server, 4, document=coming, status="scheduled", title="Union Moorwerder – SC Fehn", terms=terms)
    server.answered.update({silent: now - 400.0, well: now - 2.0})
    lost = Observed("feed_silent", silent, "silent", {})
    await server.store.write(partial(alarms.record, observed=[lost], patience=1e9))


async def add_comments(server, count=3, **more):
    """Comments that wait, on a post of the first liveblog."""

    def write(unit):
        for number in range(count):
            new = NewComment(
                id=f"{number:024x}", organization_id=matchday.ORGANIZATION, game_id=f"{1:024x}", channel_id="enow",
                parent_id=None, reader_id=f"reader{number}", author_name=more.get("name", f"Reader {number}"),
                author_image=None, text=more.get("text", f"What a match, number {number}!"), status="pending",
            )  # fmt: skip
            comments.create(unit, new, duplicate_period=0)

    await server.store.write(write)


async def opened(server, address, browsers):
    """A page in the session of the editor, who reads English."""
    account = await server.store.read(lambda conn: accounts.find_by_email(conn, EMAIL))
    token = await server.store.write(partial(sessions.begin, account_id=account.id, browser="Firefox", lasts=90_000))
    context = await browsers.new_context(locale="en")
    await context.add_cookies([{"name": SESSION, "value": token, "url": address}])
    page = await context.new_page()
    note_complaints(page)
    page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
    return page


async def terms(server, number=1):
    found = await server.store.read(lambda conn: follow_rows.attachment(conn, f"{number:024x}"))
    return None if found is None else follow_rows.terms_of(found)


@pytest.mark.proof
async def test_a_liveblog_is_paused_and_goes_on_from_the_table(desk, browsers):
    """By one button, without loading the page; its line keeps the focus, and what changes elsewhere appears by itself."""
    server, address = desk
    await fill(server)
    page = await opened(server, address, browsers)
    await page.goto(f"{address}/desk")
    rows = page.locator(".match")
    assert await rows.count() == 4
    await rows.first.filter(has_text="No answer since").wait_for()
    assert (
        await page.get_by_role("link", name="SV Hafenstadt – AV Bergheim", exact=True).get_attribute("href")
        == "desk/liveblogs/gmatch1"
    )

    pause = page.get_by_role("button", name="Pause: SV Hafenstadt – AV Bergheim")
    await pause.focus()
    await page.keyboard.press("Enter")
    resume = page.get_by_role("button", name="Resume: SV Hafenstadt – AV Bergheim")
    await resume.wait_for()
    assert (await terms(server)).paused
    assert await resume.evaluate("each => each === document.activeElement")
    await set_score(server, 1, 5, 4)
    server.ticks += 10
    await rows.filter(has_text="5-4").wait_for(timeout=30_000)
    assert await resume.evaluate("each => each === document.activeElement"), "the focus stays where it was"
    await page.keyboard.press("Enter")
    await pause.wait_for()
    assert not (await terms(server)).paused
    assert page.complaints == []


async def test_comments_are_decided_by_keys(desk, browsers):
    """Next, approve, undo, reject, ban; the counts follow, and new ones appear by themselves."""
    server, address = desk
    await fill(server)
    await add_comments(server)
    page = await opened(server, address, browsers)
    await page.goto(f"{address}/desk")
    await page.get_by_role("link", name="Comments", exact=True).click()
    await page.wait_for_load_state("load")  # its scripts hear keys from then on
    rows = page.locator(".queue > li")
    assert await rows.count() == 3
    waiting = page.get_by_role("link", name="Waiting")
    await page.keyboard.press("j")
    assert await rows.nth(0).evaluate("each => each === document.activeElement")
    await page.keyboard.press("j")
    assert await rows.nth(1).evaluate("each => each === document.activeElement")
    await page.keyboard.press("k")
    await page.keyboard.press("a")
    await page.get_by_text("Approved.", exact=True).wait_for()
    await waiting.filter(has_text="2").wait_for()
    assert await rows.nth(0).evaluate("each => each === document.activeElement"), "the next one has the focus"
    await page.keyboard.press("z")
    await page.get_by_text("Undone.", exact=True).wait_for()
    await waiting.filter(has_text="3").wait_for()
    await page.keyboard.press("r")
    await page.get_by_text("Rejected.", exact=True).wait_for()
    await waiting.filter(has_text="2").wait_for()
    await page.keyboard.press("b")
    await page.get_by_text("The reader is banned.", exact=True).wait_for()
    await waiting.filter(has_text="1").wait_for()
    await page.keyboard.press("z")
    await waiting.filter(has_text="2").wait_for()
    await page.get_by_role("link", name="Rejected").click()
    await rows.first.get_by_role("button", name="Approve").click()
    await page.get_by_text("There are no such comments.").wait_for()
    found = await server.store.read(lambda conn: [each.status for each in _all(conn)])
    assert sorted(found) == ["approved", "pending", "pending"]
    assert page.complaints == []


def _all(conn):
    query = {"status": None, "game_id": None, "channel_id": None, "limit": 100, "after": None}
    return comments.list_comments(conn, matchday.ORGANIZATION, **query).comments


MANY = {"live": 20, "scheduled": 13, "finished": 13}
"""Matches of a Saturday, by their states."""
SCREENS = {1280: (800, 40, 2), 390: (844, 52, 4)}
"""Width → height of a screen, height of a line, and screens that all of them may take."""


@pytest.mark.proof
async def test_a_saturday_is_seen_at_a_glance_and_worked_through_by_keys(desk, browsers):
    """A line each, two screens of a desk and four of a phone; filtered while typing, chosen and held by keys alone."""
    server, address = desk
    now, number = int(server.now), 0
    state = {**matchday.document()["state_info"], "check_time": now - 1500, "recurrence": 1}
    for status, count in MANY.items():
        for _ in range(count):
            number += 1
            posted = (
                matchday.event(f"e{number}", now - 60, headline="A long shot, just wide of the far post"),
                draft(f"d{number}"),
            )
            shown = matchday.document(state_info={**state, "gamestate": {"live": 1, "scheduled": 0}.get(status, ENDED)})
            await add_followed(server, number, status=status, document=shown, events=posted)
    page = await opened(server, address, browsers)
    await page.goto(f"{address}/desk")
    for width, (height, line, screens) in SCREENS.items():
        await page.set_viewport_size({"width": width, "height": height})
        heights = await page.evaluate(
            "[...document.querySelectorAll('.match')].map((each) => each.getBoundingClientRect().height)"
        )
        assert set(heights) == {line}
        assert len(heights) == number
        assert await page.evaluate("document.documentElement.scrollHeight") <= screens * height
        assert await violations(page) == {}
    await page.set_viewport_size({"width": 1280, "height": 800})

    await page.keyboard.press("?")
    await page.locator("dialog[open]").wait_for()
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await page.keyboard.type("home 46")
    await page.locator("#count", has_text="1 match").wait_for(state="attached")
    await page.keyboard.press("Escape")
    await page.locator("#count", has_text="46 matches").wait_for(state="attached")
    await page.locator("h1").click()
    for key in "jxjjkx":
        await page.keyboard.press(key)
    await page.locator("#chosen", has_text="2 chosen").wait_for()
    await set_score(server, 1, 5, 4)
    server.ticks += 10
    await page.locator(".match", has_text="5-4").wait_for(timeout=30_000)
    assert await page.locator(".pick :checked").count() == 2, "a line that is made anew stays chosen"
    async with page.expect_navigation():
        await page.get_by_role("button", name="Hold goals as drafts").press("Enter")
    held = [await terms(server, each) for each in range(1, number + 1)]
    assert sum("soccer.goal" in each.exclude_events for each in held) == 2
    await page.locator("select[name=trouble]").select_option("silent")
    await page.get_by_text("No liveblog is as the filter wants it.").wait_for()
    assert "trouble=silent" in page.url
    assert page.complaints == []


@pytest.mark.proof
async def test_what_waits_is_worked_off_by_keys(desk, browsers):
    """Published, undone, put off, approved and banned without a mouse; what is answered is gone, and the next one is reached."""
    server, address = desk
    await fill(server)
    await add_comments(server, 2)
    page = await opened(server, address, browsers)
    await page.goto(f"{address}/desk/queue")
    items, current = page.locator(".item:visible"), page.locator(".item.current")
    assert await items.count() == 4
    assert await violations(page) == {}
    for key, left, reached in (
        ("j", 4, "Draft."), ("p", 3, "number 1"), ("z", 4, "No answer"), ("l", 3, "Draft."),
        ("z", 4, "No answer"), ("j", 4, "Draft."), ("j", 4, "number 1"), ("a", 3, "number 0"), ("b", 2, "Draft."),
    ):  # fmt: skip
        await page.keyboard.press(key)
        await page.wait_for_function(
            "left => [...document.querySelectorAll('.item')].filter((each) => !each.hidden).length === left", arg=left
        )
        await current.filter(has_text=reached).wait_for()
    await page.keyboard.press("x")
    await page.get_by_text("For good?").wait_for()
    await page.keyboard.press("x")
    await page.wait_for_function("() => document.querySelectorAll('.item').length === 1")
    found = await server.store.read(lambda conn: [each.status for each in _all(conn)])
    assert sorted(found) == ["approved", "rejected"]
    assert page.complaints == []
