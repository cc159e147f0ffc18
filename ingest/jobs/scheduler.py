"""The daemon's clock: APScheduler ticks, and every tick only starts or asks for something short."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from mapping.errors import ServiceError, StoreUnavailable
from store.engine.lasting import LoggedLoop, LogOnce, repeat

Tick = Callable[[], Awaitable[Any]]
Hear = Callable[[float], None]

log = structlog.get_logger()

# A tick that is due while it runs is left out, and that is meant; at every second of a slow database it is no warning.
logging.getLogger("apscheduler").setLevel(logging.ERROR)

WATCH = 1.0
"""Seconds between looks at the wall clock."""

STEP = 2.0
"""Seconds by which the wall clock has to leave the steady one to count as set."""

DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
"""A tick that came late still comes, once, and never beside itself."""


class Scheduler:
    """Interval ticks and cron triggers in UTC; a tick that fails comes again. The first failure in a row is logged.

    It also notices when the wall clock is set: it looks every second and before each tick, so that no tick takes a clock
    that was set for time that has passed.
    """

    def __init__(self, *, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall = wall
        self._steady = steady
        self._ahead = 0.0
        self._listeners: list[Hear] = []
        self._watch: asyncio.Task[None] | None = None
        self._scheduler = AsyncIOScheduler(timezone="UTC", job_defaults=DEFAULTS)

    def every(self, seconds: float, tick: Tick, *, name: str) -> None:
        self._scheduler.add_job(self._guarded(tick, name), "interval", seconds=seconds, id=name, name=name)

    def cron(self, expression: str, tick: Tick, *, name: str) -> None:
        """`expression`: the five fields of crontab, in UTC."""
        trigger = CronTrigger.from_crontab(expression, timezone="UTC")
        self._scheduler.add_job(self._guarded(tick, name), trigger, id=name, name=name)

    def when_set(self, listener: Hear) -> None:
        """Call `listener` with the seconds by which the wall clock was set (back: less than 0), or the machine slept."""
        self._listeners.append(listener)

    def start(self) -> None:
        self._ahead = self._wall() - self._steady()
        self._scheduler.start()
        self._watch = asyncio.create_task(repeat(self._mind_the_clock, LoggedLoop("clock watch")), name="clock watch")

    def stop(self) -> None:
        """No further ticks; those that are running are cancelled."""
        if self._watch is not None:
            self._watch.cancel()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)

    def _guarded(self, tick: Tick, name: str) -> Tick:
        """`tick` after a look at the clock. It never raises: APScheduler would log a traceback at every tick, and at a stop."""
        once = LogOnce("tick.failed", "tick.recovered")

        @wraps(tick, assigned=())
        async def guarded() -> None:
            self._look()
            try:
                await tick()
            except asyncio.CancelledError:  # by `stop`; nobody waits for this task
                log.debug("tick.cancelled", tick=name)
            except StoreUnavailable:  # who renews the leases logs that, once
                pass
            except Exception as error:  # noqa: BLE001 -- it comes again
                once.failed(tick=name, cause=repr(error), exc_info=None if isinstance(error, ServiceError) else error)
            else:
                once.worked(tick=name)

        return guarded

    async def _mind_the_clock(self) -> None:
        await asyncio.sleep(WATCH)
        self._look()

    def _look(self) -> None:
        """Plan all ticks anew when the wall clock was set: they were planned by it, and a step back would stall them."""
        ahead = self._wall() - self._steady()
        moved, self._ahead = ahead - self._ahead, ahead
        if abs(moved) <= STEP:
            return
        log.warning("clock.set", seconds=round(moved))
        for job in self._scheduler.get_jobs():
            again = job.trigger
            if isinstance(again, IntervalTrigger):  # its start is an instant of the old clock
                again = IntervalTrigger(seconds=again.interval.total_seconds(), timezone="UTC")
            job.reschedule(again)
        for listener in self._listeners:
            listener(moved)
