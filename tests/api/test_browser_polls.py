"""Polls and quizzes in a real browser: votes by mouse and keys, results that move in another tab, what was right."""

import pytest

from tests.kit.browser import address, needed, violations
from tests.kit.matchday import ORGANIZATION
from tests.kit.polling_readers import POLL, QUIZ, SOLUTION, Voter, liveblog, poll_post, reader_of

__all__ = ["address"]
pytestmark = [needed, pytest.mark.proof]


async def test_readers_vote_change_and_see_what_others_vote(public, address, browser):
    """A vote shows in a second tab within two seconds; a quiz says right or wrong and stays; axe finds nothing, keys are enough."""
    await public.add(liveblog(poll_post(POLL), poll_post(QUIZ)))
    first, second = [await browser.new_page() for _ in range(2)]
    complaints = []
    for page in (first, second):
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        await page.goto(f"{address}/liveblogs/gpolls")
        await page.locator('[data-poll="p1"] .vote').wait_for()
    poll, other, quiz = (
        page.locator(f'[data-poll="{name}"]') for page, name in ((first, "p1"), (second, "p1"), (first, "q1"))
    )
    assert await poll.get_by_role("radio").count() == 2
    assert await poll.get_by_role("group", name="Who wins?").count() == 1
    assert await poll.locator(".total").text_content() == "0 votes"
    assert not await poll.locator(".withdraw").is_visible()

    await first.bring_to_front()
    await poll.get_by_role("radio", name="Us").focus()
    await first.keyboard.press("Space")
    await first.keyboard.press("Tab")
    await first.keyboard.press("Enter")
    await poll.get_by_text("1 vote", exact=True).wait_for()
    await other.get_by_text("1 vote", exact=True).wait_for(timeout=10_000)
    assert await other.locator(".share").all_text_contents() == ["100%", "0%"]
    assert await poll.get_by_role("status").text_content() == "Your vote is counted."
    assert await poll.locator(".chosen .note").text_content() == "Your choice"

    await Voter(public.http, reader_of(ORGANIZATION, "r2")).voted("p1", "a")
    await poll.get_by_text("2 votes", exact=True).wait_for()
    await poll.get_by_label("Them").check()
    await poll.get_by_role("button", name="Change vote").click()
    await poll.get_by_text("50%").first.wait_for()
    assert await poll.locator(".share").all_text_contents() == ["50%", "50%"]

    await quiz.get_by_label("Us").check()
    await quiz.get_by_role("button", name="Vote", exact=True).click()
    await quiz.get_by_text(SOLUTION).wait_for()
    assert (await quiz.get_by_role("status").text_content()).startswith("Not right.")
    assert await quiz.locator(".correct .note").text_content() == "Right answer"
    assert await quiz.get_by_role("button").count() == 0
    assert await violations(first) == {}

    await first.reload()
    await poll.get_by_role("button", name="Change vote").wait_for()
    assert await poll.get_by_role("radio", name="Them").is_checked()
    await quiz.get_by_text(SOLUTION).wait_for()
    await poll.get_by_role("button", name="Withdraw vote").click()
    await poll.get_by_text("1 vote", exact=True).wait_for()
    assert await poll.get_by_role("radio", checked=True).count() == 0
    assert await first.evaluate("document.activeElement.type") == "radio"  # its button is gone
    assert complaints == []
