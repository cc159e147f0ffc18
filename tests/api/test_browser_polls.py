"""Polls, quizzes and late pages in a real browser: votes by mouse and keys, results that move in another tab, what was right."""

import time
from functools import partial

import pytest

from providers.http_server import bind_socket, listening
from store.engine.liveblog_records import Change
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.kit.browser import address, needed, violations
from tests.kit.delayed import served
from tests.kit.matchday import ORGANIZATION
from tests.kit.polling_readers import POLL, QUIZ, SOLUTION, Voter, liveblog, poll_post, reader_of
from tests.kit.sqlite import migrated_url

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


DELAY = 90
SOON = 90_000
"""Milliseconds in which something must be seen: a minute of the match, on a machine that does other things too."""
MINUTE = """([started, delay]) => {
  const minute = Math.floor((Date.now() / 1000 - delay - started) / 60) + 1;
  return document.querySelector(".clock").textContent === `${minute}'`;
}"""
CLOCK = "document.querySelector('.clock').textContent"


async def score(page):
    return "".join((await page.locator(".board .score").inner_text()).split())


async def test_clock_and_score_of_a_late_page_are_those_of_its_moment(tmp_path, browser):
    """The minute goes on, 90 seconds behind that of a page without delay; the goal is seen once it is 90 seconds old."""
    now = time.time()
    started, at = (
        int(now) - DELAY - 20 * 60 - 54,
        [now - 600.0],
    )  # the late minute ends in six seconds, when both pages are there
    state = {**matchday.document()["state_info"], "check_time": started, "recurrence": 1}
    board = {**matchday.document()["scoreboard"], "scores": []}

    def document(home):
        return matchday.document(state_info=state, scoreboard={**board, "score": matchday.pair(home, 0)})

    goal = matchday.goal("egoal", int(now) - 10, "22'", matchday.HOME, score=matchday.pair(1, 0), words="In!")
    change = Change(events=(goal,), game=document(1))
    liveblog = matchday.Liveblog(document=document(0))
    async with (
        served(migrated_url(tmp_path / "late.db"), lambda: at[0], delay_max=100) as server,
        listening(server.app, bind_socket("127.0.0.1", 0), timeout_graceful_shutdown=1) as address,
    ):
        await server.add(liveblog)
        at[0] = server.now = now - 10
        await server.store.write(partial(liveblogs.record, game_id=liveblog.ticker_id, change=change))
        at[0] = server.now = now
        late, present = [await browser.new_page() for _ in range(2)]
        await late.goto(f"{address}/liveblogs/gderby?delay={DELAY}")
        await present.goto(f"{address}/liveblogs/gderby")

        assert [await score(page) for page in (late, present)] == ["0:0", "1:0"]
        assert [await page.locator("#egoal").count() for page in (late, present)] == [0, 1]
        before = await late.evaluate(CLOCK)
        for page, delay in ((late, DELAY), (present, 0)):
            await page.wait_for_function(MINUTE, arg=[started, delay], timeout=SOON)
        await late.wait_for_function(f"before => {CLOCK} !== before", arg=before, timeout=SOON)
        await late.wait_for_function(MINUTE, arg=[started, DELAY], timeout=SOON)

        at[0] = server.now = now + DELAY
        await late.locator("#egoal.fresh").wait_for(timeout=SOON)
        assert await score(late) == "1:0"
