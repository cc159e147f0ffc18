"""The daemon's clock, whose ticks only start something short, and finite work that has no table of its own, such as a purge.

Of several processes the one that leads runs the jobs. Who leads is decided beside the leases of matches
(`store.following.leases`): when that process ends, by `kill -9` too, or hangs, another one leads. What it was at is due again,
at the latest by the clock, so every job must bear to be run twice. A process that stood still goes on with what it was at, and
begins nothing else. What failed waits in this process, by a steady clock.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger
from prometheus_client import Counter, Gauge

from ingest.kit.tasks import KeyedTasks
from mapping.errors import ServiceError, StoreUnavailable
from store.engine.loops import LoggedLoop, LogOnce, repeat

log = structlog.get_logger()

LIMIT = 30.0
"""Seconds that a job may take."""
ROOM = 4
"""Jobs that run at a time."""
FIRST, LONGEST = 5.0, 600.0
"""Seconds before what failed is tried again: doubled with each failure."""
KEEPS_FAILING = 3
"""Failures in a row from which health shows them."""
ENDING = 1.0
"""Seconds that a stop leaves to jobs at the most: cut off they lose nothing, and requests need the rest of its grace."""
OUTCOMES = ("done", "failed")


Tick = Callable[[], Awaitable[Any]]
Hear = Callable[[float], None]
# A tick that is due while it runs is left out, and that is meant; at every second of a slow database it is no warning.
logging.getLogger("apscheduler").setLevel(logging.ERROR)
WATCH = 1.0
"""Seconds between looks at the wall clock."""
STEP = 2.0
"""Seconds by which the wall clock has to leave the steady one to count as set."""
DEFAULTS = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
"""A tick that came late still comes, once, and never beside itself."""


@dataclass(frozen=True, slots=True)
class FailureState:
    """Failures in a row, and when the next try is due (steady seconds)."""

    failures: int
    due: float


class Jobs:
    """Runs the work of keys while `leads` says that this process does it; the first word of a key is its kind."""

    def __init__(
        self, leads: Callable[[], bool], *, limit: float = LIMIT, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._leads = leads
        self._limit = limit
        self._steady = steady
        self._work: dict[str, Callable[[], Awaitable[None]]] = {}
        self._tasks = KeyedTasks(self._run)
        self._failing: dict[str, FailureState] = {}
        self._again: dict[str, asyncio.TimerHandle] = {}
        self._room = asyncio.Semaphore(ROOM)
        self._stopped = False
        self.counted = Counter(
            "matchwire_jobs", "Jobs that ran, by kind and outcome", ["kind", "outcome"], registry=None
        )
        self.leading = Gauge(
            "matchwire_leads", "1 where this process is the one of its kind that runs the jobs, else 0", registry=None
        )
        self.leading.set_function(lambda: int(leads()))

    def add(self, key: str, run: Callable[[], Awaitable[None]]) -> None:
        """Know the work of `key`."""
        self._work[key] = run
        for outcome in OUTCOMES:
            self.counted.labels(_kind(key), outcome)

    def request(self, key: str) -> None:
        """Let the work of `key` run soon; while it runs, once more after that.

        Without effect while it is put off because it failed, and where another process leads.
        """
        failing = self._failing.get(key)
        if self._leads() and (failing is None or self._steady() >= failing.due):
            self._tasks.ask(key)

    def failing(self) -> dict[str, int]:
        """How many jobs of each kind keep failing, where this process leads."""
        if not self._leads():
            return {}
        kinds = [_kind(key) for key, state in self._failing.items() if state.failures >= KEEPS_FAILING]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    async def stop(self, grace: float) -> None:
        """Begin no more, let what runs end within `grace` seconds, then cut it off."""
        self._stopped = True
        for timer in self._again.values():
            timer.cancel()
        await self._tasks.stop(grace)

    async def _run(self, key: str) -> None:
        async with self._room:
            if self._stopped or not self._leads():  # it waited for too long: another process does it
                return
            try:
                async with asyncio.timeout(self._limit) as bound:
                    await self._work[key]()
            except TimeoutError as error:
                self._note_failure(
                    key, error, f"took longer than {self._limit:g} s" if bound.expired() else repr(error)
                )
            except ServiceError as error:
                self._note_failure(key, error, error.message)
            except Exception as error:  # noqa: BLE001 -- logged with its trace, and tried again
                self._note_failure(key, error, repr(error))
            else:
                self.counted.labels(_kind(key), "done").inc()
                if self._failing.pop(key, None) is not None:
                    log.info("job.recovered", key=key)

    def _note_failure(self, key: str, error: Exception, cause: str) -> None:
        """Log the first failure in a row, and put the key off."""
        self.counted.labels(_kind(key), "failed").inc()
        earlier = self._failing.get(key)
        failures = 1 if earlier is None else earlier.failures + 1
        if earlier is None:
            expected = isinstance(error, ServiceError | TimeoutError)
            log.warning("job.failed", key=key, cause=cause, exc_info=None if expected else error)
        delay = min(FIRST * 2 ** (failures - 1), LONGEST)
        self._failing[key] = FailureState(failures, self._steady() + delay)
        if key in self._again:
            self._again[key].cancel()
        self._again[key] = asyncio.get_running_loop().call_later(delay, self._retry, key)

    def _retry(self, key: str) -> None:
        """Whoever leads by now tries again: what it is for is due there, too, and what failed here says nothing of it."""
        del self._again[key]
        if self._leads():
            self._tasks.ask(key)
        else:
            self._failing.pop(key, None)


def _kind(key: str) -> str:
    return key.partition(" ")[0]


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
        self._scheduler.add_job(self._guard(tick, name), "interval", seconds=seconds, id=name, name=name)

    def cron(self, expression: str, tick: Tick, *, name: str) -> None:
        """`expression`: the five fields of crontab, in UTC."""
        trigger = CronTrigger.from_crontab(expression, timezone="UTC")
        self._scheduler.add_job(self._guard(tick, name), trigger, id=name, name=name)

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

    def _guard(self, tick: Tick, name: str) -> Tick:
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
