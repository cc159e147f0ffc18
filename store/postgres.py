"""PostgreSQL: each unit in a transaction of its own, every wait bounded, lost races run again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, exc
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from store.errors import POSTGRES_RACES, house_errors, sqlstate
from store.presence import Presence
from store.tasks import Tasks
from store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import URL

    from store.settings import PoolSettings

T = TypeVar("T")

ATTEMPTS = 3
"""Runs of a unit that loses against concurrent ones (unique key, deadlock) before its error counts."""


def single(url: URL, settings: PoolSettings) -> AsyncEngine:
    """An engine without a pool, whose connections are in no transaction: for one that is kept for long."""
    return create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={
            "timeout": settings.timeout,
            "command_timeout": settings.timeout,
            "server_settings": {"application_name": "matchwire presence"},
        },
    )


def engine(url: URL, settings: PoolSettings) -> AsyncEngine:
    """An engine whose connections, statements and waits all end within `settings.timeout`."""
    milliseconds = str(int(settings.timeout * 1000))
    return create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        pool_size=settings.connections,
        max_overflow=0,
        pool_timeout=settings.timeout,
        pool_pre_ping=True,
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


class PostgresBackend:
    """The store on PostgreSQL, shared by as many processes as there are."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        self._settings = settings
        self._clock = clock
        self._engine = engine(url, settings)
        self._readers = self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        self._tasks = Tasks()
        self._single = single(url, settings)
        self.presence = Presence(self._single)

    async def write(self, work: Callable[[Unit], T]) -> T:
        return await self._tasks.finish(self._write(work), self._settings.timeout)

    async def read(self, query: Callable[[Connection], T]) -> T:
        return await self._tasks.finish(self._read(query), self._settings.timeout)

    async def ping(self) -> None:
        """Raises StoreUnavailable when the server does not answer."""
        await self.read(_select_one)

    async def close(self) -> None:
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
                if sqlstate(error) not in POSTGRES_RACES:
                    raise
        return await self._once(work)

    async def _once(self, work: Callable[[Unit], T]) -> T:
        async with self._engine.begin() as conn:
            return await conn.run_sync(lambda sync: work(Unit(sync, int(self._clock()))))

    async def _read(self, query: Callable[[Connection], T]) -> T:
        with house_errors():
            async with asyncio.timeout(self._settings.timeout), self._readers.connect() as conn:
                return await conn.run_sync(query)


def _select_one(conn: Connection) -> Any:
    return conn.exec_driver_sql("SELECT 1").scalar_one()
