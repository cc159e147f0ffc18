"""The store as the rest of the house sees it: open, write a unit, read, close."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.engine import URL, make_url

from mapping.errors import StoreUnavailable
from store import migrate as migrations
from store.errors import SchemaOutdated, StoreError
from store.settings import PoolSettings
from store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from store.postgres.backend import PostgresBackend
    from store.postgres.liveness_lock import LivenessLock
    from store.postgres.notify import Hear, Stepped
    from store.sqlite.backend import NoLivenessLock, SqliteBackend

__all__ = ["PoolSettings", "Store", "Unit"]

T = TypeVar("T")

DEFAULTS = PoolSettings()


class Store:
    """One database, opened. Safe to use from any task of the event loop that opened it."""

    def __init__(self, backend: SqliteBackend | PostgresBackend) -> None:
        self._backend = backend
        self._closed = False
        self._listeners: list[Hear] = []

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        pool: PoolSettings = DEFAULTS,
        migrate: bool | None = None,
    ) -> Store:
        """Open `sqlite+aiosqlite:///path` or `postgresql+asyncpg://…`, whose schema is current afterwards.

        `clock` gives Unix seconds. `migrate` None migrates on SQLite only; without migration a schema that is not
        current raises SchemaOutdated. Raises AlreadyRunning when another process holds the SQLite file, DatabaseRefused
        when the server does not let the user in, and StoreUnavailable when the database does not answer.
        """
        parsed = make_url(url)
        store = cls(_backend(parsed, clock, pool))
        try:
            await store._prepare(migrate=_is_sqlite(parsed) if migrate is None else migrate)
        except BaseException:
            await store.close()
            raise
        return store

    async def write(self, work: Callable[[Unit], T], *, about: str | None = None) -> T:
        """The result of `work`, once it is committed.

        `about` names the liveblog that `work` steps, where that is known: such units take turns instead of waiting for
        each other's locks, and share a transaction while many wait.
        What `work` raises is raised here, and nothing of it stays. StoreUnavailable: not written, or (PostgreSQL lost
        in the middle of COMMIT, a disk that hangs under SQLite) not known; it comes after `timeout` seconds at the latest.
        A caller that is cancelled does not cancel the unit.
        """
        self._check_open()
        stepped: dict[str, int] = {}

        def watched(unit: Unit) -> T:
            result = work(unit)
            stepped.update(unit.touched)  # versions only rise, so a unit that ran twice leaves the last run's
            return result

        def committed() -> None:
            if stepped:
                self._tell(stepped)
                self._backend.notices.tell(stepped)

        return await self._backend.write(watched, about, committed)

    def on_step(self, listener: Hear) -> None:
        """Tell `listener`, in the event loop, which liveblogs stepped, right after each commit of any process.

        A hint, not a guarantee: one step may be told twice, late, or by None, which means that anything may have
        stepped because the connection on which PostgreSQL tells was lost for a while.
        """
        self._listeners.append(listener)
        self._backend.notices.start(self._tell)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """The result of `query` on one snapshot of committed data. Never waits for a writer; cannot write."""
        self._check_open()
        return await self._backend.read(query)

    async def glance(self, query: Callable[[Connection], T]) -> T:
        """Like `read`, for a few rows by their key that are wanted for a write: it waits its turn with the writes.

        On SQLite that costs a tenth of a reader's connection; PostgreSQL has no cheaper way than `read`.
        """
        self._check_open()
        return await self._backend.glance(query)

    @property
    def presence(self) -> LivenessLock | NoLivenessLock:
        """The sign of life by which other processes on the database know that this one has not ended."""
        return self._backend.presence

    async def ping(self) -> None:
        """Raises StoreUnavailable unless the database answers."""
        self._check_open()
        await self._backend.ping()

    async def close(self) -> None:
        """Finish the units under way (bounded), then let go of the database. May be called twice."""
        if not self._closed:
            self._closed = True
            await self._backend.close()

    def _tell(self, stepped: Stepped) -> None:
        for listener in self._listeners:
            listener(stepped)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the database is closed")

    async def _prepare(self, *, migrate: bool) -> None:
        if migrate:
            await self._backend.prepare(lambda unit: migrations.upgrade_connection(unit.conn))
            return
        current = await self.read(migrations.current_of)
        if current != migrations.head():
            raise SchemaOutdated(
                f"the database schema is at {current or 'nothing'}, this version needs {migrations.head()}:"
                " run `matchwire db upgrade`"
            )


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _backend(url: URL, clock: Callable[[], float], pool: PoolSettings) -> SqliteBackend | PostgresBackend:
    match url.get_backend_name():
        case "sqlite":  # each loads the driver of its own kind, which the other does not need
            from store.sqlite.backend import SqliteBackend

            return SqliteBackend(url, clock, pool)
        case "postgresql":
            from store.postgres.backend import PostgresBackend

            return PostgresBackend(url, clock, pool)
        case other:
            raise StoreError(f"no such database: {other} (sqlite+aiosqlite:///path or postgresql+asyncpg://…)")
