"""The one thread that writes to SQLite: units in SAVEPOINTs, many to a commit, results only after the commit."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, exc

from mapping.errors import StoreUnavailable
from store.engine.errors import caller_error, late, unavailable
from store.engine.sql.compiled_query import execute
from store.engine.unit import Unit

if TYPE_CHECKING:
    from store.engine.records import StoredGame
    from store.engine.settings import PoolSettings

Work = Callable[[Unit], Any]


@dataclass(frozen=True, slots=True)
class QueuedWrite:
    """A unit that waits to be run, and the future of its caller."""

    work: Work
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    committed: Callable[[], None] | None = None
    """Called in the loop once the unit is committed, whether its caller still waits or not."""

    @property
    def late(self) -> bool:
        """Whether the caller has got an error already; one that was cancelled has its unit run all the same."""
        return self.future.done() and not self.future.cancelled()


@dataclass(frozen=True, slots=True)
class Outcome:
    result: Any = None
    error: BaseException | None = None


@dataclass(slots=True)
class CommitBatch:
    """The units of one transaction, as far as they have been taken up."""

    taken: list[QueuedWrite] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    locked: dict[str, StoredGame] = field(default_factory=dict)


def discard(conn: Connection | None) -> None:
    """Close a connection that may be broken, whatever it says to that."""
    if conn is not None:
        with suppress(exc.SQLAlchemyError):
            conn.invalidate()
            conn.close()


class TransactionLost(Exception):
    """SQLite has rolled the whole transaction back under a failing unit."""


class Writer:
    """Runs units one after the other in its own thread. `submit` is called from event loops only."""

    def __init__(self, engine: Engine, clock: Callable[[], float], settings: PoolSettings) -> None:
        self._engine = engine
        self._clock = clock
        self._settings = settings
        self._queue: queue.SimpleQueue[QueuedWrite | None] = queue.SimpleQueue()
        self._conn: Connection | None = None
        self._closed = False
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="matchwire-writer", daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        """Whether units are taken."""
        return self._thread.is_alive() and not self._closed

    @property
    def waiting(self) -> int:
        """How many units wait."""
        return self._queue.qsize()

    @property
    def ended(self) -> bool:
        """Whether nothing will be written any more."""
        return not self._thread.is_alive()

    def submit(self, work: Work, committed: Callable[[], None] | None = None) -> asyncio.Future[Any]:
        """The outcome of `work`, set after COMMIT. Raises StoreUnavailable when closed or when the queue is full.

        A caller that has waited long enough sets an exception before: then `work` is not begun; if it was, it goes on.
        """
        if not self.open:
            raise StoreUnavailable("the database is closed")
        if self._queue.qsize() >= self._settings.queue:
            raise StoreUnavailable("too many writes are waiting for the database; try again", retry_after=1)
        loop = asyncio.get_running_loop()
        job = QueuedWrite(work, loop, loop.create_future(), committed)
        self._queue.put(job)
        return job.future

    def close(self) -> None:
        """Take nothing new, finish what waits, end the thread; blocks up to `drain` seconds, then refuses the rest."""
        self._closed = True
        self._queue.put(None)
        self._thread.join(self._settings.drain)
        refuse(self._waiting())

    def _run(self) -> None:
        try:
            while not self._stopping:
                job = self._queue.get()
                if job is None:
                    break
                if not job.late:
                    self._commit(job)
        finally:
            self._closed = True
            refuse(self._waiting())
            self._disconnect()

    def _commit(self, first: QueuedWrite) -> None:
        """One transaction: `first` and what else waits. No caller gets a result before it is on disk or undone."""
        batch, waited = CommitBatch(), self._queue.qsize()
        try:
            self._transact(first, batch)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the thread outlives it, and its callers are answered
            self._undo()
            refuse(batch.taken, error)
            if not batch.outcomes:  # not even begun: who waited all that time would only wait for the same refusal
                refuse(islice(self._waiting(), waited), error)
        else:
            settle(zip(batch.taken, batch.outcomes, strict=True))

    def _transact(self, first: QueuedWrite, batch: CommitBatch) -> None:
        batch.taken.append(first)
        conn = self._connected()
        conn.begin()
        # The driver's own transaction control is off (isolation_level None), so that this BEGIN is the only one.
        execute(conn, "BEGIN IMMEDIATE")
        until = time.monotonic() + self._settings.batch_seconds
        for job in self._take(first, until):
            if job is not first:
                batch.taken.append(job)
            # Waiting for somebody else's lock may have taken longer than the caller waited.
            batch.outcomes.append(Outcome(error=late()) if job.late else self._attempt(conn, job, batch.locked))
            if not _in_transaction(conn):
                raise TransactionLost
        conn.commit()

    def _take(self, first: QueuedWrite, until: float) -> Iterator[QueuedWrite]:
        """`first`, then what waits already, as long as the batch is neither full nor old."""
        yield first
        for _ in range(1, self._settings.batch):
            if time.monotonic() >= until:
                return
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return
            if job is None:
                self._stopping = True
                return
            yield job

    def _attempt(self, conn: Connection, job: QueuedWrite, locked: dict[str, StoredGame]) -> Outcome:
        """Run one unit in its SAVEPOINT; its failure undoes what it did and nothing else."""
        execute(conn, "SAVEPOINT unit")
        try:
            result = job.work(Unit(conn, int(self._clock()), locked=locked))
            execute(conn, "RELEASE unit")
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
            locked.clear()
            with suppress(exc.DBAPIError):  # already gone when SQLite has rolled the transaction back: checked next
                execute(conn, "ROLLBACK TO unit")
                execute(conn, "RELEASE unit")
            return Outcome(error=caller_error(error))
        return Outcome(result)

    def _connected(self) -> Connection:
        if self._conn is None:
            self._conn = self._engine.connect()
        return self._conn

    def _undo(self) -> None:
        """Back to a connection without a transaction, by a new one where the old one cannot."""
        if self._conn is None:
            return
        with suppress(exc.SQLAlchemyError):
            self._conn.rollback()
            if not _in_transaction(self._conn):
                return
        self._disconnect()

    def _disconnect(self) -> None:
        conn, self._conn = self._conn, None
        discard(conn)

    def _waiting(self) -> Iterator[QueuedWrite]:
        while True:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                return
            if job is None:
                self._stopping = True
            else:
                yield job


def refuse(jobs: Iterable[QueuedWrite], cause: BaseException | None = None) -> None:
    """Raise in each caller that the unit has not happened."""
    settle((job, Outcome(error=unavailable(cause))) for job in jobs)


def settle(done: Iterable[tuple[QueuedWrite, Outcome]]) -> None:
    """Hand the outcomes over to the callers' loops, waking each loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[QueuedWrite, Outcome]]] = {}
    for job, outcome in done:
        by_loop.setdefault(job.loop, []).append((job, outcome))
    for loop, outcomes in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: no caller is left
            loop.call_soon_threadsafe(_deliver, outcomes)


def _in_transaction(conn: Connection) -> bool:
    driver = conn.connection.driver_connection
    return driver is not None and bool(driver.in_transaction)


def _deliver(outcomes: Iterable[tuple[QueuedWrite, Outcome]]) -> None:
    for job, outcome in outcomes:
        if outcome.error is None and job.committed is not None:
            job.committed()
        if job.future.done():  # cancelled, or too late: the unit is done all the same
            continue
        if outcome.error is None:
            job.future.set_result(outcome.result)
        else:
            job.future.set_exception(outcome.error)
