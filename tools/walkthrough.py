"""Takes the pictures of docs/for-newsrooms.md from a demo match, step by step as a person would: `python -m tools.walkthrough`.

A test walks the same steps and compares what the page says; the pictures are made again when the page has changed. Needs
Chromium and the packages of the tests; the match runs at its own speed, so that its times are right.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import httpx
from PIL import Image
from playwright.async_api import async_playwright

from providers.replay import Replay, ReplaySettings, running
from providers.replay.demo import demo_files

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

TARGET = Path(__file__).resolve().parent.parent / "docs" / "images"
WIDTH, HEIGHT = 900, 1000
"""Of the window, in pixels; a picture shows the part that a step is about."""
MARGIN = 12
COLOURS = 64
LARGEST = 60 * 1024
"""Bytes of a picture."""
BEFORE_THE_GOAL = "kickoff+88"
"""The goal has fallen, and the provider does not say so yet."""
SETTLED = 3
"""Seconds after which the times of a post are complete."""
MATCH, OTHER_SCORER = "9900001", "Eriksen"
EMAIL, SECRET = "editor@example.org", "demo-secret-for-the-demo-only"
MATCHWIRE = (sys.executable, "-c", "from ingest.entry import main; main()")
CONFIG = """
[server]
port = 0
public_feeds = true
[organizations.demo]
name = "Demo Newsroom"
[organizations.demo.providers.heim]
base_url = "{provider}"
language = "en"
text_content = true
[clients.demo]
secret = "{secret}"
organizations = ["demo"]
scopes = ["read", "write", "external"]
[polling]
live = 1
before = 1
"""


@dataclass
class Walk:
    """Somebody who walks through the page: what each step is called, and what the page said when it was done."""

    page: Page
    take: Callable[[str, bytes], None]
    said: dict[str, str] = field(default_factory=dict)

    def row(self, words: str) -> Locator:
        """The post with these words."""
        return self.page.locator("#posts .row").filter(has_text=words).first

    async def show(self, name: str, *parts: Locator) -> None:
        """Take a picture of what lies between the first and the last of the parts."""
        await self.page.evaluate("document.activeElement?.blur()")
        for part in reversed(parts):  # the last one that is looked for is the first part, which wants to be seen most
            await part.scroll_into_view_if_needed()
        boxes = [box for part in parts if (box := await part.bounding_box())]
        left, top = (max(0, min(box[side] for box in boxes) - MARGIN) for side in ("x", "y"))
        right = min(WIDTH, max(box["x"] + box["width"] for box in boxes) + MARGIN)
        bottom = min(HEIGHT, max(box["y"] + box["height"] for box in boxes) + MARGIN)
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        self.take(name, await self.page.screenshot(clip=clip, animations="disabled", caret="hide"))  # type: ignore[arg-type]

    async def until_said(self, step: str, words: str) -> None:
        """Wait until the page says these words, and keep all that it says."""
        line = self.page.locator("#said").filter(has_text=words)
        await line.wait_for()
        self.said[step] = await line.inner_text()


async def publish_a_draft(walk: Walk) -> None:
    """The kick-off waits as a draft, because its kind is not posted automatically here."""
    draft = walk.row("is under way")
    await draft.get_by_role("button", name="Publish").wait_for()
    await walk.show("desk-draft.png", draft)
    await draft.get_by_role("button", name="Publish").click()
    await walk.until_said("publish a draft", "Published.")


async def correct_a_scorer(walk: Walk) -> None:
    """Another scorer is chosen and saved: the field is a person's from then on."""
    goal = walk.row("Goal for Denmark")
    await goal.wait_for(timeout=180_000)
    await goal.get_by_role("button", name="Edit").click()
    scorer = walk.page.get_by_label("Scorer", exact=True)
    other = scorer.locator("option").filter(has_text=OTHER_SCORER).first
    await other.wait_for(state="attached")
    await scorer.select_option(label=(await other.text_content() or "").strip())
    await walk.show("desk-scorer.png", walk.page.get_by_role("heading", name="Edit the post"), scorer)
    await walk.page.get_by_role("button", name="Save", exact=True).click()
    await walk.until_said("correct a scorer", "Saved. Players locked: the provider won't change it")


async def hand_the_field_back(walk: Walk) -> None:
    """Its row says whose words it has; the button makes it the provider's again."""
    goal = walk.row("Goal for Denmark")
    await goal.get_by_role("button", name="History and sources").click()
    table = goal.locator("table").first
    await table.wait_for()
    changed = table.locator("tr.of-person")
    await walk.show("desk-whose-words.png", changed)
    await goal.get_by_role("button", name="Hand back: Players").click()
    await walk.until_said("hand the field back", "Handed back to the provider.")


async def pin_a_post(walk: Walk) -> None:
    """The goal stands above all others."""
    goal = walk.row("Goal for Denmark")
    await goal.get_by_role("button", name="Pin", exact=True).click()
    await walk.until_said("pin a post", "Pinned.")
    goal = walk.row("Goal for Denmark")
    await goal.get_by_role("button", name="Unpin").wait_for()
    await walk.page.evaluate("scrollTo(0, 0)")
    await goal.hover()
    await walk.show("desk-pinned.png", goal.locator("> *").first, goal.get_by_role("button", name="Unpin"))


async def find_out_why_it_was_late(walk: Walk) -> None:
    """The details of the goal say whose time it was, and when each thing happened."""
    await asyncio.sleep(SETTLED)
    await walk.page.reload()
    goal = walk.row("Goal for Denmark")
    await goal.get_by_role("button", name="History and sources").click()
    times = goal.locator("section.timeline")
    await times.locator(".verdict").first.wait_for()
    await walk.show("desk-why-late.png", times.locator("h3"), times.locator("dl").first)
    walk.said["find out why a goal was late"] = await times.locator(".verdict").first.inner_text()


STEPS = (publish_a_draft, correct_a_scorer, hand_the_field_back, pin_a_post, find_out_why_it_was_late)


class Installation(NamedTuple):
    """A daemon that follows the match from before its first goal, with an account of an editor; and its liveblog."""

    address: str
    liveblog: str
    replay: Replay


@asynccontextmanager
async def installation(folder: Path) -> AsyncIterator[Installation]:
    """Run it until the context ends; what it keeps is in the folder."""
    path = next(each for each in demo_files("en") if "croatia" in each.name)
    async with running(ReplaySettings(files=(path,), speed=1.0, start_at=BEFORE_THE_GOAL)) as replay:
        replay.clock.pause()
        config = folder / "matchwire.toml"
        config.write_text(CONFIG.format(provider=replay.url, secret=SECRET), encoding="utf-8")
        options = ("--config", str(config), "--data-dir", str(folder / "data"))
        environ = {**os.environ, "PYTHONPATH": str(TARGET.parents[1])}
        run = await asyncio.create_subprocess_exec(
            *MATCHWIRE, "run", *options, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=environ
        )
        try:
            assert run.stdout is not None  # noqa: S101 -- it is a pipe
            found = re.search(r"http://\S+", (await run.stdout.readline()).decode())
            if found is None:
                raise RuntimeError("the daemon did not start")
            add = await asyncio.create_subprocess_exec(
                *MATCHWIRE, "account", "add", EMAIL, "--name", "Robin Demo", "--role", "editor", *options,
                stdin=asyncio.subprocess.PIPE, env=environ,
            )  # fmt: skip
            await add.communicate(f"{SECRET}\n".encode())
            yield Installation(found[0], await _liveblog(found[0]), replay)
        finally:
            if run.returncode is None:
                run.terminate()
            await run.wait()


async def _liveblog(address: str) -> str:
    """The id of a liveblog of the match, whose kick-off becomes a draft."""
    body = {
        "provider": "heim",
        "matchId": MATCH,
        "locale": "en",
        "autoPostEnabled": True,
        "autoPostConfiguration": {"excludeEvents": ["soccer.start"]},
    }
    async with httpx.AsyncClient(base_url=address, auth=("demo", SECRET), trust_env=False) as client:
        answer = await client.post("/apigw/sports/v2/demo/liveblog/createFromExternal", json=body)
        return str(answer.raise_for_status().json()["local_id"])


async def walk_through(take: Callable[[str, bytes], None]) -> dict[str, str]:
    """Take all steps; `take` gets each picture by its name. Gives what the page said after each step."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with TemporaryDirectory() as folder:
        async with installation(Path(folder)) as made, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            context = await browser.new_context(
                locale="en", viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", timezone_id="UTC"
            )
            page = await context.new_page()
            await page.goto(f"{made.address}/desk")
            await page.get_by_label("E-mail").fill(EMAIL)
            await page.get_by_label("Password").fill(SECRET)
            await page.get_by_role("button", name="Sign in", exact=True).click()
            walk = Walk(page, take)
            matches = page.locator("main .match").first
            await matches.wait_for()
            await walk.show("desk-matches.png", page.locator("body > *").first, matches)
            await page.goto(f"{made.address}/desk/liveblogs/{made.liveblog}")
            for step in STEPS:
                await step(walk)
                made.replay.clock.resume()
            await browser.close()
            return walk.said


def small(picture: bytes) -> bytes:
    """The same as a PNG of few colours. Raises ValueError for one that stays too large."""
    into = io.BytesIO()
    with Image.open(io.BytesIO(picture)) as whole:
        whole.convert("RGB").quantize(COLOURS).save(into, "PNG", optimize=True)
    if into.tell() > LARGEST:
        raise ValueError(f"a picture has {into.tell()} bytes, more than {LARGEST}")
    return into.getvalue()


def _write(folder: Path, name: str, picture: bytes) -> None:
    (folder / name).write_bytes(small(picture))


if __name__ == "__main__":
    asyncio.run(walk_through(partial(_write, TARGET)))
