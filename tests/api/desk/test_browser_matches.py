"""Matches and comments at the desk in a real browser, on small and large screens, by touch and by keys."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from mapping.fusion.disagreements import Disagreement
from mapping.fusion.leading_source import Lead, Reason
from mapping.fusion.source_pair import Difference, PairState
from store.accounts import accounts, sessions
from store.alarms import alarms
from store.alarms.alarms import Observed
from store.comments import comments
from store.comments.comments import NewComment
from store.following import sync
from store.liveblogs import liveblogs
from tests.api.conftest import declared_database
from tests.api.desk.conftest import desk_on_a_port, note_complaints
from tests.kit import matchday, poison
from tests.kit.accessible import SMALL, violations
from tests.kit.browser import needed
from tests.kit.desk_browser import LOOKS
from tests.kit.followed import add_followed, add_pair, draft, set_score
from tests.kit.opening import pool_settings, store_at
from tests.kit.people import EMAIL
from tests.kit.sqlite import copied_url

pytestmark = needed
WIDTHS = (390, pytest.param(1280, marks=pytest.mark.proof))
SHOTS = os.environ.get("DESK_SCREENSHOTS")
"""A folder for pictures of the pages, for somebody who wants to look at them."""


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


async def opened(server, address, browsers, width, *, locale="en", scripts=True, scheme="light"):
    account = await server.store.read(lambda conn: accounts.find_by_email(conn, EMAIL))
    token = await server.store.write(partial(sessions.begin, account_id=account.id, browser="Firefox", lasts=90_000))
    context = await browsers.new_context(
        locale=locale, viewport={"width": width, "height": 844}, java_script_enabled=scripts, color_scheme=scheme
    )
    await context.add_cookies([{"name": "matchwire-desk", "value": token, "url": address}])
    page = await context.new_page()
    note_complaints(page)
    page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
    return page


async def shot(page, name):
    if SHOTS:
        await page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)


async def terms(server, number=1):
    found = await server.store.read(lambda conn: sync.attachment(conn, f"{number:024x}"))
    return None if found is None else sync.terms_of(found)


@pytest.mark.parametrize("width", WIDTHS)
async def test_a_liveblog_is_paused_and_goes_on_from_the_table(desk, browsers, width):
    """By one button, without loading the page; its row keeps the focus, and what changes elsewhere appears by itself."""
    server, address = desk
    await fill(server)
    page = await opened(server, address, browsers, width)
    await page.goto(f"{address}/desk")
    rows = page.locator("#matches tbody tr")
    assert await rows.count() == 4
    assert await rows.first.get_attribute("data-trouble") == "silent"
    assert await page.evaluate("document.documentElement.scrollWidth") == width
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
    await rows.filter(has_text="5:4").wait_for(timeout=30_000)
    assert await resume.evaluate("each => each === document.activeElement"), "the focus stays where it was"
    await page.keyboard.press("Enter")
    await pause.wait_for()
    assert not (await terms(server)).paused
    assert page.complaints == []


@pytest.mark.parametrize("width", WIDTHS)
async def test_the_table_is_filtered_and_searched(desk, browsers, width):
    """By choosing and by words; the address says how."""
    server, address = desk
    await fill(server)
    page = await opened(server, address, browsers, width)
    await page.goto(f"{address}/desk")
    await page.get_by_label("Trouble").select_option("drafts")
    await page.wait_for_url("**trouble=drafts**")
    assert await page.locator("#matches tbody tr").count() == 1
    await page.get_by_label("Trouble").select_option("")
    await page.wait_for_url("**trouble=&**")
    await page.get_by_role("searchbox", name="Search").fill("moorwerder")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**q=moorwerder**")
    assert await page.locator("#matches tbody tr").count() == 1
    assert page.complaints == []


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("width", WIDTHS)
async def test_a_liveblog_is_set_and_detached_with_and_without_scripts(desk, browsers, width, scripts):
    """What is posted automatically, and off the match once that is confirmed by the liveblog's name."""
    server, address = desk
    await fill(server)
    page = await opened(server, address, browsers, width, scripts=scripts)
    await page.goto(f"{address}/desk")
    await page.get_by_role("button", name="Pause: SV Hafenstadt").click()
    await page.get_by_role("button", name="Resume: SV Hafenstadt").wait_for()
    await page.get_by_role("link", name="Settings of SV Hafenstadt").click()
    await page.get_by_label("Yellow card").check()
    await page.get_by_label("Paused").uncheck()
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("Saved.").wait_for()
    now = await terms(server)
    assert (now.paused, now.exclude_events) == (False, {"soccer.yellow-card"})
    await page.get_by_role("button", name="Detach").click()
    assert await terms(server) is not None, "nothing happens unless it is confirmed"
    await page.get_by_label("Yes, detach SV Hafenstadt – AV Bergheim from its match").check()
    await page.get_by_role("button", name="Detach").click()
    await page.get_by_text("This liveblog is on no match.").wait_for()
    assert await terms(server) is None
    assert await page.get_by_role("link", name="Attach another match").is_visible()
    assert page.complaints == []


@pytest.mark.parametrize("width", WIDTHS)
async def test_sources_are_seen_chosen_and_taken_off_by_keys(desk, browsers, width):
    """From the table to the settings; what is refused stands at its field. Axe finds nothing on any of it."""
    server, address = desk
    differences = (Difference(what=Disagreement("score", "", "1:0", "2:0"), since=server.now - 50, lasts=True),)
    lead = Lead(source="second", since=server.now - 60, reason=Reason.SILENT)
    first, second = await add_pair(server, PairState(running=True, lead=lead, differences=differences))
    server.answered.update({first: server.now - 400.0, second: server.now})
    page = await opened(server, address, browsers, width)
    await page.goto(f"{address}/desk?trouble=standby-leads")
    row = page.locator("#matches tbody tr")
    assert await row.count() == 1
    await row.get_by_text("The standby leads: gn-gsd – the other source has not answered for too long").wait_for()
    await row.get_by_text("The sources disagree: score: heim 1:0, gn-gsd 2:0").wait_for()
    seen = [await violations(page)]
    await shot(page, f"sources-table-{width}")
    await row.get_by_role("link", name="Settings of").press("Enter")
    section = page.locator("#sources")
    await section.get_by_text("the other source has not answered for too long").wait_for()
    await shot(page, f"sources-{width}")
    seen.append(await violations(page))
    await section.get_by_label("Automatic: ").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.get_by_text("Saved.").wait_for()
    assert await section.get_by_label("Always heim").is_checked()
    await section.get_by_text("heim is going to lead within a few seconds.").wait_for()
    assert (await terms(server)).confirm == "two"
    await section.get_by_role("button", name="Take gn-gsd off").press("Enter")
    await section.get_by_text("One source alone").wait_for()
    await section.get_by_label("Id of the match").focus()
    await page.keyboard.type("4553194")
    await page.keyboard.press("Enter")
    wrong = section.get_by_role("alert")
    assert await wrong.inner_text() == "The provider does not answer. Please try again in a moment."
    field = section.get_by_label("Provider")
    assert await field.get_attribute("aria-describedby") == await wrong.get_attribute("id")
    assert await section.get_by_label("Id of the match").input_value() == "4553194"
    await shot(page, f"sources-refused-{width}")
    seen.append(await violations(page))
    assert seen == [{}, {}, {}]
    assert await page.evaluate(SMALL) in ([], None)
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    assert [each for each in page.complaints if "422" not in each] == []


@pytest.mark.parametrize("width", WIDTHS)
async def test_a_liveblog_is_made_of_a_match_after_a_look_at_it(desk, browsers, width):
    """By keys alone: provider, id, look, create; then another match is attached to one that exists."""
    server, address = desk
    await fill(server)
    page = await opened(server, address, browsers, width)
    await page.goto(f"{address}/desk")
    await page.get_by_role("link", name="New liveblog from a match").press("Enter")
    await page.get_by_label("Provider").select_option("heim")
    await page.get_by_label("Id of the match").focus()
    await page.keyboard.type("8315073")
    await page.keyboard.press("Enter")
    await page.locator("#preview").get_by_text("Küstencup").wait_for()
    assert server.requested[-1].selector_id == "8315073"
    await shot(page, f"new-{width}")
    await page.get_by_role("button", name="Create the liveblog").press("Enter")
    await page.wait_for_url("**/desk/matches/gnew**")
    assert server.requested[-1].auto_post
    await page.goto(f"{address}/desk/matches/new?attach=gmatch1")
    await page.get_by_label("Id of the match").fill("77")
    await page.get_by_role("button", name="Look at the match").click()
    await page.get_by_role("button", name="Attach this match").click()
    await page.wait_for_url("**/desk/matches/**")
    assert server.requested[-1].attach_to == "gmatch1"


@pytest.mark.parametrize("width", WIDTHS)
async def test_comments_are_decided_by_keys(desk, browsers, width):
    """Next, approve, undo, reject, ban; the counts follow, and new ones appear by themselves."""
    server, address = desk
    await fill(server)
    await add_comments(server)
    page = await opened(server, address, browsers, width)
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
    await rows.get_by_text("Banned").first.wait_for()
    await page.keyboard.press("z")
    await rows.get_by_text("Banned").first.wait_for(state="detached")
    await page.get_by_role("link", name="Rejected").click()
    await rows.first.get_by_role("button", name="Approve").click()
    await page.get_by_text("There are no such comments.").wait_for()
    found = await server.store.read(lambda conn: [each.status for each in _all(conn)])
    assert sorted(found) == ["approved", "pending", "pending"]
    assert await page.evaluate("document.documentElement.scrollWidth") == width
    assert page.complaints == []


def _all(conn):
    query = {"status": None, "game_id": None, "channel_id": None, "limit": 100, "after": None}
    return comments.list_comments(conn, matchday.ORGANIZATION, **query).comments


@pytest.mark.proof
async def test_comments_are_decided_without_scripts(desk, browsers):
    """By forms, a page at a time, of one liveblog too."""
    server, address = desk
    await fill(server)
    await add_comments(server)
    page = await opened(server, address, browsers, 390, scripts=False)
    await page.goto(f"{address}/desk/comments?limit=2&liveblogId=gmatch1")
    assert await page.locator(".queue > li").count() == 2
    await page.get_by_role("link", name="Next page").click()
    assert await page.locator(".queue > li").count() == 1
    await page.get_by_role("button", name="Approve").click()
    await page.goto(f"{address}/desk/comments?status=approved")
    assert await page.locator(".queue > li").count() == 1
    await page.get_by_role("button", name="Ban the reader").click()
    await page.get_by_text("Banned", exact=True).wait_for()
    await page.get_by_role("button", name="Let the reader in again").click()
    await page.get_by_text("Banned", exact=True).wait_for(state="detached")


@pytest.mark.proof
@pytest.mark.parametrize("locale", LOOKS)
async def test_axe_finds_nothing_on_any_page(desk, browsers, locale):
    """Light and dark, on both screens; every target is large, and nothing needs scrolling sideways."""
    server, address = desk
    await fill(server)
    await add_comments(server)
    paths = {
        "matches": "/desk",
        "others": "/desk?show=others",
        "settings": "/desk/matches/gmatch4",
        "new": "/desk/matches/new?provider=heim&kind=matchId&id=7",
        "comments": "/desk/comments",
    }
    faults = {}
    for width, scheme in LOOKS[locale]:
        page = await opened(server, address, browsers, width, locale=locale, scheme=scheme)
        for name, path in paths.items():
            await page.goto(f"{address}{path}")
            await shot(page, f"{name}-{width}-{scheme}-{locale}")
            if found := await violations(page):
                faults[width, scheme, path] = found
            if small := await page.evaluate(SMALL):
                faults[width, scheme, path, "small"] = small
            assert await page.evaluate("document.documentElement.scrollWidth") == width, path
        await page.context.close()
    assert not faults, faults


@pytest.mark.proof
async def test_hostile_texts_that_arrive_stay_texts(desk, browsers):
    """In the table, on the settings, in the queue: put in by the script, and nothing runs."""
    server, address = desk
    hostile = poison.xss_liveblog()
    await add_followed(server, 1, title="Quiet")
    page = await opened(server, address, browsers, 390)
    await page.goto(f"{address}/desk")
    change = liveblogs.Change(game=hostile.document)
    await server.store.write(partial(liveblogs.record, game_id=f"{1:024x}", change=change))
    server.ticks += 10
    await page.locator("#matches").get_by_text("alert(1)").first.wait_for(timeout=30_000)
    await page.goto(f"{address}/desk/comments")
    await add_comments(server, name=poison.XSS, text=poison.XSS)
    server.ticks += 10
    await page.locator(".queue").get_by_text("alert(1)").first.wait_for(timeout=30_000)
    for path in ("/desk/matches/gmatch1", "/desk/comments", "/desk/comments?liveblogId=gmatch1"):
        await page.goto(f"{address}{path}")
        assert "alert(1)" in await page.locator("main").inner_text()
        assert await page.locator("main :is(script, img, svg, [onerror], [onload])").count() == 0
    assert page.complaints == []
