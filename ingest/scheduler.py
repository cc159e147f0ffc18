"""The daemon's clock: APScheduler ticks, and every tick only starts or asks for something short."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

Tick = Callable[[], Awaitable[Any]]

log = structlog.get_logger()

WATCH = 1.0
"""Seconds between looks at the wall clock."""

STEP = 2.0
"""Seconds by which the wall clock has to leave the steady one to count as set."""

DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
"""A tick that came late still comes, once, and never beside itself."""


class Scheduler:
    """Interval ticks and cron triggers in UTC; a tick that fails is logged and comes again."""

    def __init__(self, *, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._watch: asyncio.Task[None] | None = None
        self._scheduler = AsyncIOScheduler(timezone="UTC", job_defaults=DEFAULTS)
        self._scheduler.add_listener(_failed, EVENT_JOB_ERROR)

    def every(self, seconds: float, tick: Tick, *, name: str) -> None:
        self._scheduler.add_job(tick, "interval", seconds=seconds, id=name, name=name)

    def cron(self, expression: str, tick: Tick, *, name: str) -> None:
        """`expression`: the five fields of crontab, in UTC."""
        self._scheduler.add_job(tick, CronTrigger.from_crontab(expression, timezone="UTC"), id=name, name=name)

    def start(self) -> None:
        self._scheduler.start()
        self._watch = asyncio.create_task(self._mind_the_clock(), name="clock watch")

    def stop(self) -> None:
        """No further ticks; one that is running goes on."""
        if self._watch is not None:
            self._watch.cancel()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    async def _mind_the_clock(self) -> None:
        """Plan interval ticks anew when the wall clock was set: they were planned by it, and a step back would stall them."""
        ahead = self._wall() - self._steady()
        while True:
            await asyncio.sleep(WATCH)
            moved, ahead = abs(self._wall() - self._steady() - ahead), self._wall() - self._steady()
            if moved > STEP:
                log.warning("clock.set", seconds=round(moved))
                for job in self._scheduler.get_jobs():
                    if isinstance(job.trigger, IntervalTrigger):
                        job.reschedule(IntervalTrigger(seconds=job.trigger.interval.total_seconds(), timezone="UTC"))


def _failed(event: JobExecutionEvent) -> None:
    log.error("tick.failed", tick=event.job_id, cause=repr(event.exception))
