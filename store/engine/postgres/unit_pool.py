"""Units on PostgreSQL: a bounded pool of threads, each with a connection while it runs one.

Whoever waits for a unit waits for its outcome alone, so a caller that is cancelled leaves no connection in the middle of
an answer, and a server that stands still costs nobody more than `timeout`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from store.engine.errors import POSTGRES_RETRIED, caller_error, late, passing, sqlstate, unavailable
from store.engine.postgres.connection import WRITE, Locked, PooledConnection, Work, make_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

    from store.engine.settings import PoolSettings

T = TypeVar("T")
ATTEMPTS = 3
"""Runs of a unit by itself, after it has lost against others (unique key, deadlock, a new schema), before its error counts."""
ABORTED = 1.0
"""Seconds for threads to come back once their connections are broken off."""


@dataclass(slots=True, eq=False)
class QueuedUnit:
    """A unit that waits for a thread, and who waits for it."""

    begin: str
    work: Work[Any]
    future: asyncio.Future[Any]
    deadline: float
    """When it fails at the latest, in monotonic seconds."""
    committed: Callable[[], None] | None
    """Called in the loop once the unit is committed, whether its caller still waits or not."""
    timer: asyncio.TimerHandle | None = None
    connection: PooledConnection | None = None
    """The connection on which it was begun."""

    @property
    def late(self) -> bool:
        """Whether its caller has been answered already; one that was cancelled has its unit run all the same."""
        return time.monotonic() >= self.deadline


class UnitBatch(NamedTuple):
    """Units that one thread runs one after the other: one, or those of a group key."""

    group_key: str | None
    units: deque[QueuedUnit]


class UnitOutcome(NamedTuple):
    """What became of a unit."""

    unit: QueuedUnit
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class Batches:
    """What the loop and the threads share; only to be touched under its lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    by_key: dict[str, deque[QueuedUnit]] = field(default_factory=dict)
    """The units of a group key that wait; none while the last of them is run."""
    running: set[Future[None]] = field(default_factory=set)
    connections: list[PooledConnection] = field(default_factory=list)
    idle: list[PooledConnection] = field(default_factory=list)
    closed: bool = False


class UnitPool:
    """Up to `settings.pool_size` threads and connections, made as they are needed and kept."""

    def __init__(self, url: URL, settings: PoolSettings, *, pooler: bool) -> None:
        self._connection = partial(PooledConnection, make_engine(url, settings, pooler=pooler), settings, pooler=pooler)
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.pool_size, thread_name_prefix="matchwire-unit")
        self._shared = Batches()
        self._waiting: set[QueuedUnit] = set()
        """Those whose callers wait."""

    async def run(
        self, begin: str, work: Work[T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        """The result of `work` in a transaction that `begin` begins, once it is committed.

        What `work` raises is raised here, and nothing of it stays. Raises StoreUnavailable after `settings.timeout`
        seconds, and at once when too many units wait. `work` may run more than once. Units with the same `group_key`,
        which would wait for each other's locks, take one thread and share transactions.
        """
        if self._shared.closed or len(self._waiting) >= self._settings.queue:
            raise unavailable()
        loop = asyncio.get_running_loop()
        unit = QueuedUnit(begin, work, loop.create_future(), time.monotonic() + self._settings.timeout, committed)
        unit.timer = loop.call_later(self._settings.timeout, _expire, unit)
        self._waiting.add(unit)
        try:
            self._enqueue(unit, group_key)
            result: T = await unit.future
        finally:
            self._waiting.discard(unit)
        return result

    @property
    def waiting(self) -> int:
        """How many units wait for their outcome."""
        return len(self._waiting)

    async def close(self) -> None:
        """Finish what waits, up to `settings.drain` seconds; then refuse the rest and end the connections."""
        with self._shared.lock:
            self._shared.closed = True
            running = {asyncio.wrap_future(each) for each in self._shared.running}
        if running:
            _, running = await asyncio.wait(running, timeout=self._settings.drain)
        self._threads.shutdown(wait=False, cancel_futures=True)
        if running:
            for connection in self._shared.connections:
                connection.abort()
            await asyncio.wait(running, timeout=ABORTED)
        for unit in self._waiting:
            _answer(UnitOutcome(unit, error=unavailable()))
        for connection in self._shared.idle:
            connection.close()

    def _enqueue(self, unit: QueuedUnit, group_key: str | None) -> None:
        with self._shared.lock:
            if group_key is not None and (others := self._shared.by_key.get(group_key)) is not None:
                others.append(unit)
                return
            batch = UnitBatch(group_key, deque([unit]))
            if group_key is not None:
                self._shared.by_key[group_key] = batch.units
            self._submit(batch)

    def _submit(self, batch: UnitBatch) -> None:
        future = self._threads.submit(self._serve, batch)
        self._shared.running.add(future)
        future.add_done_callback(self._shared.running.discard)

    def _serve(self, batch: UnitBatch) -> None:
        """In a thread: run units of the batch; those that are left go behind the batches of others."""
        while True:
            connection = self._acquire()
            try:
                outcomes = self._run(batch.units, connection)
            finally:
                self._release(connection)  # before anybody is answered: whoever comes next finds it
            _answer_all(outcomes)
            if not self._goes_on(batch):
                return

    def _acquire(self) -> PooledConnection:
        with self._shared.lock:
            if self._shared.idle:
                return self._shared.idle.pop()
            connection = self._connection()
            self._shared.connections.append(connection)
            return connection

    def _release(self, connection: PooledConnection) -> None:
        connection.used_by(None)
        with self._shared.lock:
            self._shared.idle.append(connection)

    def _goes_on(self, batch: UnitBatch) -> bool:
        """Whether units are left that nobody else will run, because the pool is closing."""
        with self._shared.lock:
            if not batch.units:
                if batch.group_key is not None:
                    del self._shared.by_key[batch.group_key]
                return False
            if not self._shared.closed:
                self._submit(batch)
            return self._shared.closed

    def _run(self, units: deque[QueuedUnit], connection: PooledConnection) -> list[UnitOutcome]:
        """Run some of the units in one transaction; where that fails by one of them, each in a transaction of its own."""
        taken: list[QueuedUnit] = []
        first = units[0]
        if first.late:
            return [UnitOutcome(units.popleft(), error=unavailable())]
        _begin_unit(first, connection)
        try:
            results = connection.transact(first.begin, partial(self._together, units, taken, connection))
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the callers, not to this thread
            return _after_failure(error, taken or [units.popleft()], connection)  # each turn leaves fewer
        return [UnitOutcome(unit, result) for unit, result in zip(taken, results, strict=True)]

    def _together(
        self,
        units: deque[QueuedUnit],
        taken: list[QueuedUnit],
        connection: PooledConnection,
        conn: Connection,
        locked: Locked,
    ) -> list[Any]:
        """The results of units from the head of `units`, as many as one transaction should have."""
        results: list[Any] = []
        until = time.monotonic() + self._settings.batch_seconds
        while units and (not taken or (len(taken) < self._settings.batch and time.monotonic() < until)):
            unit = units[0]
            if taken and unit.late:
                break
            taken.append(units.popleft())
            _begin_unit(unit, connection)
            results.append(_work(unit, conn, locked))
        return results


def _after_failure(error: BaseException, taken: list[QueuedUnit], connection: PooledConnection) -> list[UnitOutcome]:
    """What becomes of units whose transaction failed: its error, or another run, each in a transaction of its own."""
    if not _retried(error) and (len(taken) == 1 or passing(error)):
        return [UnitOutcome(unit, error=caller_error(error)) for unit in taken]
    for unit in taken:  # each is answered at once: the next may wait for a lock
        _answer_all([_alone(unit, connection)])
    return []


def _alone(unit: QueuedUnit, connection: PooledConnection) -> UnitOutcome:
    """Run the unit in a transaction of its own, again where it loses against others."""
    error: BaseException = unavailable()
    _begin_unit(unit, connection)
    for _ in range(ATTEMPTS):
        if unit.late:
            break
        try:
            return UnitOutcome(unit, connection.transact(unit.begin, partial(_work, unit)))
        except BaseException as failed:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
            error = failed
            if not _retried(failed):
                break
    return UnitOutcome(unit, error=caller_error(error))


def _work(unit: QueuedUnit, conn: Connection, locked: Locked) -> Any:
    """Run the unit, unless making the connection has taken all of its time."""
    if unit.late:
        raise unavailable()
    return unit.work(conn, locked)


def _begin_unit(unit: QueuedUnit, connection: PooledConnection) -> None:
    unit.connection = connection
    connection.used_by(unit)


def _retried(error: BaseException) -> bool:
    """Whether the same unit may find what it lost against when it runs once more."""
    return sqlstate(error) in POSTGRES_RETRIED


def _expire(unit: QueuedUnit) -> None:
    """In the loop: the time of the unit is over. Its thread comes back too, whatever the server does."""
    begun = unit.connection is not None
    if not unit.future.done():
        unit.future.set_exception(late() if begun and unit.begin == WRITE else unavailable())
    if unit.connection is not None:
        unit.connection.interrupt(unit)


def _answer_all(outcomes: list[UnitOutcome]) -> None:
    """From a thread: hand the outcomes over to the loop of the callers, all at once."""
    if not outcomes:
        return
    with suppress(RuntimeError):  # the loop is closed: nobody is left to be answered
        outcomes[0].unit.future.get_loop().call_soon_threadsafe(_answer_each, outcomes)


def _answer_each(outcomes: Iterable[UnitOutcome]) -> None:
    for outcome in outcomes:
        _answer(outcome)


def _answer(outcome: UnitOutcome) -> None:
    unit, result, error = outcome
    if unit.timer is not None:
        unit.timer.cancel()
    if error is None and unit.committed is not None:
        unit.committed()
    if unit.future.done():  # cancelled, or too late: the unit is done all the same
        return
    if error is None:
        unit.future.set_result(result)
    else:
        unit.future.set_exception(error)
