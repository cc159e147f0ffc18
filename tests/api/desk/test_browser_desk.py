"""The desk in a real browser: signing in by keyboard and by touch, on small and large screens, light and dark."""

from functools import partial

import pytest

from api.desk.cookies import SESSION
from store.accounts import accounts, sessions
from tests.api.desk.conftest import desk_on_a_port
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.liveblog_page import opened, sign_in
from tests.kit.people import EMAIL

pytestmark = needed


@pytest.fixture
async def desk(store):
    """The service on a real port, and its address."""
    async with desk_on_a_port(store) as (server, address, _):
        await server.add(matchday.derby())
        yield server, address


async def enter(desk, browser):
    """A session for the browser, where signing in is not what the test is about."""
    server, address = desk
    account = await server.store.read(lambda conn: accounts.find_by_email(conn, EMAIL))
    token = await server.store.write(partial(sessions.begin, account_id=account.id, browser="Chromium", lasts=1000))
    await browser.add_cookies([{"name": SESSION, "value": token, "url": address}])


async def test_a_person_signs_in_looks_around_and_out(desk, browser):
    """By keys, with nothing that a policy had to prevent; the cookie is for no script, and nothing needs scrolling sideways."""
    _, address = desk
    page = await opened(browser)
    await sign_in(page, address, "/desk/account")
    assert page.url == f"{address}/desk/account"
    (cookie,) = await browser.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (
        "matchwire-desk",
        True,
        "Lax",
        "/",
    )
    assert await page.evaluate("document.cookie") == ""

    await page.get_by_role("link", name="Matches").press("Enter")
    await page.wait_for_url(f"{address}/desk")
    await page.goto(f"{address}/desk?show=others")
    await page.get_by_role("link", name="SV Hafenstadt").wait_for()
    await page.get_by_role("button", name="Sign out", exact=True).press("Enter")
    await page.get_by_label("Password").wait_for()
    assert await browser.cookies() == []
    await page.go_back()
    await page.get_by_label("Password").wait_for()
    assert page.complaints == []


@pytest.mark.proof
async def test_fields_of_passwords_hide_them_and_take_what_is_pasted(desk, browser):
    """From whatever keeps passwords; it knows by the fields' names what is meant."""
    _, address = desk
    page = await opened(browser)
    await enter(desk, browser)
    await page.goto(f"{address}/desk/account")
    for name, purpose in (("password", "current-password"), ("new-password", "new-password")):
        field = page.locator(f"#{name}")
        assert await field.get_attribute("type") == "password"
        assert await field.get_attribute("autocomplete") == purpose
        await field.focus()
        await page.keyboard.insert_text("pasted at once, with blanks")
        assert await field.input_value() == "pasted at once, with blanks"


STOP = "(({ ariaLabel, textContent, id }) => ariaLabel || textContent.trim() || id)(document.activeElement)"


async def test_every_key_stop_is_seen(desk, browser):
    """Skip link first, then all links and buttons, each with an outline."""
    _, address = desk
    page = await opened(browser)
    await enter(desk, browser)
    await page.goto(f"{address}/desk/account")

    reached = []
    for _ in range(15):
        await page.keyboard.press("Tab")
        reached.append(await page.evaluate(STOP))
        assert await page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"

    assert reached[0] == "To the content"
    assert {
        "Matches",
        "Comments",
        "Account",
        "Sign out",
        "End",
        "Sign out everywhere",
        "password",
        "new-password",
        "end-password",
        "factor-password",
        "Set up an app for codes",
    } <= set(reached)


@pytest.mark.proof
async def test_other_sites_cannot_use_the_session(desk, browser):
    """A form and a script of another site, and a frame of it: nothing is written, nothing shown."""
    server, address = desk
    page = await opened(browser)
    await sign_in(page, address)
    port = address.rpartition(":")[2]

    async def attack(origin, html, wait):
        other = await browser.new_page()
        await other.route(f"{origin}/", lambda route: route.fulfill(content_type="text/html", body=html))
        await other.goto(f"{origin}/")
        await other.wait_for_timeout(wait)
        shown = other.frames[-1]
        text = await shown.evaluate("document.body?.textContent ?? ''")
        await other.close()
        return text

    form = f'<form method=post action="{address}/desk/account/end-everywhere"><input name=account></form>'
    form += "<script>document.forms[0].submit()</script>"
    frame = f'<iframe src="{address}/desk"></iframe>'
    for origin in ("http://evil.test", f"http://localhost:{int(port) - 1}"):
        assert "a page of another site, or a program" in await attack(origin, form, 1500)
        assert "Sign out" not in await attack(origin, frame, 1500)

    await page.reload()
    await page.get_by_role("button", name="Sign out", exact=True).wait_for()
    assert server.store is not None
