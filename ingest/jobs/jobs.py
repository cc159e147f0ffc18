"""Finite work that has no table of its own, such as a purge: it runs once, although several processes share the database.

PgQueuer shares it out: in memory for one process, on PostgreSQL between all. At least once: a process that dies or hangs
in the middle of a job has it run again by another, so every job must bear that. What failed waits in this process, by a
steady clock, and not in the queue, whose times are those of a wall clock that somebody may set.
"""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import structlog
from prometheus_client import Counter

from mapping.errors import ServiceError
from store.engine.backoff import pause
from store.engine.lasting import LoggedLoop, repeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from pgqueuer import Job, PgQueuer

    from store.engine.settings import PoolSettings

    OpenQueue = Callable[[], AbstractAsyncContextManager[PgQueuer]]

log = structlog.get_logger()

LIMIT = 30.0
"""Seconds that a job may take."""
PATIENCE = 20.0
"""Seconds without a sign of life after which another process runs a job again."""
ROOM = 4
"""Jobs that a process runs at a time."""
HANDING_BACK = 2.0
"""Seconds to hand back what was cut off, beyond the grace of `stop`."""
FIRST, LONGEST = 5.0, 600.0
"""Seconds before what failed is tried again: doubled with each failure."""
SETTLED = 1.0
"""Seconds after which a queue that was opened counts as there."""
KEEPS_FAILING = 3
"""Failures in a row from which health shows them."""
NOTED = 0.5
"""Seconds after which the queue has certainly noted that a job has ended; it gathers ends for a tenth of one."""
FORGET = 1000
"""Jobs after which the queue's own log is emptied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a key stands for. `settle`: seconds for which requests of several processes are gathered before it runs."""

    run: Callable[[], Awaitable[None]]
    settle: float = 0.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """Failures in a row in this process, and when the next try is due (steady seconds)."""

    failures: int
    due: float


class Jobs:
    """Runs the work of keys; the first word of a key is its kind. `alone`: no other process can ask (SQLite)."""

    def __init__(
        self,
        open_queue: OpenQueue,
        *,
        alone: bool,
        limit: float = LIMIT,
        patience: float = PATIENCE,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open = open_queue
        self._alone = alone
        self._limit = limit
        self._patience = timedelta(seconds=patience)
        self._steady = steady
        self._work: dict[str, Work] = {}
        self._requested: set[str] = set()
        self._woken = asyncio.Event()
        self._troubles: dict[str, Trouble] = {}
        self._again: dict[str, asyncio.TimerHandle] = {}
        self._under_way: list[str] = []
        self._room = asyncio.Semaphore(ROOM)
        self._bounds: set[asyncio.Timeout] = set()
        self._stopped = asyncio.Event()
        self._serving: asyncio.Task[None] | None = None
        self._queue: PgQueuer | None = None
        self._ran = 0
        self._lost = 0
        self.counted = Counter(
            "matchwire_jobs", "Jobs that ran, by kind and outcome", ["kind", "outcome"], registry=None
        )

    def add(self, key: str, run: Callable[[], Awaitable[None]], *, settle: float = 0.0) -> None:
        """Know the work of `key`, before `run` is called. A process runs only what it knows, whoever requested it."""
        self._work[key] = Work(run=run, settle=0.0 if self._alone else settle)

    def ask(self, key: str) -> None:
        """Let the work of `key` run soon; while it runs here, once more after that.

        Without effect while it waits, runs in another process, or is put off because it failed here.
        """
        trouble = self._troubles.get(key)
        if self._stopped.is_set() or (trouble is not None and self._steady() < trouble.due):
            return
        self._requested.add(key)
        self._woken.set()

    def failing(self) -> dict[str, int]:
        """How many jobs of each kind keep failing here; `queue` where there is no queue to take them from."""
        kinds = [_kind(key) for key, trouble in self._troubles.items() if trouble.failures >= KEEPS_FAILING]
        kinds += ["queue"] if self._lost >= KEEPS_FAILING else []
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    async def run(self) -> None:
        """Serve until `stop`; a queue that is lost, with the database for example, is opened again."""
        await repeat(self._turn, LoggedLoop("jobs"), until=self._stopped.is_set)

    async def _turn(self) -> None:
        """Serve as long as the queue is there, and wait for as long as the next one should."""
        self._serving = asyncio.create_task(self._serve(), name="job queue")
        try:
            await asyncio.wait({self._serving})
        finally:
            self._serving.cancel()
        error = None if self._serving.cancelled() else self._serving.exception()  # seen, also when it ends with a stop
        if self._stopped.is_set():
            return
        self._lost += 1
        if self._lost == 1:
            log.warning("jobs.queue_lost", cause=repr(error))
        await asyncio.sleep(pause(self._lost, random.random()))  # noqa: S311 -- spreads load, guards nothing

    async def stop(self, grace: float) -> None:
        """Take no more, let what runs end within `grace` seconds, then cut it off and hand it back."""
        self._stopped.set()
        for timer in self._again.values():
            timer.cancel()
        if self._serving is None:
            return
        if self._queue is None:  # still being opened
            self._serving.cancel()
        else:
            self._queue.shutdown.set()
            await asyncio.wait({self._serving}, timeout=grace)
        for bound in [each for each in self._bounds if not each.expired()]:
            bound.reschedule(0.0)
        await asyncio.wait({self._serving}, timeout=HANDING_BACK)
        self._serving.cancel()
        await asyncio.wait({self._serving}, timeout=HANDING_BACK)

    async def _serve(self) -> None:
        """As long as the queue is there; ends after `stop`, raises what it was lost by."""
        async with self._open() as queue:
            for key in self._work:
                queue.entrypoint(key, accepts_context=False)(partial(self._run, key))
            managing = asyncio.create_task(
                queue.qm.run(  # not `queue.run`: its timetable, which we do not use, queries the database every second
                    dequeue_timeout=self._patience / 4,
                    heartbeat_timeout=self._patience,
                    shutdown_on_listener_failure=True,
                    log_aggregation_interval=timedelta(0),
                ),
                name="jobs",
            )
            passing_on = asyncio.create_task(self._pass_on(queue), name="job requests")
            self._queue = queue
            both = {managing, passing_on}
            try:
                ended, _ = await asyncio.wait(both, timeout=SETTLED, return_when=asyncio.FIRST_COMPLETED)
                if not ended and self._lost:
                    log.info("jobs.queue_recovered")
                    self._lost = 0
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                passing_on.cancel()
                queue.shutdown.set()  # where passing on failed, the rest will; jobs under way are bounded
                await asyncio.wait(both)
            finally:
                self._queue = None
                passing_on.cancel()
                managing.cancel()
                await asyncio.gather(managing, passing_on, return_exceptions=True)
            for task in (managing, passing_on):
                if not task.cancelled():
                    task.result()

    async def _pass_on(self, queue: PgQueuer) -> None:
        """Hand what is requested to the queue, which does not take what waits or runs already a second time."""
        queries: Any = queue.qm.queries
        self._woken.set()  # a queue that was lost may have left something
        while True:
            await self._woken.wait()
            self._woken.clear()
            for key in sorted(self._requested):
                after = timedelta(seconds=self._work[key].settle)
                (taken,) = await queries.enqueue(key, None, execute_after=after, dedupe_key=key, on_conflict="skip")
                self._requested.discard(key)
                if taken is None and key in self._under_way and key not in self._again:
                    self._put_off(key, NOTED)
            if self._ran >= FORGET:
                self._ran = 0
                await queries.clear_queue_log(list(self._work))

    async def _run(self, key: str, _job: Job) -> None:
        """One job. For the queue it ends well even if it failed: when to try again is decided here."""
        from pgqueuer import RetryRequested

        async with self._room:
            if self._stopped.is_set():
                raise RetryRequested(reason="stopped")
            self._ran += 1
            self._under_way.append(key)
            try:
                async with asyncio.timeout(self._limit) as bound:
                    self._bounds.add(bound)
                    await self._work[key].run()
            except TimeoutError as error:
                if self._stopped.is_set() and bound.expired():
                    self._count(key, "handed back")
                    raise RetryRequested(reason="cut off") from None
                self._failed(key, error, f"took longer than {self._limit:g} s" if bound.expired() else repr(error))
            except ServiceError as error:
                self._failed(key, error, error.message)
            except Exception as error:  # noqa: BLE001 -- logged with its trace; the queue would delete the job all the same
                self._failed(key, error, repr(error))
            else:
                self._count(key, "done")
                if self._troubles.pop(key, None) is not None:
                    log.info("job.recovered", key=key)
            finally:
                self._bounds.discard(bound)
                asyncio.get_running_loop().call_later(NOTED, self._under_way.remove, key)

    def _failed(self, key: str, error: Exception, cause: str) -> None:
        """Log the first failure in a row, and put the key off."""
        self._count(key, "failed")
        earlier = self._troubles.get(key)
        failures = 1 if earlier is None else earlier.failures + 1
        if earlier is None:
            expected = isinstance(error, ServiceError | TimeoutError)
            log.warning("job.failed", key=key, cause=cause, exc_info=None if expected else error)
        delay = min(FIRST * 2 ** (failures - 1), LONGEST)
        self._troubles[key] = Trouble(failures, self._steady() + delay)
        self._put_off(key, delay)

    def _put_off(self, key: str, delay: float) -> None:
        if key in self._again:
            self._again[key].cancel()
        self._again[key] = asyncio.get_running_loop().call_later(delay, self._retry, key)

    def _retry(self, key: str) -> None:
        del self._again[key]
        self._requested.add(key)
        self._woken.set()

    def _count(self, key: str, outcome: str) -> None:
        self.counted.labels(_kind(key), outcome).inc()


def _kind(key: str) -> str:
    return key.partition(" ")[0]


@asynccontextmanager
async def queue_of(url: str, settings: PoolSettings) -> AsyncIterator[PgQueuer]:
    """The queue of the database at `url`; the library is loaded beside the loop, which it would hold up for 0.3 s."""
    module = await asyncio.to_thread(import_module, "store.engine.postgres.job_queue")
    async with module.open_queue(url, settings) as queue:
        yield queue
