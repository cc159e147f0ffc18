"""SQLite: one writer thread, read-only readers beside it, a lock against a second daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

from mapping.errors import StoreUnavailable
from store.engine import private
from store.engine.errors import StoreError, late
from store.engine.sqlite.file_copy import leftovers
from store.engine.sqlite.file_lock import FileLock
from store.engine.sqlite.read_threads import ReadThreads, run_pragmas
from store.engine.sqlite.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy.engine import URL

    from store.engine.postgres.notify import Hear, HearWord
    from store.engine.settings import PoolSettings
    from store.engine.unit import Unit

T = TypeVar("T")

WRITER_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",  # an acknowledged write survives the loss of power
    "foreign_keys=ON",
    "cache_size=-49152",  # KiB; the default of 2 MB reads pages of many liveblogs again and again, more saves nothing
    "temp_store=MEMORY",  # the journal of a statement is no file: none can be opened where descriptors have run out
    "journal_size_limit=67108864",  # a WAL that had to grow shrinks again at the next checkpoint
)


def database_file(url: URL) -> Path | None:
    """The file that `url` names; None for a database in memory."""
    return Path(url.database) if url.database and url.database != ":memory:" else None


def writer_engine(url: URL, settings: PoolSettings) -> Engine:
    """A synchronous engine whose connections can write and begin nothing by themselves, on a file that it makes private.

    Raises StoreError where there can be no file.
    """
    if (file := database_file(url)) is not None:
        _make_private(file.resolve())
    engine = create_engine(
        url.set(drivername="sqlite+pysqlite"),
        hide_parameters=True,  # they are what readers and clients sent
        connect_args={"isolation_level": None, "timeout": settings.timeout, "check_same_thread": False},
        poolclass=StaticPool if file is None else None,
    )
    run_pragmas(engine, WRITER_PRAGMAS)
    return engine


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
    """The store on one SQLite file, or in memory, where the writer's thread reads as well."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        file = database_file(url)
        self._settings = settings
        self.liveness = NoLivenessLock()
        self.notices = NoNotify()
        self._lock = None if file is None else FileLock(file)
        self._engine = writer_engine(url, settings)
        self._writer = Writer(self._engine, clock, settings)
        self._readers = None if file is None else ReadThreads(url, settings)

    @property
    def waiting(self) -> int:
        """How many units wait."""
        return self._writer.waiting

    async def write(
        self, work: Callable[[Unit], T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        """Units go one after the other anyway, whatever their `group_key`.

        Raises StoreUnavailable after `settings.timeout` seconds, however long the disk or a unit before it takes. What
        has not begun by then is left undone; what has may still be committed.
        """
        del group_key
        return await self._in_time(self._writer.submit(work, committed))

    async def _in_time(self, future: asyncio.Future[T]) -> T:
        """What becomes of the future; StoreUnavailable is set in it after `settings.timeout` seconds."""
        timer = asyncio.get_running_loop().call_later(self._settings.timeout, _give_up, future)
        try:
            return await future
        finally:
            timer.cancel()

    async def check(self) -> None:
        """Nothing to check: no server is on the way."""

    async def prepare(self, work: Callable[[Unit], T]) -> T:
        """Like `write`, however long it takes: a migration may rewrite all tables."""
        result: T = await self._writer.submit(work)
        return result

    async def read_for_write(self, query: Callable[[Connection], T]) -> T:
        return await self.write(lambda unit: query(unit.conn))

    async def read(self, query: Callable[[Connection], T]) -> T:
        if self._readers is None:
            return await self.read_for_write(query)
        return await self._in_time(self._readers.submit(query))

    async def ping(self) -> None:
        """Raises StoreUnavailable when nothing can be read, or nothing will be written any more."""
        if not self._writer.open:
            raise StoreUnavailable("the database is closed")
        await self.read(_read_file)

    async def close(self) -> None:
        await asyncio.to_thread(self._writer.close)
        if self._readers is not None:
            await self._readers.close()
        self._engine.dispose()
        if self._lock is not None and self._writer.ended:  # a thread that hangs keeps the file until the process ends
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


def _give_up(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_exception(late())


def _read_file(conn: Connection) -> Any:
    """Read a table: what names none needs no lock of the file, and succeeds while another program keeps it."""
    return conn.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one()
