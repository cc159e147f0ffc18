"""Readers of an SQLite file: threads with a connection each, in which a query runs and what it read is rendered.

What a read costs (statements, rows, documents, a rendered feed) so costs the daemon's event loop no more than handing it
over and taking the result back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc

from mapping.errors import StoreUnavailable
from store.engine.errors import store_errors
from store.engine.sql.compiled_query import execute
from store.engine.sqlite.writer import Outcome, discard

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import URL

    from store.engine.settings import PoolSettings

T = TypeVar("T")

CLOSING = 2.0
"""Seconds that readers have to end."""
READER_PRAGMAS = ("query_only=ON",)


@dataclass(frozen=True, slots=True)
class QueuedRead:
    """A query that waits for a thread, and the future of its caller."""

    query: Callable[[Connection], Any]
    future: asyncio.Future[Any]


class ReadThreads:
    """At most `pool_size` threads, each made when all others are busy. For one event loop."""

    def __init__(self, url: URL, settings: PoolSettings) -> None:
        self._url = url
        self._settings = settings
        self._all: list[ReadThread] = []
        self._idle: list[ReadThread] = []
        self._busy: dict[ReadThread, QueuedRead] = {}
        self._waiting: deque[QueuedRead] = deque()
        self._closed = False

    def submit(self, query: Callable[[Connection], T]) -> asyncio.Future[T]:
        """The result of `query` on one snapshot of committed data; it waits for a thread where all are busy.

        A caller that does not wait any more gets nothing begun; what has begun goes on to its end. Raises StoreUnavailable
        when closed; the future has the error that the caller of a failed read sees.
        """
        if self._closed:
            raise StoreUnavailable("the database is closed")
        loop = asyncio.get_running_loop()
        job = QueuedRead(query, loop.create_future())
        if self._idle:  # the one that was busy last: its connection has the pages that are read at the moment
            self._begin(self._idle.pop(), job)
        elif len(self._all) < self._settings.pool_size:
            self._all.append(ReadThread(self._url, self._settings, loop, self._done))
            self._begin(self._all[-1], job)
        else:
            self._waiting.append(job)
        return job.future

    async def close(self) -> None:
        """Take nothing new, let what has been taken end within the time of a read, and end the threads.

        One that hangs ends with the process.
        """
        self._closed = True
        if left := [job.future for job in (*self._busy.values(), *self._waiting)]:
            await asyncio.wait(left, timeout=self._settings.timeout)
        for each in self._all:
            each.end()
        if self._all:
            await asyncio.wait([asyncio.create_task(asyncio.to_thread(each.join, CLOSING)) for each in self._all])

    def _begin(self, thread: ReadThread, job: QueuedRead) -> None:
        self._busy[thread] = job
        thread.begin(job)

    def _done(self, thread: ReadThread, job: QueuedRead, outcome: Outcome) -> None:
        """In the loop: hand the outcome over, and give the thread what waits."""
        del self._busy[thread]
        while self._waiting and self._waiting[0].future.done():
            self._waiting.popleft()
        if self._waiting:
            self._begin(thread, self._waiting.popleft())
        else:
            self._idle.append(thread)
        if job.future.done():
            return
        if outcome.error is None:
            job.future.set_result(outcome.result)
        else:
            job.future.set_exception(outcome.error)


class ReadThread:
    """A thread and its connection, which it makes when it first reads."""

    def __init__(
        self,
        url: URL,
        settings: PoolSettings,
        loop: asyncio.AbstractEventLoop,
        done: Callable[[ReadThread, QueuedRead, Outcome], None],
    ) -> None:
        self._engine = reader_engine(url, settings)
        self._conn: Connection | None = None
        self._loop = loop
        self._done = done
        self._queue: SimpleQueue[QueuedRead | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="reader", daemon=True)
        self._thread.start()

    def begin(self, job: QueuedRead) -> None:
        """Read this next; `done` is called in the loop afterwards."""
        self._queue.put(job)

    def end(self) -> None:
        """End the thread when what it has been given is read."""
        self._queue.put(None)

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended, for so many seconds at most."""
        self._thread.join(seconds)

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            outcome = self._outcome(job.query)
            try:
                self._loop.call_soon_threadsafe(self._done, self, job, outcome)
            except RuntimeError:  # the loop is closed: no caller is left
                break
            del job, outcome  # they may be large, and the next one may be long in coming
        self._disconnect()

    def _outcome(self, query: Callable[[Connection], Any]) -> Outcome:
        try:
            with store_errors():
                return Outcome(self._read(query))
        except StopIteration:  # a future cannot carry one
            return Outcome(error=RuntimeError("a query raised StopIteration"))
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
            return Outcome(error=error)

    def _read(self, query: Callable[[Connection], T]) -> T:
        """On the one connection, which is let go where it cannot go on after a failure."""
        if self._conn is None:
            self._conn = self._engine.connect()
        try:
            with self._conn.begin():
                execute(self._conn, "BEGIN")  # a compiled query goes to the driver, and would begin nothing
                return query(self._conn)
        except exc.SQLAlchemyError:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        conn, self._conn = self._conn, None
        discard(conn)


def reader_engine(url: URL, settings: PoolSettings) -> Engine:
    """A synchronous engine whose connections cannot write, and begin nothing by themselves."""
    engine = create_engine(url.set(drivername="sqlite+pysqlite"), **reader_options(settings))
    run_reader_pragmas(engine)
    return engine


def reader_options(settings: PoolSettings) -> dict[str, Any]:
    """What SQLAlchemy makes an engine of readers with, whatever its driver."""
    return {
        "hide_parameters": True,
        "connect_args": {"isolation_level": None, "timeout": settings.timeout},
        "pool_size": 1,
        "max_overflow": 0,
        "pool_timeout": settings.timeout,
    }


def run_reader_pragmas(engine: Engine) -> None:
    """Have each new connection refuse to write."""
    run_pragmas(engine, READER_PRAGMAS)


def run_pragmas(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Run these on each new connection."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
