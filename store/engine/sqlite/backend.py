"""SQLite: one thread that writes, threads that read beside it, a lock against a second daemon.

The lock is one that the operating system releases, however the process ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import URL
from sqlalchemy.pool import NullPool, StaticPool

from store.engine import private_files
from store.engine.errors import AlreadyRunning, StoreError, caller_error, late, unavailable
from store.engine.settings import PoolSettings, database_file
from store.engine.sqlite.file_copy import leftovers
from store.engine.statements import execute
from store.engine.unit import (
    Hear,
    HearWord,
    Locked,
    PooledConnection,
    QueuedUnit,
    Transaction,
    Unit,
    UnitOutcome,
    UnitPool,
    in_unit,
)


class FileLock:
    """An exclusive `flock` on `<file>.lock`, held from construction until `release` or the end of the process.

    Raises AlreadyRunning when another process (or another store of this one) holds it, StoreError where no file can be.
    """

    def __init__(self, database: Path) -> None:
        real = database.resolve()  # two names of one file are one database
        try:
            self._fd = os.open(f"{real}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open the database {real}: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise AlreadyRunning(f"{real} is in use by another matchwire process (pid {owner or '?'})") from error
        with suppress(OSError):  # the pid is a courtesy to the operator; a full disk must not stop the start
            pid = str(os.getpid()).encode()
            os.pwrite(self._fd, pid, 0)  # over what is there: whoever reads it meanwhile never finds an empty file
            os.ftruncate(self._fd, len(pid))

    def release(self) -> None:
        os.close(self._fd)


READER_PRAGMAS = ("query_only=ON",)
WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",  # an acknowledged write survives the loss of power
    "foreign_keys=ON",
    "cache_size=-49152",  # KiB; the default of 2 MB reads pages of many liveblogs again and again, more saves nothing
    "temp_store=MEMORY",  # the journal of a statement is no file: none can be opened where descriptors have run out
    "journal_size_limit=67108864",  # a WAL that had to grow shrinks again at the next checkpoint
)


def make_engine(url: URL, settings: PoolSettings, pragmas: tuple[str, ...]) -> Engine:
    """An engine without a pool, whose connections begin nothing by themselves and run `pragmas` first."""
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        hide_parameters=True,  # they are what readers and clients sent
        connect_args={"isolation_level": None, "timeout": settings.timeout, "check_same_thread": False},
        poolclass=NullPool if url.database and url.database != ":memory:" else StaticPool,
    )
    run_pragmas(engine, pragmas)
    return engine


def run_pragmas(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Have each connection of the engine run these first."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


class TransactionLost(Exception):
    """SQLite has rolled the whole transaction back under a failing unit."""


class SqliteConnection(PooledConnection):
    """A connection on which units that write have a SAVEPOINT each, and share a commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._conn: Connection | None = None

    def run(self, first: QueuedUnit, more: Iterator[QueuedUnit]) -> list[UnitOutcome]:
        locked: Locked = {}
        try:
            conn = self._begun(first.transaction)
            outcomes = [self._attempt(conn, unit, locked) for unit in chain((first,), more)]
            conn.commit()
        except BaseException as error:
            self._undo()
            raise unavailable(error) from error
        return outcomes

    def close(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            with suppress(exc.SQLAlchemyError):  # it may be broken
                conn.invalidate()
                conn.close()

    def _begun(self, transaction: Transaction) -> Connection:
        if self._conn is None:
            self._conn = self._engine.connect()
        self._conn.begin()
        # The driver's own transaction control is off (isolation_level None), so that this BEGIN is the only one.
        execute(self._conn, "BEGIN IMMEDIATE" if transaction is Transaction.WRITE else "BEGIN")
        return self._conn

    def _attempt(self, conn: Connection, unit: QueuedUnit, locked: Locked) -> UnitOutcome:
        """Run one unit; the failure of one that writes undoes what it did and nothing else."""
        if unit.late:  # waiting for somebody else's lock has taken longer than its caller waited
            return UnitOutcome(unit, error=late())
        try:
            if unit.transaction is not Transaction.WRITE:
                return UnitOutcome(unit, unit.work(conn, locked))
            execute(conn, "SAVEPOINT unit")
            result = unit.work(conn, locked)
            execute(conn, "RELEASE unit")
        except BaseException as error:  # noqa: BLE001 -- whatever it is belongs to the caller, not to this thread
            outcome = UnitOutcome(unit, error=caller_error(error))
            locked.clear()
            if unit.transaction is Transaction.WRITE:
                with suppress(exc.DBAPIError):  # already gone when SQLite has rolled the transaction back: checked next
                    execute(conn, "ROLLBACK TO unit")
                    execute(conn, "RELEASE unit")
        else:
            outcome = UnitOutcome(unit, result)
        if not _in_transaction(conn):
            raise TransactionLost
        return outcome

    def _undo(self) -> None:
        """Back to a connection without a transaction, or to none where that cannot be."""
        if self._conn is not None:
            with suppress(exc.SQLAlchemyError):
                self._conn.rollback()
                if not _in_transaction(self._conn):
                    return
        self.close()


def _in_transaction(conn: Connection) -> bool:
    driver = conn.connection.driver_connection
    return driver is not None and bool(driver.in_transaction)


T = TypeVar("T")
READ, WRITE = Transaction.READ, Transaction.WRITE
ALL = ""
"""The group key of all units that write."""


def writer_engine(url: URL, settings: PoolSettings) -> Engine:
    """An engine whose connections can write, on a file that it makes private. Raises StoreError where there can be no file."""
    if (file := database_file(url)) is not None:
        _make_private(file.resolve())
    return make_engine(url, settings, WRITER_PRAGMAS)


def run_once(url: URL, settings: PoolSettings, work: Callable[[Connection], T]) -> T:
    """The result of `work`, committed, over a connection that is made for it."""
    engine = writer_engine(url, settings)
    try:
        with engine.connect() as conn:
            conn.exec_driver_sql("BEGIN IMMEDIATE")
            result = work(conn)
            conn.commit()
            return result
    finally:
        engine.dispose()


async def read_once(url: URL, settings: PoolSettings, query: Callable[[Connection], T]) -> T:
    """The result of `query` on one snapshot of committed data, by aiosqlite, over a connection made for it that cannot write.

    For commands, which read once: a daemon reads in threads.
    """
    from sqlalchemy.ext.asyncio import create_async_engine

    connect = {"isolation_level": None, "timeout": settings.timeout}
    engine = create_async_engine(url.set(drivername="sqlite+aiosqlite"), hide_parameters=True, connect_args=connect)
    run_pragmas(engine.sync_engine, READER_PRAGMAS)
    try:
        async with engine.connect() as conn:
            await conn.exec_driver_sql("BEGIN")  # a compiled query goes to the driver itself, and would begin nothing
            return await conn.run_sync(query)
    finally:
        await engine.dispose()


class NoOtherProcess:
    """Stands for PostgreSQL's liveness lock and notifications: no second process can use the file, so nobody looks or listens."""

    async def acquire(self, key: int) -> None:
        """Nothing to do."""

    async def is_locked(self) -> bool:
        return True

    def start(self, hear: Hear) -> None:
        """Nothing to do."""

    def notify(self, stepped: Mapping[str, int]) -> None:
        """Nothing to do."""

    def announce(self, word: str) -> None:
        """Nothing to do."""

    def on_word(self, hear: HearWord) -> None:
        """Nothing to do."""


class SqliteBackend:
    """The store on one SQLite file, or in memory, where the thread that writes reads as well."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        file = database_file(url)
        self._clock = clock
        self.liveness = self.notices = NoOtherProcess()
        self._lock = None if file is None else FileLock(file)
        self._engine = writer_engine(url, settings)
        self._writer = UnitPool(partial(SqliteConnection, self._engine), settings, 1, "matchwire-writer")
        connect = partial(SqliteConnection, make_engine(url, settings, READER_PRAGMAS))
        self._readers = None if file is None else UnitPool(connect, settings, settings.pool_size, "reader")

    @property
    def waiting(self) -> int:
        """How many units wait for their turn to write, or are under way."""
        return self._writer.waiting

    async def write(
        self, work: Callable[[Unit], T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        """All units have one key: they go one after the other anyway."""
        del group_key
        return await self._writer.run(WRITE, in_unit(work, self._clock), ALL, committed)

    async def check(self) -> None:
        """Nothing to check: no server is on the way."""

    async def prepare(self, work: Callable[[Unit], T]) -> T:
        """Like `write`, however long it takes: a migration may rewrite all tables."""
        return await self._writer.run(WRITE, in_unit(work, self._clock), ALL, bounded=False)

    async def read_for_write(self, query: Callable[[Connection], T]) -> T:
        return await self.write(lambda unit: query(unit.conn))

    async def read(self, query: Callable[[Connection], T]) -> T:
        if self._readers is None:
            return await self.read_for_write(query)
        return await self._readers.run(READ, lambda conn, _: query(conn))

    async def ping(self) -> None:
        """Raises StoreUnavailable when nothing can be read: what names no table succeeds while another program keeps the file."""
        await self.read(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one())

    async def close(self) -> None:
        ended = await self._writer.close()
        if self._readers is not None:
            await self._readers.close()
        self._engine.dispose()
        if self._lock is not None and ended:  # a thread that hangs keeps the file until the process ends
            self._lock.release()


def _make_private(file: Path) -> None:
    """Before SQLite opens it, which gives the files beside it the same mode.

    Raises StoreError where a new one would stand beside what is left of another: that would be an empty database in the
    place of one that somebody has.
    """
    if not file.exists() and (left := leftovers(file)):
        names = ", ".join(each.name for each in left)
        raise StoreError(
            f"there is no database {file}, but beside it {names}: a restore was broken off, or the file was taken away;"
            " restore a backup, or move what is left elsewhere"
        )
    try:
        private_files.make(file)
        for suffix in ("-wal", "-shm"):
            private_files.tighten(file.with_name(file.name + suffix))
    except OSError as error:
        raise StoreError(f"cannot open the database {file}: {error.strerror}") from error
