"""The daemon's clock keeps ticking, whatever is done to the clock on the wall."""

import asyncio
from datetime import datetime, timedelta

import pytest
import time_machine
from structlog.testing import capture_logs

from ingest.jobs import jobs as scheduler_module
from ingest.jobs.jobs import Scheduler


@pytest.fixture
def watched(monkeypatch):
    """The wall clock is looked at all the time."""
    monkeypatch.setattr(scheduler_module, "WATCH", 0.02)


@pytest.mark.parametrize("hours", [-2, 2])
async def test_interval_ticks_go_on_when_the_wall_clock_is_set(watched, hours):
    """Two hours back or forth: the next ticks come soon, and there is no burst to catch up with seven thousand of them."""
    ticks: list[int] = []

    async def tick() -> None:
        ticks.append(1)

    scheduler = Scheduler()
    scheduler.every(1.0, tick, name="tick")
    scheduler.start()
    with time_machine.travel(datetime.now().astimezone() + timedelta(hours=hours)):
        await until(lambda: len(ticks) > 1)
    scheduler.stop()

    assert len(ticks) < 100


async def test_a_tick_that_fails_comes_again(caplog):
    """One bad tick stops neither itself nor the others; its first failure in a row is logged with its trace, and its return."""
    ticks: list[int] = []
    well = asyncio.Event()

    async def bad() -> None:
        ticks.append(1)
        if not well.is_set():
            raise RuntimeError("at every tick")

    scheduler = Scheduler()
    scheduler.every(0.05, bad, name="bad")
    with capture_logs() as lines:
        scheduler.start()
        await until(lambda: len(ticks) > 3)
        well.set()
        await until(lambda: len(lines) > 1)
        scheduler.stop()

    assert [("tick.failed", "bad"), ("tick.recovered", "bad")] == [(line["event"], line["tick"]) for line in lines]
    assert isinstance(lines[0]["exc_info"], RuntimeError)
    assert [] == caplog.records, "APScheduler itself has nothing to say"


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("hours", [-2, 2])
async def test_listeners_hear_of_a_clock_that_was_set_before_the_next_tick(watched, hours):
    """Once, with its size, and before any tick reads the new clock; what comes every hour is planned by the new one."""
    ahead = [0.0]
    seen: list[str] = []
    heard: list[float] = []

    async def tick() -> None:
        seen.append(f"{ahead[0]:g} heard {len(heard)}")

    scheduler = Scheduler(
        wall=lambda: asyncio.get_running_loop().time() + ahead[0], steady=asyncio.get_running_loop().time
    )
    scheduler.when_set(heard.append)
    scheduler.every(0.05, tick, name="tick")
    scheduler.cron("17 * * * *", tick, name="hourly")
    scheduler.start()
    await until(lambda: seen)
    ahead[0] = hours * 3600.0
    with time_machine.travel(datetime.now().astimezone() + timedelta(hours=hours)):
        await until(lambda: heard and len(set(seen)) > 1)
        (hourly,) = [job for job in scheduler._scheduler.get_jobs() if job.name == "hourly"]
        wait = hourly.next_run_time - datetime.now().astimezone()
    scheduler.stop()

    assert heard == pytest.approx([hours * 3600.0], abs=0.1)
    assert {"0 heard 0", f"{hours * 3600:g} heard 1"} == set(seen)
    assert timedelta() <= wait <= timedelta(hours=1)
