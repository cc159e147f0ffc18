"""Comments in a real browser: written, answered, liked and reported by keyboard, and nothing of a reader's text runs."""

from dataclasses import replace

import jwt
import pytest

from providers.http_server import bind_socket, listening
from store.clients import clients
from tests.api.conftest import NOW, serving
from tests.kit import matchday, poison
from tests.kit.browser import SMALL, address, needed, violations
from tests.kit.comments import DERBY, DESK, MODERATOR, SECRET
from tests.kit.embedding import OtherSite, Service
from tests.kit.event_desk import Desk
from tests.kit.settings import configure

__all__ = ["address"]
pytestmark = [needed, pytest.mark.proof]


@pytest.fixture
async def public(store):
    """A public service whose organization takes comments; whether they wait is the tests' to say."""
    moderator = matchday.client("moderator", "comments")
    await store.write(lambda unit: clients.declare(unit, (*matchday.CLIENTS, moderator)))
    organization = {
        "sign_in_secrets": {matchday.ORGANIZATION: SECRET},
        "comment_modes": {matchday.ORGANIZATION: "post"},
    }
    open_to_all = {"client_per_second": 0, "public_per_second": 0, "public_feeds": True}
    async with serving(store, **organization, **open_to_all) as running:
        await running.add(DERBY)
        yield running


async def test_readers_comment_on_a_post(public, address, browser):
    """Write, reply, like, report; what waits is shown to its author alone; an update of the post takes no text away."""
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await public.add(replace(matchday.derby(), local_id="gquiet", ticker_id="7b" * 12, events=()))
    requested = []
    page.on("request", lambda request: requested.append(request.url))
    await page.goto(f"{address}/liveblogs/gquiet")
    await page.locator(".nothing").wait_for()
    assert [each for each in requested if "comment" in each] == [], "nothing is loaded where there are none"
    await page.goto(f"{address}/liveblogs/gderby")
    post = page.locator("#egoal")
    opened = post.get_by_role("button", name="Comments (0)")
    within = "each => { const [a, b] = [each, each.closest('.post > article')].map(x => x?.getBoundingClientRect());"
    assert await opened.evaluate(
        f"{within} return b && a.top >= b.top && a.bottom <= b.bottom && a.right <= b.right; }}"
    )
    await opened.focus()
    await page.keyboard.press("Enter")
    assert await post.locator(".open").get_attribute("aria-expanded") == "true"

    await post.get_by_label("Your name").fill(poison.XSS[:30])
    await post.get_by_label("Write a comment").fill(f"What a goal! {poison.XSS[:60]}")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await post.get_by_text("Your comment is published.").wait_for()
    comment = post.locator(".comment").first
    assert poison.XSS[:60] in await comment.locator(".text").inner_text()
    card, text = await comment.bounding_box(), await comment.locator(".text").bounding_box()
    assert text["width"] > card["width"] * 0.9, "a comment is laid out as a post is"
    await post.get_by_role("button", name="Comments (1)").wait_for()

    await comment.get_by_role("button", name="Reply to").press("Enter")
    await page.keyboard.type("Indeed.")
    await comment.get_by_role("button", name="Send").press("Enter")
    await comment.locator(".replies .comment").wait_for()
    assert await page.evaluate("document.activeElement.className") == "comment"
    like = comment.locator(":scope > article .like")
    await like.press("Space")
    await post.get_by_role("button", name="Like (1)").wait_for()
    assert await like.get_attribute("aria-pressed") == "true"
    await like.press("Space")
    await post.locator(".like[aria-pressed=false]").first.wait_for()
    await comment.locator(".replies .report").press("Enter")
    await post.get_by_role("button", name="Reported").wait_for()

    await post.get_by_label("Write a comment").fill("Half a thou")
    await Desk(public.http).update("egoal", {"headline": "It counts", "highlight": "milestone"})
    await post.get_by_role("heading", name="It counts").wait_for(timeout=30_000)
    assert await post.get_by_label("Write a comment").input_value() == "Half a thou"
    assert await page.evaluate("document.activeElement.name") == "text"
    await post.get_by_label("Write a comment").fill("Indeed.")
    await post.get_by_role("button", name="Send").click()
    await post.get_by_text("You have written this already.").wait_for()

    configure(public.services.settings, matchday.ORGANIZATION, comments="pre")
    await post.get_by_label("Write a comment").fill("May I?")
    await post.get_by_role("button", name="Send").click()
    await post.locator(".comment .waits").wait_for()
    found = {}
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme=scheme)
        found |= await violations(page)
    assert found == {}
    assert [each for each in await page.evaluate(SMALL) if "comment" in each or "like" in each] == []
    assert [each for each in complaints if "409" not in each] == []

    signed = {"sub": "7", "name": "Kim of the paper", "iat": NOW, "exp": NOW + 60, "jti": "one"}
    offered = [matchday.ORGANIZATION, jwt.encode(signed, SECRET, "HS256")]
    await page.evaluate("async (given) => (await import('/static/reader.js')).offerSignIn(...given)", offered)
    second = page.locator("#egoal ~ .post").first
    await second.get_by_role("button", name="Comments (0)").click()
    await second.get_by_label("Write a comment").fill("As myself")
    assert await second.get_by_label("Your name").count() == 0
    await second.get_by_role("button", name="Send").click()
    await second.get_by_role("article", name="Kim of the paper").wait_for()
    waiting = (await public.http.get(f"{DESK}/comments.json", params={"status": "pending"}, auth=MODERATOR)).json()
    assert [each["text"] for each in waiting["comments"]] == ["As myself", "May I?"]


def article(service, name=None, jti=""):
    """A page of the site for the account of that name, for nobody without one."""
    signed = {"sub": f"id of {name}", "name": name, "iat": NOW, "exp": NOW + 60, "jti": jti}
    sign_in = "" if name is None else f' reader-sign-in="{jwt.encode(signed, SECRET, "HS256")}"'
    return (
        f'<!doctype html><title>Article</title><script type="module" src="{service.address}/static/embed.js"></script>'
        f'<matchwire-liveblog liveblog-id="gderby"{sign_in}></matchwire-liveblog>'
    )


async def test_who_logs_out_of_the_site_is_no_reader_here_any_more(public, browser):
    """The token is forgotten with the next page for nobody or for another account; the same account goes on with its own."""
    service = Service(public, organizations=public.services.settings.organizations)
    await service.start()
    site = OtherSite(service)
    page = await browser.new_page()
    kept = f"localStorage.getItem('matchwire.reader.{matchday.ORGANIZATION}')"

    async def opened(elsewhere, *account):
        site.pages["/"] = article(service, *account)
        await page.goto(elsewhere)
        await page.locator("#egoal").get_by_role("button", name="Comments (").click()
        await page.locator("#egoal").get_by_label("Write a comment").fill(f"By {account[:1]}")

    async def comment(author):
        await page.locator("#egoal").get_by_role("button", name="Send").click()
        await page.locator("#egoal").get_by_role("article", name=author).wait_for()
        return await page.evaluate(kept)

    async with listening(site, bind_socket("127.0.0.1", 0), log_level="critical") as elsewhere:
        await opened(elsewhere, "Kim", "one")
        kim = await comment("Kim")
        await opened(elsewhere, "Kim", "two")
        assert await page.evaluate(kept) == kim
        await opened(elsewhere, "Lee", "three")
        assert await page.evaluate(kept) is None
        lee = await comment("Lee")
        assert lee not in (None, kim)
        await opened(elsewhere)
        assert await page.evaluate(kept) is None
        assert await page.locator("#egoal").get_by_label("Your name").count() == 1
        await page.locator("#egoal").get_by_label("Your name").fill("Somebody")
        nobody = await comment("Somebody")
        await opened(elsewhere)
        assert await page.evaluate(kept) == nobody
    await service.stop()


async def test_readers_of_another_site_comment_in_its_embed(public, browser):
    """Across origins and under the site's policy, signed in by the site, styled within the shadow root."""
    service = Service(public, organizations=public.services.settings.organizations)
    await service.start()
    site = OtherSite(service)
    site.pages["/"] = article(service, "Kim of the paper", "one")
    page = await browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    async with listening(site, bind_socket("127.0.0.1", 0), log_level="critical") as elsewhere:
        await page.goto(elsewhere)
        post = page.locator("#egoal")
        await post.get_by_role("button", name="Comments (0)").click()
        await post.get_by_label("Write a comment").fill("From over here")
        await post.get_by_role("button", name="Send").click()
        await post.get_by_role("article", name="Kim of the paper").wait_for()
        assert await post.locator(".comments ol").first.evaluate("each => getComputedStyle(each).display") == "grid"
        assert complaints == []
    await service.stop()
