"""A demo match at sixty times its speed through the real daemon, and somebody who works on it by the desk's page alone."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from datetime import datetime
from io import StringIO

import httpx
import pytest
from rich.console import Console

from ingest.cli.demo import PASSWORD, play
from ingest.telemetry import logs
from tests.kit.browser import needed
from tests.kit.desk_browser import WIDTHS, opened
from tests.kit.liveblog_page import row, says

pytestmark = [needed, pytest.mark.proof]
SPEED = 60
CLIENT = ("demo", PASSWORD)
MATCH = "9900003"
EDITOR = "editor@example.org"
BEFORE_SUBSTITUTIONS, AFTER_THEM, GOAL = (datetime.fromisoformat(f"2018-06-19T{at}+02:00")
                                          for at in ("15:20:00", "15:27:00", "15:30:00"))  # fmt: skip
"""In Colombia–Japan, as recorded: three substitutions, which are drafts, come at 15:26:28; the goal at 15:29:38 has its assist
at 15:32:58, the provider's next correction."""


class Demo:
    """The demo as it runs: the address of the service, and its provider, whose clock can be stopped."""

    def __init__(self, http, address, provider):
        self.http, self.address, self.provider = http, address, provider

    async def clock(self, **order):
        (await self.http.post(f"{self.provider}/__replay/clock", json=order)).raise_for_status()

    async def instant(self):
        state = (await self.http.get(f"{self.provider}/__replay/state")).json()
        [now] = [each["recorded_instant"] for each in state["matches"] if each["id"] == MATCH]
        return state["elapsed"], datetime.fromisoformat(now)

    async def go_to(self, instant):
        """The match stands at this instant, or at a later one where it was there already."""
        elapsed, now = await self.instant()
        if now < instant:
            await self.clock(seek=elapsed + (instant - now).total_seconds())

    async def play_until(self, instant):
        """Play on at full speed, and stop."""
        await self.clock(pause=False)
        while (await self.instant())[1] < instant:
            await asyncio.sleep(0.05)
        await self.clock(pause=True)

    async def show(self, liveblog):
        path = f"{self.address}/api/v5/write/ticker/show.json"
        response = await self.http.get(path, params={"local_id": liveblog}, auth=CLIENT)
        return response.raise_for_status().json()

    async def post(self, liveblog, name):
        [found] = [each for each in (await self.show(liveblog))["events"] if each["local_id"] == name]
        return found


@asynccontextmanager
async def demo():
    """The demo with its clock stopped once its liveblogs are there."""
    said, stop = StringIO(), asyncio.Event()
    playing = asyncio.create_task(play(port=0, speed=SPEED, out=Console(file=said, width=200), stop=stop))
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        try:
            async with asyncio.timeout(90):
                while not (found := re.search(r"Page +(\S+)/\s", said.getvalue())):
                    assert not playing.done(), playing.exception()
                    await asyncio.sleep(0.02)
                provider = re.search(r"Provider +(\S+)/__replay", said.getvalue())
            running = Demo(http, found[1], provider[1])
            await running.clock(pause=True)
            yield running
        finally:
            stop.set()
            await playing


async def sign_in(page, address):
    await page.goto(f"{address}/desk")
    await page.get_by_label("E-mail address").fill(EDITOR)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Sign out", exact=True).wait_for()


def scorers(document):
    return [
        each["player"]["name"] for each in document["sport_event"]["players"] if each["event_player_type"] == "scorer"
    ]


def helpers(document):
    return [each for each in document["sport_event"]["players"] if each["event_player_type"] != "scorer"]


@pytest.mark.parametrize("width", WIDTHS)
async def test_a_match_is_worked_on_by_the_page_alone(browser, width, monkeypatch):
    """A draft published, a scorer corrected, kept through the provider's correction and handed back, a pin, and why it was late."""
    monkeypatch.setattr(logs, "configure", lambda *_: None)  # loggers of this process are kept for ever once it is done
    async with demo() as running:
        await running.go_to(BEFORE_SUBSTITUTIONS)
        page = await opened(browser, width)
        await sign_in(page, running.address)
        await page.get_by_role("link", name=re.compile("Colombia")).first.click()
        await page.locator("html[data-ready]").wait_for()
        liveblog = await page.locator("#desk-liveblog").get_attribute("data-liveblog")

        await running.play_until(AFTER_THEM)
        draft = page.locator(".row.is-draft").first
        await draft.get_by_text("this kind of event is not posted automatically").wait_for()
        name = await draft.get_attribute("data-post")
        await row(page, name).get_by_role("button", name="Publish").click()
        await says(page, "Published.")
        assert (await running.post(liveblog, name))["local_status"] == 0

        await running.go_to(GOAL)
        goal = page.locator('.row[data-title*="sako"]').first
        await goal.wait_for()
        goal = row(page, await goal.get_attribute("data-post"))
        goal_name = await goal.get_attribute("data-post")
        before = await running.post(liveblog, goal_name)
        assert before["sport_event"]["event_type"] == "soccer.goal"
        assert helpers(before) == []
        await goal.get_by_role("button", name="Edit").click()
        scorer = page.get_by_label("Scorer")
        others = await scorer.evaluate(
            "each => [...each.selectedOptions[0].parentNode.children].filter((one) => !one.selected).map((one) => one.label)"
        )
        await scorer.select_option(label=others[0])
        await page.get_by_role("button", name="Save").click()
        await says(page, "Saved. A person's from now on: Players")
        await goal.get_by_text("Whose words, earlier").click()
        players = goal.get_by_role("row", name="Players")

        await running.clock(pause=False)
        await players.filter(has_text=re.compile("assist", re.IGNORECASE)).wait_for(timeout=60_000)
        now = await running.post(liveblog, goal_name)
        assert (scorers(now), helpers(now)) == ([others[0]], [])
        await goal.get_by_role("button", name="Hand back: Players").click()
        await says(page, "Handed back to the provider.")
        now = await running.post(liveblog, goal_name)
        assert scorers(now) == scorers(before)
        assert len(helpers(now)) == 1

        await goal.get_by_role("button", name="Pin").click()
        await says(page, "Pinned.")
        public = await opened(browser, width)
        await public.goto(f"{running.address}/liveblogs/{liveblog}")
        await public.locator(f".pinned#{goal_name}").wait_for()
        times = goal.locator("[data-timeline]")
        await times.get_by_role("heading", name="When it was said, seen and sent").wait_for()
        verdict = await times.locator(".verdict").first.inner_text()
        assert re.match(r"The provider.s time|Waiting time|Our time|Nobody was late", verdict), verdict
        assert await times.locator("time").count() >= 3
        assert await page.evaluate("document.documentElement.scrollWidth") == width
        assert page.complaints == []
