"""The daemon's clock: APScheduler ticks, and every tick only starts or asks for something short."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger

Tick = Callable[[], Awaitable[Any]]

log = structlog.get_logger()

DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
"""A tick that came late still comes, once, and never beside itself."""


class Scheduler:
    """Interval ticks and cron triggers in UTC; a tick that fails is logged and comes again."""

    def __init__(self) -> None:
        self._scheduler = AsyncIOScheduler(timezone="UTC", job_defaults=DEFAULTS)
        self._scheduler.add_listener(_failed, EVENT_JOB_ERROR)

    def every(self, seconds: float, tick: Tick, *, name: str) -> None:
        self._scheduler.add_job(tick, "interval", seconds=seconds, id=name, name=name)

    def cron(self, expression: str, tick: Tick, *, name: str) -> None:
        """`expression`: the five fields of crontab, in UTC."""
        self._scheduler.add_job(tick, CronTrigger.from_crontab(expression, timezone="UTC"), id=name, name=name)

    def start(self) -> None:
        self._scheduler.start()

    def stop(self) -> None:
        """No further ticks; one that is running goes on."""
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)


def _failed(event: JobExecutionEvent) -> None:
    log.error("tick.failed", tick=event.job_id, cause=repr(event.exception))
