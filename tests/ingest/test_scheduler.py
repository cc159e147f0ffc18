"""The daemon's clock keeps ticking, whatever is done to the clock on the wall."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
import time_machine

from ingest.scheduler import Scheduler


@pytest.mark.parametrize("hours", [-2, 2])
async def test_interval_ticks_go_on_when_the_wall_clock_is_set(hours):
    """Two hours back or forth: the next tick comes within seconds, and there is no burst to catch up."""
    ticks: list[float] = []
    loop = asyncio.get_running_loop()

    async def tick() -> None:
        ticks.append(loop.time())

    scheduler = Scheduler(steady=loop.time)
    scheduler.every(0.2, tick, name="tick")
    scheduler.start()
    await asyncio.sleep(0.5)
    before = len(ticks)
    with time_machine.travel(datetime.now().astimezone() + timedelta(hours=hours)):
        await asyncio.sleep(2.5)
        during = len(ticks) - before
    scheduler.stop()

    assert before >= 1
    assert 4 <= during <= 15


async def test_a_tick_that_fails_comes_again():
    """One bad tick stops neither itself nor the others."""
    ticks: list[int] = []

    async def bad() -> None:
        ticks.append(1)
        raise RuntimeError("once")

    scheduler = Scheduler()
    scheduler.every(0.05, bad, name="bad")
    scheduler.start()
    await asyncio.sleep(0.4)
    scheduler.stop()

    assert len(ticks) >= 3
