"""SQLite: one thread that writes, threads that read beside it, a lock against a second daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from store.engine import private
from store.engine.errors import StoreError
from store.engine.settings import PoolSettings
from store.engine.sqlite.connection import READER_PRAGMAS, WRITER_PRAGMAS, SqliteConnection, make_engine, run_pragmas
from store.engine.sqlite.file_copy import leftovers
from store.engine.sqlite.file_lock import FileLock
from store.engine.unit import Hear, HearWord, Unit
from store.engine.unit_pool import Transaction, UnitPool, in_unit

T = TypeVar("T")
READ, WRITE = Transaction.READ, Transaction.WRITE
ALL = ""
"""The group key of all units that write."""


def database_file(url: URL) -> Path | None:
    """The file that `url` names; None for a database in memory."""
    return Path(url.database) if url.database and url.database != ":memory:" else None


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


class NoLivenessLock:
    """Stands for PostgreSQL's liveness lock: no second process can use the file, so nobody looks for a sign of life."""

    async def acquire(self, key: int) -> None:
        """Nothing to do."""

    async def is_locked(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing to do."""


class NoNotify:
    """Stands for PostgreSQL's notifications between processes: there is no second one."""

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
        self.liveness = NoLivenessLock()
        self.notices = NoNotify()
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
        """Raises StoreUnavailable when nothing can be read."""
        await self.read(_read_file)

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
        private.make(file)
        for suffix in ("-wal", "-shm"):
            private.tighten(file.with_name(file.name + suffix))
    except OSError as error:
        raise StoreError(f"cannot open the database {file}: {error.strerror}") from error


def _read_file(conn: Connection) -> Any:
    """Read a table: what names none needs no lock of the file, and succeeds while another program keeps it."""
    return conn.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
