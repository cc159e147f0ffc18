"""From the sign-in to followed matches, in a real browser, at a running daemon with a replayed provider."""

import asyncio
from functools import partial

import pytest

from api.desk.cookies import SESSION
from mapping.desk.account_roles import AccountRole
from store.accounts import accounts, sessions
from store.accounts.accounts import AccountSpec
from store.upkeep import command
from tests.api.desk.conftest import note_complaints
from tests.kit.browser import needed
from tests.kit.crowded_day import recorded
from tests.kit.day import ORGANIZATION, match_day
from tests.kit.people import EMAIL, hashed

pytestmark = [needed, pytest.mark.proof]
MATCHES = [str(9_100_000 + number) for number in range(11)]
TABS = 40
"""Of the keyboard until what is wanted has the focus."""


def begin_session(unit):
    """The token of an editor's session."""
    who = {"organization_id": ORGANIZATION, "email": EMAIL, "name": "Kim Example", "password_hash": hashed()}
    account = accounts.create(unit, AccountSpec(**who, role=AccountRole.EDITOR))
    return sessions.begin(unit, account_id=account.id, browser="Chromium", lasts=90_000)


async def tab_to(page, selector):
    """Press Tab until it has the focus."""
    for _ in range(TABS):
        await page.keyboard.press("Tab")
        if await page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no key leads to {selector}")


@pytest.mark.parametrize("width", [1280, 390])
async def test_matches_are_chosen_from_the_day_without_typing(tmp_path, browsers, width):
    """One by three clicks, ten at once by keys; all are followed, and for ten people more the provider has sent its list once."""
    lines = [line for number, match in enumerate(MATCHES) for line in recorded(match, number, 60)]
    async with match_day(lines=lines, folder=tmp_path, live=60) as day:
        url = day.settings.database.url.get_secret_value()
        token = await asyncio.to_thread(partial(command.run, url, begin_session, timeout=30))
        address = str(day.client.base_url).rstrip("/")
        context = await browsers.new_context(locale="en", viewport={"width": width, "height": 844})
        await context.add_cookies([{"name": SESSION, "value": token, "url": address}])
        page = await context.new_page()
        note_complaints(page)
        await page.goto(f"{address}/desk")
        await page.get_by_role("link", name="New liveblog").click()
        await page.locator(".fixtures .fix").first.click()
        await page.get_by_role("button", name="Create 1 liveblog").click()
        await page.get_by_text("Saved.").wait_for()

        await page.goto(f"{address}/desk/matches/new")
        assert await page.locator("a.has").count() == 1
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await tab_to(page, ".every input")
        await page.keyboard.press("Space")
        await tab_to(page, "li:has(.has) .fix input")
        await page.keyboard.press("Space")
        await tab_to(page, "#create")
        assert await page.locator("#create").inner_text() == "Create 10 liveblogs"
        await page.keyboard.press("Enter")
        await page.get_by_text("Liveblogs created: 10").wait_for()
        await page.keyboard.press("/")
        await page.keyboard.type("nordh")
        assert await page.locator(".fixtures li:visible").count() == len(MATCHES)
        await page.keyboard.type("x")
        assert await page.locator(".fixtures li:visible").count() == 0
        complaints = page.complaints
        api = f"/apigw/sports/v2/{ORGANIZATION}/fixtures.json?provider=heim"
        found = (await asyncio.gather(*(day.client.get(api) for _ in range(10))))[0].json()
        listed = [each for each in day.replay.log.requests if each.kind == "fixtures"]

    assert sorted(each["matchId"] for each in found["objects"] if len(each["liveblogs"]) == 1) == MATCHES
    assert (complaints, len(listed)) == ([], 1)
