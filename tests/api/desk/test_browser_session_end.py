"""A session ends while somebody writes at the desk, in a real browser: no word is lost, and what was sent is sent once."""

import time
from functools import partial
from urllib.parse import parse_qs, urlencode, urlsplit

import pyotp
import pytest
from pydantic import SecretStr

from config.sections import OpenId
from store.accounts import second_factors, sessions
from tests.api.conftest import NOW, declared_database
from tests.api.desk.conftest import desk_on_a_port
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.event_desk import Desk, post
from tests.kit.liveblog_page import PATH, at_desk, edit, enter, row, says, sign_in, writing
from tests.kit.openid_servers import CLIENT, SECRET, forger, right
from tests.kit.opening import store_at
from tests.kit.people import EMAIL, PASSWORD
from tests.kit.sqlite import copied_url

pytestmark = [needed, pytest.mark.proof]
WORDS = "Half a sentence, and the rest"


async def end_everywhere(desk, _browser):
    await desk.store.write(partial(sessions.end_all, account_id=desk.account.id))


async def sign_in_again(desk, browser):
    await end_everywhere(desk, browser)
    await enter(desk, browser)


async def sign_in_here(page):
    await page.locator("#signed-out summary").click()
    await page.get_by_label("E-mail address").fill(EMAIL)
    await page.get_by_label("Password").fill("not this one")
    await page.keyboard.press("Enter")
    await page.locator("#signed-out [role=alert]").nth(1).wait_for()
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.locator("#signed-out").wait_for(state="detached")


def windows(page):
    """What the browser asks by windows of its own."""
    opened = []

    async def answer(dialog):
        opened.append(dialog.type)
        await dialog.accept()

    page.on("dialog", answer)
    return opened


async def begin_post(page):
    await page.keyboard.press("c")
    await writing(page)
    await page.keyboard.type(WORDS)


async def posted(desk):
    events = (await desk.desk.show())["events"]
    return [block["text"] for each in events if each["user_id"] == desk.account.id for block in each["contents"]]


@pytest.mark.parametrize("end", [end_everywhere, sign_in_again], ids=lambda each: each.__name__)
async def test_what_is_sent_after_the_end_is_sent_once_somebody_is_signed_in_again(desk, browser, end):
    """The page says so and stays as it is; the same request goes out again, by itself, in place or after another tab's sign-in."""
    page = await at_desk(desk, browser)
    opened = windows(page)
    await begin_post(page)
    await end(desk, browser)
    await page.keyboard.press("Control+Enter")
    if end is not sign_in_again:
        await page.locator("#signed-out").filter(has_text="You are signed out").wait_for()
        assert await page.locator("#text").inner_text() == WORDS
        assert await posted(desk) == []
        await sign_in_here(page)
    await says(page, "Posted.")

    assert (await posted(desk), opened) == ([WORDS], [])
    assert await page.locator("#unsent").is_hidden()
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await page.get_by_label("Password").wait_for()


async def test_a_code_is_entered_in_place(desk, browser):
    """A wrong one is refused there; with the right one of the app, behind the password, the words are sent."""
    page, secret = await at_desk(desk, browser), pyotp.random_base32()
    await begin_post(page)
    await desk.store.write(partial(second_factors.set_secret, account_id=desk.account.id, secret=secret, step=0))
    await end_everywhere(desk, browser)
    await page.keyboard.press("Control+Enter")
    await page.locator("#signed-out summary").click()
    await page.get_by_label("E-mail address").fill(EMAIL)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    for code in ("000000", pyotp.TOTP(secret).at(NOW - 60)):
        assert await posted(desk) == []
        await page.get_by_label("Code of the app").fill(code)
        await page.keyboard.press("Enter")
        if code == "000000":
            await page.locator("#signed-out").get_by_text("The code is wrong").wait_for()
    await says(page, "Posted.")

    assert await posted(desk) == [WORDS]
    assert await page.locator("#signed-out").count() == 0


async def test_a_provider_signs_in_in_a_tab_of_its_own(browser, tmp_path):
    """The page waits with its words, and sends them once the other tab has a session."""
    store = await store_at(copied_url(tmp_path / "openid.db", declared_database), clock=time.time)
    with forger() as forged:
        openid = OpenId(issuer=forged.address, client_id=CLIENT, client_secret=SecretStr(SECRET))
        async with desk_on_a_port(store, desk__openid=openid) as (desk, address, account):
            await desk.add(matchday.derby())
            desk.account, desk.address, desk.desk, desk.now = account, address, Desk(desk.http), time.time()

            async def authorize(route):
                """Whoever comes to the provider is known there already."""
                sent = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
                forged.claims = right(desk, forged, sent["nonce"], email=EMAIL)
                back = urlencode({"code": "c", "state": sent["state"]})
                await route.fulfill(status=302, headers={"Location": f"{sent['redirect_uri']}?{back}"})

            await browser.route(f"{forged.address}/authorize?*", authorize)
            page = await at_desk(desk, browser)
            await begin_post(page)
            await end_everywhere(desk, browser)
            await page.keyboard.press("Control+Enter")
            await page.locator("#signed-out summary").click()
            await page.get_by_role("link", name="Sign in with").click()
            await says(page, "Posted.")

            assert await posted(desk) == [WORDS]
    await store.close()


async def test_a_page_that_is_loaded_again_has_the_words_until_they_are_sent_or_their_writer_signs_out(desk, browser):
    """They are kept by account and post; what was changed meanwhile is a question; nothing is left after one's own sign-out."""
    await desk.desk.create(post("As it was", local_id="emine"))
    page = await at_desk(desk, browser)
    windows(page)
    await edit(page, "emine")
    await page.get_by_label("Headline").fill("My headline")
    await page.locator("#text").fill("My words")
    await end_everywhere(desk, browser)
    await desk.desk.update("emine", {"headline": "Theirs"})
    await page.reload()
    await sign_in(page, desk.address, PATH)
    await page.get_by_role("button", name="Go on with what you have not sent").click()
    await says(page, "What you had not sent is here again.")
    assert await page.locator("#text").inner_text() == "My words"
    await page.get_by_role("button", name="Mine: My headline").click()
    await page.get_by_role("button", name="Save").click()
    await says(page, "Saved.")
    [now] = [each for each in (await desk.desk.show())["events"] if each["local_id"] == "emine"]
    assert (now["headline"], [each["text"] for each in now["contents"]]) == ("My headline", ["My words"])
    assert await page.locator("#unsent").is_hidden()

    await begin_post(page)
    await page.get_by_role("button", name="Sign out", exact=True).click()
    await page.get_by_label("Password").wait_for()
    assert await page.evaluate("Object.keys(localStorage)") == []


async def test_a_form_is_not_sent_into_the_page_of_a_sign_in(desk, browser):
    """Its words stay until somebody is signed in again, and are sent then."""
    page = await at_desk(desk, browser)
    await page.goto(f"{desk.address}/desk/account")
    for name, words in (("password", PASSWORD), ("new-password", "seven wet umbrellas in May")):
        await page.locator(f"#{name}").fill(words)
    await end_everywhere(desk, browser)
    await page.locator("#new-password").press("Enter")
    await page.locator("#signed-out").wait_for()
    assert await page.locator("#new-password").input_value() == "seven wet umbrellas in May"
    await enter(desk, browser)
    await page.get_by_role("alert").or_(page.locator(".notice")).filter(has_text="password").first.wait_for()
    assert await page.locator("#signed-out").count() == 0


async def test_the_last_draft_is_published_and_a_fault_of_the_page_is_not_the_operations(desk, browser):
    """The list says that there is none any more; where the page cannot show what has become of a post, it says what was done."""
    for each in (await desk.desk.show())["events"]:
        if each["local_status"] == 60:
            await desk.desk.delete(each["local_id"])
    await desk.desk.create(post("The last draft", local_id="emine", local_status=60))
    page = await at_desk(desk, browser, "?show=drafts")
    await row(page, "emine").get_by_role("button", name="Publish").click()
    await says(page, "Published.")
    await page.locator("#posts").get_by_text("There is no such post.").wait_for()
    assert page.complaints == []

    await page.goto(f"{desk.address}{PATH}")
    await page.locator("html[data-ready]").wait_for()
    await page.route("**/posts?*", lambda route: route.fulfill(json={"mark": "0.0", "posts": "<p>", "match": ""}))
    await row(page, "emine").get_by_role("button", name="Withdraw").click()
    await says(page, "Withdrawn.")
