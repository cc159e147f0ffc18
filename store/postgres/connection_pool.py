"""ConnectionPool to PostgreSQL, each with a task that takes units up one after the other, in the order they came.

Whoever waits for a unit waits for its outcome alone, so a caller that is cancelled leaves no connection in the middle of
an answer.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from store.errors import POSTGRES_RACES, passing, sqlstate, told, unavailable
from store.postgres.connection import Held, PooledConnection, Work, stale

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy import Connection, Engine

    from store.settings import PoolSettings

T = TypeVar("T")
ATTEMPTS = 3
"""Runs of a unit by itself, after it has lost against others (unique key, deadlock, a new schema), before its error counts."""


@dataclass(slots=True)
class QueuedUnit:
    """A unit that waits for its turn, and who waits for it."""

    begin: str
    work: Work[Any]
    future: asyncio.Future[Any]
    deadline: float
    """When it fails at the latest, in the time of the event loop."""
    committed: Callable[[], None] | None = None
    """Called once the unit is committed, whether its caller still waits or not."""


class UnitBatch(NamedTuple):
    """Units that a line takes up one after the other."""

    about: str | None
    jobs: deque[QueuedUnit]


class ConnectionPool:
    """Up to `settings.connections` lines, made as they are needed and kept."""

    def __init__(self, engine: Engine, settings: PoolSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._ready: asyncio.Queue[UnitBatch | None] = asyncio.Queue()
        self._shared: dict[str, deque[QueuedUnit]] = {}
        """The units about one thing that wait; none while the last of them is run."""
        self._watched: OrderedDict[int, QueuedUnit] = OrderedDict()
        """All whose callers wait, in the order of their deadlines, because all have the same time."""
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle = 0
        self._closed = False

    async def run(
        self, begin: str, work: Work[T], about: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        """The result of `work` in a transaction that `begin` begins, once it is committed.

        What `work` raises is raised here, and nothing of it stays. Raises StoreUnavailable after `settings.timeout`
        seconds, and at once when too many units wait. `work` may run more than once. Units `about` the same thing,
        which would wait for each other's locks, take one line and share transactions.
        """
        if self._closed or len(self._watched) >= self._settings.queue:
            raise unavailable()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        job = QueuedUnit(begin, work, future, loop.time() + self._settings.timeout, committed)
        self._watch(job)
        try:
            self._put(job, about)
            return await future
        finally:
            self._watched.pop(id(job), None)

    async def close(self) -> None:
        """Finish what waits, up to `settings.drain` seconds; then refuse the rest and end the connections."""
        self._closed = True
        tasks = set(self._tasks)
        for _ in tasks:
            self._ready.put_nowait(None)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=self._settings.drain)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        while not self._ready.empty():
            if (turn := self._ready.get_nowait()) is not None:
                _refuse(turn.jobs)
        if self._timer is not None:
            self._timer.cancel()

    def _watch(self, job: QueuedUnit) -> None:
        """One timer is enough: the first to come is the first to fail."""
        self._watched[id(job)] = job
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_at(job.deadline, self._look)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._watched:
            name, job = next(iter(self._watched.items()))
            if job.deadline > loop.time():
                self._timer = loop.call_at(job.deadline, self._look)
                return
            del self._watched[name]
            _refuse([job])

    def _put(self, job: QueuedUnit, about: str | None) -> None:
        if about is not None and (others := self._shared.get(about)) is not None:
            others.append(job)
            return
        turn = UnitBatch(about, deque([job]))
        if about is not None:
            self._shared[about] = turn.jobs
        self._ready.put_nowait(turn)
        if self._ready.qsize() > self._idle and len(self._tasks) < self._settings.connections:
            task = asyncio.create_task(self._serve(), name="line", context=Context())  # not that of this caller
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve(self) -> None:
        line = PooledConnection(self._engine)
        try:
            while (turn := await self._next()) is not None:
                try:
                    await self._settle(turn.jobs, line)
                    while turn.jobs and self._closed:
                        await self._settle(turn.jobs, line)
                finally:
                    if turn.jobs:  # the others first
                        self._ready.put_nowait(turn)
                    elif turn.about is not None:
                        del self._shared[turn.about]
            await line.close()
        finally:
            line.drop()

    async def _next(self) -> UnitBatch | None:
        self._idle += 1
        try:
            return await self._ready.get()
        finally:
            self._idle -= 1

    async def _settle(self, jobs: deque[QueuedUnit], line: PooledConnection) -> None:
        """Run some of the units in one transaction; where that fails by one of them, each in a transaction of its own."""
        first, last, taken = jobs[0], jobs[-1], list[QueuedUnit]()
        try:
            results = await _bounded(line, first.begin, partial(self._together, jobs, taken), last.deadline)
        except BaseException as error:
            if not taken and jobs:  # not even begun: so that each turn leaves fewer
                taken.append(jobs.popleft())
            alone = len(taken) > 1 and not passing(error) and not isinstance(error, asyncio.CancelledError)
            if alone or _again(error):
                for job in taken:
                    await _alone(job, line)
                return
            _refuse(taken, error)
            if isinstance(error, asyncio.CancelledError):
                _refuse(jobs)
                raise
        else:
            for job, result in zip(taken, results, strict=True):
                _answer(job, result)

    def _together(self, jobs: deque[QueuedUnit], taken: list[QueuedUnit], conn: Connection, held: Held) -> list[Any]:
        """The results of units from the head of `jobs`, as many as one transaction should have."""
        results: list[Any] = []
        until = time.monotonic() + self._settings.batch_seconds
        while jobs and (not taken or (len(taken) < self._settings.batch and time.monotonic() < until)):
            job = jobs.popleft()
            if not _late(job):
                taken.append(job)
                results.append(job.work(conn, held))
        return results


async def _alone(job: QueuedUnit, line: PooledConnection) -> None:
    """Run the unit in a transaction of its own, again where it loses against others."""
    for attempt in range(1, ATTEMPTS + 1):
        if _late(job):
            return
        try:
            result = await _bounded(line, job.begin, job.work, job.deadline)
        except BaseException as error:
            if attempt < ATTEMPTS and _again(error):
                continue
            _refuse([job], error)
            if isinstance(error, asyncio.CancelledError):
                raise
        else:
            _answer(job, result)
        return


async def _bounded(line: PooledConnection, begin: str, work: Work[T], deadline: float) -> T:
    """Raises TimeoutError at the deadline."""
    async with asyncio.timeout_at(deadline):
        return await line.transact(begin, work)


def _again(error: BaseException) -> bool:
    """Whether the same unit may find what it lost against when it runs once more."""
    return sqlstate(error) in POSTGRES_RACES or stale(error)


def _late(job: QueuedUnit) -> bool:
    """Whether the caller was told already that it failed; one that was cancelled has its unit run all the same."""
    return job.future.done() and not job.future.cancelled()


def _answer(job: QueuedUnit, result: Any) -> None:
    if job.committed is not None:
        job.committed()
    if not job.future.done():
        job.future.set_result(result)


def _refuse(jobs: Iterable[QueuedUnit], error: BaseException | None = None) -> None:
    """Tell who still waits."""
    for job in jobs:
        if not job.future.done():
            job.future.set_exception(told(error) if error is not None else unavailable())
