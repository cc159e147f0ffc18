"""The real daemon while somebody sets its wall clock: libfaketime moves that clock, and no other, from outside."""

from __future__ import annotations

import asyncio
import os
import signal
from itertools import pairwise
from pathlib import Path

import pytest

from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.demo import demo_files
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.day import CREATE
from tests.kit.killed_match import MATCH, quiet
from tests.kit.recorded_posts import first_yellow, posts_of_the_liveblog, posts_of_the_provider
from tests.kit.workers import LIVE, Worker

SPEED = 60
BEFORE = 1200
"""Virtual seconds before kick-off at which the replay starts."""
AHEAD = "+2h"
STEPS = ("-2h", "+0", AHEAD, "-2h", AHEAD, "+0")
"""What the daemon's clock is set to in turn, the first time before kick-off."""
STALL = 3.0
"""Seconds without a poll that a busy machine explains; a clock that was set explains hours, or a minute at the least."""
NEEDED = "this test needs libfaketime: apt-get install libfaketime (Debian), or name the library in FAKETIME_LIBRARY"


def library() -> str:
    found = [os.environ.get("FAKETIME_LIBRARY", ""), *map(str, Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))]
    return next((path for path in found if path and Path(path).exists()), "") or pytest.fail(NEEDED)


class Misled(Worker):
    """`matchwire run` with a wall clock that `set_clock` sets; steady clocks stay as they are."""

    def __init__(self, folder, name, **values):
        super().__init__(folder, name, "all", **values)
        self.offset = folder / "offset"
        self.set_clock("+0")
        self.environ = {
            **ENVIRON,
            "LD_PRELOAD": library(),
            "FAKETIME_TIMESTAMP_FILE": str(self.offset),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",  # with it every wait of a thread for another takes milliseconds
        }

    async def _begin(self, words):
        """Cold: what it preloads is loaded when a program begins."""
        command = (*MATCHWIRE, *words)
        return await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=self.environ
        )

    def set_clock(self, offset):
        written = self.offset.with_suffix(".new")
        written.write_text(f"{offset}\n")
        written.rename(self.offset)


def match_polls(replay):
    """When the match itself was requested (Unix seconds)."""
    return [request.at for request in replay.log.requests if request.kind == "match" and request.match_id == MATCH]


@pytest.mark.soak
@pytest.mark.parametrize("frozen", [0.0, 15.0], ids=["set", "set and suspended"])
async def test_a_live_match_while_the_clock_is_set_two_hours_back_and_forth(tmp_path, frozen):
    """Set back before kick-off, then about at random: no post is missing or stands twice, and polls keep their intervals.

    The second time the process is also suspended for so many seconds whenever its clock is ahead; it goes on where it was.
    """
    lines = read_lines(next(path for path in demo_files("en") if "croatia" in path.name))
    async with Replay(lines, ReplaySettings(speed=SPEED, start_at=f"kickoff-{BEFORE}")).serve() as replay:
        replay.log._kept = type(replay.log._kept)(maxlen=100_000)
        daemon = Misled(
            tmp_path, "misled", database=f"sqlite+aiosqlite:///{tmp_path / 'steps.db'}", upstream=replay.url
        )
        await daemon.start()
        try:
            body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True}
            made = await daemon.client.post(CREATE, json=body)
            assert made.status_code == 200, made.text
            share = replay.timeline.end / SPEED / (len(STEPS) + 1)
            await asyncio.sleep(BEFORE / SPEED / 2)
            for step in STEPS:
                daemon.set_clock(step)
                await asyncio.sleep(share)
                if frozen and step == AHEAD:
                    daemon.send(signal.SIGSTOP)
                    await asyncio.sleep(frozen)
                    daemon.send(signal.SIGCONT)
            async with asyncio.timeout(replay.timeline.end / SPEED + 60):
                while not replay.finished:
                    await asyncio.sleep(0.2)
            polls = match_polls(replay)
            replay.settle()
            game = await quiet(daemon.client, made.json()["local_id"])
        finally:
            assert await daemon.end() == 0
    gaps = sorted(late - soon for soon, late in pairwise(polls))
    figures = {
        "polls": len(polls),
        "seconds": round(polls[-1] - polls[0]),
        "longest": [round(gap, 2) for gap in gaps[-4:]],
    }
    print(f"gaps between polls of {gaps[len(gaps) // 2]:.3f} s (median): {figures}")  # noqa: T201
    log = daemon.config.with_suffix(".log").read_text()
    assert log.count('"clock.set"') >= len(STEPS), "the clock was not set"
    assert "match.silent" not in log
    assert "tick.failed" not in log
    rows = replay.last_good(MATCH)["match-event"]
    posts = posts_of_the_liveblog(game)
    assert len(posts) == len(set(posts)), "a post stands twice"
    assert posts_of_the_provider(rows) <= set(posts), "a post is missing"
    assert all(first_yellow(each, rows) for each in set(posts) - posts_of_the_provider(rows)), "a ghost stands"
    stalls = [gap for gap in gaps if gap > STALL]
    assert len(stalls) == (STEPS.count(AHEAD) if frozen else 0)
    assert all(gap < frozen + STALL for gap in stalls)
    assert len(polls) <= 1.2 * (polls[-1] - polls[0]) / LIVE, "polled twice"
