"""A page that is some seconds late, in a real browser: its score, its posts and its clock are those of that moment."""

import time
from functools import partial

import pytest

from providers.http_server import bind_socket, listening
from store.engine.records import Change
from store.liveblogs import liveblogs
from tests.kit import matchday
from tests.kit.browser import needed
from tests.kit.delayed import served
from tests.kit.sqlite import migrated_url

pytestmark = [needed, pytest.mark.proof]

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
