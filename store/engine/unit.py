"""Units of work in threads: a bounded pool on either database, each thread with a connection of its own.

Whoever waits for a unit waits for its outcome alone, so a caller that is cancelled leaves no connection in the middle of
an answer, and a database that stands still costs nobody more than `timeout`.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from mapping.errors import StoreUnavailable
from store.engine.errors import caller_error, late, unavailable
from store.engine.liveblog_records import StoredGame
from store.engine.settings import PoolSettings

Stepped = Mapping[str, int] | None
"""Liveblogs that stepped: `ticker_id` → version. None: nobody knows which, it may be any."""
Hear = Callable[[Stepped], None]
"""Called in the event loop, so it should be quick."""
HearWord = Callable[[str], None]
"""The same, with what another process has said."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One transaction (or a part of one that succeeds or fails alone) and one instant.

    A unit may run more than once when it lost a race and was rolled back, so its function has no effect outside `conn`.
    """

    conn: Connection
    now: int
    """The instant of the unit in Unix seconds; everything that it stamps carries this one."""
    touched: dict[str, int] = field(default_factory=dict)
    """Liveblogs that stepped in this unit: `ticker_id` → version; `Store.on_step` hears of them once it is committed."""
    locked: dict[str, StoredGame] = field(default_factory=dict)
    """Liveblogs that the transaction has locked, as they stand in it, by either name; units that share it share this."""


T = TypeVar("T")
Locked = dict[str, StoredGame]
Work = Callable[[Connection, Locked], T]
"""What is done in a transaction: given the connection and the liveblogs that the transaction has locked already."""
ABORTED = 2.0
"""Seconds for threads to come back once their connections are broken off."""


class Transaction(Enum):
    """What a unit runs in."""

    WRITE = "a transaction that writes"
    READ = "one snapshot for all statements"
    NONE = "no transaction, for a single statement"


@dataclass(slots=True, eq=False)
class QueuedUnit:
    """A unit that waits for a thread, and who waits for it."""

    transaction: Transaction
    work: Work[Any]
    future: asyncio.Future[Any]
    committed: Callable[[], None] | None
    """Called in the loop once the unit is committed, whether its caller still waits or not."""
    unanswered: set[QueuedUnit]
    """Those of its pool that have no outcome yet."""
    timer: asyncio.TimerHandle | None = None
    connection: PooledConnection | None = None
    """The connection on which it was begun."""

    @property
    def late(self) -> bool:
        """Whether it is not to begin any more: its caller has been answered; one that was cancelled still writes."""
        return self.future.done() and not (self.future.cancelled() and self.transaction is Transaction.WRITE)


class UnitOutcome(NamedTuple):
    """What became of a unit."""

    unit: QueuedUnit
    result: Any = None
    error: BaseException | None = None


class UnitBatch(NamedTuple):
    """Units that one thread runs one after the other: one, or those of a group key."""

    group_key: str | None
    units: deque[QueuedUnit]


class PooledConnection:
    """A connection that is made when it is needed, and given up when it fails. One thread uses it at a time."""

    def run(self, first: QueuedUnit, more: Iterator[QueuedUnit]) -> list[UnitOutcome]:
        """What became of `first` and of as many of `more` as share its transaction. What is raised is raised in all of them."""
        raise NotImplementedError

    def begin_for(self, unit: QueuedUnit) -> None:
        """From now on the connection works for this unit."""
        unit.connection = self
        self.used_by(unit)

    def used_by(self, user: QueuedUnit | None) -> None:
        """Name for whom the connection works from now on."""

    def interrupt(self, user: QueuedUnit) -> None:
        """Break the connection off from another thread, as long as it works for `user`, where that can be done."""

    def abort(self) -> None:
        """Break the connection off from another thread, for whomever it works, where that can be done."""

    def close(self) -> None:
        """Give the connection up as it is; what was not committed is undone."""
        raise NotImplementedError


@dataclass(slots=True, eq=False)
class PoolThread:
    """A thread and its connection."""

    connection: PooledConnection
    inbox: SimpleQueue[UnitBatch | None] = field(default_factory=SimpleQueue)
    """What it runs next; None ends it."""
    thread: threading.Thread = field(init=False)


class UnitPool:
    """Up to `size` threads, made as they are needed and kept; the one that ran last runs next. For one event loop."""

    def __init__(self, connect: Callable[[], PooledConnection], settings: PoolSettings, size: int, name: str) -> None:
        self._connect = connect
        self._settings = settings
        self._size = size
        self._name = name
        self._closed = False
        self._unanswered: set[QueuedUnit] = set()
        self._lock = threading.Lock()
        """Of what the loop and the threads share, which is the rest."""
        self._workers: list[PoolThread] = []
        self._idle: list[PoolThread] = []
        self._ready: deque[UnitBatch] = deque()
        self._by_key: dict[str, deque[QueuedUnit]] = {}
        """The units of a group key that wait or are run."""

    @property
    def waiting(self) -> int:
        """How many units wait for their turn or are under way."""
        return len(self._unanswered)

    async def run(
        self,
        transaction: Transaction,
        work: Work[T],
        group_key: str | None = None,
        committed: Callable[[], None] | None = None,
        *,
        bounded: bool = True,
    ) -> T:
        """The result of `work` in a transaction of that kind, once it is committed.

        What `work` raises is raised here, and nothing of it stays. Raises StoreUnavailable after `settings.timeout`
        seconds if it is `bounded`, and at once when too many units wait. What has not begun by then is left undone; what
        has may still be committed. `work` may run more than once. Units with the same `group_key`, which would wait for
        each other's locks, take one thread and share transactions.
        """
        if self._closed:
            raise StoreUnavailable("the database is closed")
        if len(self._unanswered) >= self._settings.queue:
            raise StoreUnavailable("too many units are waiting for the database; try again", retry_after=1)
        loop = asyncio.get_running_loop()
        unit = QueuedUnit(transaction, work, loop.create_future(), committed, self._unanswered)
        self._enqueue(unit, group_key)
        self._unanswered.add(unit)
        if bounded:
            unit.timer = loop.call_later(self._settings.timeout, _expire, unit)
        result: T = await unit.future
        return result

    async def close(self) -> bool:
        """Finish what waits, up to `settings.drain` seconds; then refuse the rest. Whether all threads have ended."""
        self._closed = True
        for worker in self._workers:
            worker.inbox.put(None)
        ended = await asyncio.to_thread(self._join, self._settings.drain)
        if not ended:
            for worker in self._workers:
                worker.connection.abort()
            ended = await asyncio.to_thread(self._join, ABORTED)
        for unit in [*self._unanswered]:
            _answer(UnitOutcome(unit, error=unavailable()))
        return ended

    def _join(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        for worker in self._workers:
            worker.thread.join(max(0.0, until - time.monotonic()))
        return not any(worker.thread.is_alive() for worker in self._workers)

    def _enqueue(self, unit: QueuedUnit, group_key: str | None) -> None:
        with self._lock:
            if group_key is not None and (others := self._by_key.get(group_key)) is not None:
                others.append(unit)
                return
            batch = UnitBatch(group_key, deque([unit]))
            if self._idle:
                self._idle.pop().inbox.put(batch)
            elif len(self._workers) < self._size:
                self._workers.append(self._start(batch))
            else:
                self._ready.append(batch)
            if group_key is not None:
                self._by_key[group_key] = batch.units

    def _start(self, batch: UnitBatch) -> PoolThread:
        worker = PoolThread(self._connect())
        worker.inbox.put(batch)
        worker.thread = threading.Thread(target=self._serve, args=(worker,), name=self._name, daemon=True)
        worker.thread.start()
        return worker

    def _serve(self, worker: PoolThread) -> None:
        """In a thread: run what comes, until it is ended."""
        while (batch := worker.inbox.get()) is not None:
            while batch is not None:
                batch = self._run(batch, worker)
        worker.connection.close()

    def _run(self, batch: UnitBatch, worker: PoolThread) -> UnitBatch | None:
        """Run some units of the batch and answer them; what the thread runs next, None where nothing waits."""
        taken: list[QueuedUnit] = []
        units = self._take(batch.units, taken, worker.connection)
        outcomes: list[UnitOutcome] = []
        try:
            if (first := next(units, None)) is not None:
                outcomes = worker.connection.run(first, units)
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the callers, not to this thread
            outcomes = [UnitOutcome(unit, error=caller_error(error)) for unit in taken]
        worker.connection.used_by(None)
        following = self._following(batch, worker)  # before anybody is answered: whoever comes next finds the thread
        answer(outcomes)
        return following

    def _take(
        self, units: deque[QueuedUnit], taken: list[QueuedUnit], connection: PooledConnection
    ) -> Iterator[QueuedUnit]:
        """Units that are not late, as many as one transaction should have: the first, and what comes in time after it."""
        until = 0.0
        while units and len(taken) < self._settings.batch and (not taken or time.monotonic() < until):
            unit = units.popleft()
            if unit.late:
                answer([UnitOutcome(unit, error=late())])
                continue
            taken.append(unit)
            connection.begin_for(unit)
            yield unit
            until = until or time.monotonic() + self._settings.batch_seconds

    def _following(self, batch: UnitBatch, worker: PoolThread) -> UnitBatch | None:
        """What waits longest; units that are left of the batch go behind the batches of others."""
        with self._lock:
            if batch.units:
                self._ready.append(batch)
            elif batch.group_key is not None:
                del self._by_key[batch.group_key]
            if self._ready:
                return self._ready.popleft()
            self._idle.append(worker)
            return None


def in_unit(work: Callable[[Unit], T], clock: Callable[[], float]) -> Work[T]:
    """`work` as it is given what it writes with."""
    return lambda conn, locked: work(Unit(conn, int(clock()), locked=locked))


def answer(outcomes: list[UnitOutcome]) -> None:
    """From a thread: hand the outcomes over to the loop of the callers, all at once."""
    if outcomes:
        with suppress(RuntimeError):  # the loop is closed: nobody is left to be answered
            outcomes[0].unit.future.get_loop().call_soon_threadsafe(_answer_each, outcomes)


def _answer_each(outcomes: list[UnitOutcome]) -> None:
    for outcome in outcomes:
        _answer(outcome)


def _answer(outcome: UnitOutcome) -> None:
    unit, result, error = outcome
    unit.unanswered.discard(unit)
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


def _expire(unit: QueuedUnit) -> None:
    """In the loop: the time of the unit is over. Its thread comes back too, where that can be done."""
    begun = unit.connection is not None
    if not unit.future.done():
        unit.future.set_exception(late() if begun and unit.transaction is Transaction.WRITE else unavailable())
    if unit.connection is not None:
        unit.connection.interrupt(unit)
