"""PostgreSQL: each unit in a transaction of its own, every wait bounded, lost races run again.

A unit runs in one greenlet from the connection to the COMMIT; SQLAlchemy's own way changes into one at each step.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, event, exc
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, NullPool
from sqlalchemy.util import greenlet_spawn

from store.errors import POSTGRES_RACES, STALE, house_errors, sqlstate
from store.notices import Notices
from store.presence import Presence
from store.tasks import Tasks
from store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import URL

    from store.settings import PoolSettings

T = TypeVar("T")

FRESH = 1.0
"""Seconds for which a connection that was just used is taken to be there."""
ATTEMPTS = 3
"""Runs of a unit that loses against others (unique key, deadlock, a new schema) before its error counts."""


def single(url: URL, settings: PoolSettings, purpose: str) -> AsyncEngine:
    """An engine without a pool, whose connections are in no transaction: for one that is kept for long."""
    return create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={
            "timeout": settings.timeout,
            "command_timeout": settings.timeout,
            "server_settings": {"application_name": f"matchwire {purpose}"},
        },
    )


def engine(url: URL, settings: PoolSettings) -> AsyncEngine:
    """An engine whose connections, statements and waits all end within `settings.timeout`."""
    milliseconds = str(int(settings.timeout * 1000))
    made = create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        pool_size=settings.connections,
        max_overflow=0,
        pool_timeout=settings.timeout,
        connect_args={
            "timeout": settings.timeout,
            "command_timeout": settings.timeout,  # the server's own limit is of no use while the server is frozen
            "server_settings": {
                "application_name": "matchwire",
                "statement_timeout": milliseconds,
                "lock_timeout": milliseconds,
                "idle_in_transaction_session_timeout": milliseconds,
            },
        },
    )
    _ask_the_idle(made)
    return made


def _ask_the_idle(made: AsyncEngine) -> None:
    """Ask a connection whether it is still there, but not one that has just answered: asking takes three round trips."""
    dialect: Any = made.sync_engine.dialect

    @event.listens_for(made.sync_engine.pool, "checkin")
    def note(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["answered"] = time.monotonic()

    @event.listens_for(made.sync_engine.pool, "checkout")
    def ask(connection: Any, record: ConnectionPoolEntry, _proxy: Any) -> None:
        if time.monotonic() - record.info.get("answered", math.inf) < FRESH:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            raise exc.InvalidatePoolError from error


class PostgresBackend:
    """The store on PostgreSQL, shared by as many processes as there are."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        self._settings = settings
        self._clock = clock
        self._engine = engine(url, settings)
        self._readers = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._tasks = Tasks()
        self._single = single(url, settings, "presence")
        self.presence = Presence(self._single)
        self.notices = Notices(single(url, settings, "notices"))

    async def write(self, work: Callable[[Unit], T]) -> T:
        return await self._tasks.finish(self._write(work), self._settings.timeout)

    async def read(self, query: Callable[[Connection], T]) -> T:
        return await self._tasks.finish(self._read(query), self._settings.timeout)

    async def glance(self, query: Callable[[Connection], T]) -> T:
        return await self.read(query)

    async def ping(self) -> None:
        """Raises StoreUnavailable when the server does not answer."""
        await self.read(_select_one)

    async def close(self) -> None:
        await self.notices.close()
        await self._tasks.drain(self._settings.drain)
        await self.presence.close()
        await self._single.dispose()
        await self._engine.dispose()

    async def _write(self, work: Callable[[Unit], T]) -> T:
        with house_errors():
            async with asyncio.timeout(self._settings.timeout):
                return await self._transact(work)

    async def _transact(self, work: Callable[[Unit], T]) -> T:
        for _ in range(1, ATTEMPTS):
            try:
                return await self._once(work)
            except exc.DBAPIError as error:
                if sqlstate(error) not in POSTGRES_RACES and not isinstance(error.orig, STALE):
                    raise
        return await self._once(work)

    async def _once(self, work: Callable[[Unit], T]) -> T:
        def unit() -> T:
            with self._engine.sync_engine.begin() as conn:
                return work(Unit(conn, int(self._clock())))

        return await greenlet_spawn(unit)

    async def _read(self, query: Callable[[Connection], T]) -> T:
        def snapshot() -> T:
            with self._readers.sync_engine.connect() as conn:
                return query(conn)

        with house_errors():
            async with asyncio.timeout(self._settings.timeout):
                return await greenlet_spawn(snapshot)


def _select_one(conn: Connection) -> Any:
    return conn.exec_driver_sql("SELECT 1").scalar_one()
