"""Somebody types at the desk, in a real browser, while all that can happen beside it happens."""

import asyncio
from contextlib import asynccontextmanager
from functools import partial

import pytest

from store.accounts import sessions
from tests.kit.browser import needed
from tests.kit.event_desk import post, text
from tests.kit.liveblog_page import at_desk, edit, row, says, stands

pytestmark = [needed, pytest.mark.proof]
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
WORDS = "pins up six jugs, exeunt? " * 3
"""Every single letter of it is a key of the page, or the blank that answers a question."""
BEGUN, LATER = 26, 52


async def corrected(desk, page):
    await desk.desk.update("emine", {"contents": [text("Theirs")]})
    await page.locator("legend").filter(has_text="Keep yours or theirs?").wait_for()


async def corrected_twice(desk, page):
    await corrected(desk, page)
    await desk.desk.update("emine", {"contents": [text("Theirs again")]})
    await page.get_by_role("button", name="The other one: Theirs again").wait_for()
    assert await page.locator("legend").filter(has_text="Keep yours").count() == 1


async def given_a_headline(desk, page):
    await desk.desk.update("emine", {"headline": "Theirs"})
    await page.locator("#meanwhile").filter(has_text="taken over: Headline").wait_for()


async def withdrawn(desk, page):
    await desk.desk.update("emine", {"local_status": 60})
    await page.locator('.row[data-post="emine"][data-status="60"]').wait_for(state="attached")


async def deleted(desk, page):
    await desk.desk.delete("emine")
    await row(page, "emine").wait_for(state="detached")


async def posted_beside(desk, page):
    await desk.desk.create(post("News", local_id="enews"))
    await row(page, "enews").wait_for(state="attached")


async def scored(desk, page):
    body = {"_type": "Svc::Model::Modification::UpdateGameScoreInfoModification", "score_info": {"home_score": 8}}
    await desk.http.post(
        "/api/v5/write/ticker/post_modifications.json", auth=desk.desk.auth,
        json={"local_id": "gderby", "modifications": [body]},
    )  # fmt: skip
    await page.locator("#match").filter(has_text="8-").wait_for(state="attached")


async def uploaded(_, page):
    picture = {"name": "goal.png", "mimeType": "image/png", "buffer": PNG}
    await page.locator("#file").set_input_files(picture)
    await page.get_by_role("group", name="goal.png").wait_for()


async def joined(desk, page):
    other = await at_desk(desk, page.context)
    await edit(other, "emine")
    await row(page, "emine").get_by_text("is editing this post").wait_for(state="attached")
    await other.close()
    await page.bring_to_front()


async def signed_out_elsewhere(desk, page):
    await desk.store.write(partial(sessions.end_all, account_id=desk.account.id))
    await desk.desk.create(post("News", local_id="enews"))
    await page.locator("#signed-out").wait_for()


@asynccontextmanager
async def answered_late(page, path):
    """Answers to this operation wait until the block ends."""
    ended = asyncio.Event()

    async def wait(route):
        response = await route.fetch()
        await ended.wait()
        await route.fulfill(response=response)

    await page.route(f"**/{path}.json*", wait)
    yield
    ended.set()


async def sent(_, page):
    async with answered_late(page, "event/update"):
        await page.keyboard.press("Control+Enter")
        await page.keyboard.type(WORDS[BEGUN:LATER])
    await says(page, "Saved.")
    return LATER


async def sent_the_score(_, page):
    await page.locator("#match summary").click()
    async with answered_late(page, "ticker/post_modifications"):
        await page.get_by_label("Score, home").fill("7")
        await page.keyboard.press("Control+Enter")
        await page.locator("#text").focus()
        await page.keyboard.press("Control+End")
        await page.keyboard.type(WORDS[BEGUN:LATER])
    await says(page, "Saved.")
    return LATER


async def all_at_once(desk, page):
    """One after the other, and some letters after each: all that asks nothing."""
    typed = BEGUN
    for each in (given_a_headline, posted_beside, scored, uploaded, joined):
        await each(desk, page)
        await page.keyboard.type(WORDS[typed : typed + 5])
        typed += 5
    return typed


EVENTS = (all_at_once, corrected_twice, withdrawn, deleted, signed_out_elsewhere, sent, sent_the_score)


@pytest.mark.parametrize("event", EVENTS, ids=lambda each: each.__name__)
async def test_what_somebody_types_arrives_whatever_happens_beside_it(desk, browser, event):
    """Each character is in the text, no key of them a command: the post beside them stands as it stood."""
    await desk.desk.create(post("", local_id="emine", headline="Mine"))
    await desk.desk.create(post("Pinned by its writer", local_id="eown", user_id=desk.account.id))
    page = await at_desk(desk, browser)
    await row(page, "eown").get_by_role("button", name="Pin").click()
    await says(page, "Pinned.")
    before = await stands(desk, "eown")
    await edit(page, "emine")
    await page.locator("#text").click()
    await page.keyboard.type(WORDS[:BEGUN])
    typed = await event(desk, page) or BEGUN
    await page.keyboard.type(WORDS[typed:])

    assert await page.locator("#text").evaluate("each => each.textContent.replaceAll('\\u00a0', ' ')") == WORDS
    assert await stands(desk, "eown") == before
