"""Readers of an SQLite file: threads with an event loop of their own, on which aiosqlite reads and what it read is rendered.

What a read costs beside its statements (rows, documents, a rendered feed) so costs the daemon's event loop nothing.
"""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, event

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sqlalchemy.engine import URL
    from sqlalchemy.ext.asyncio import AsyncEngine

    from store.engine.settings import PoolSettings

T = TypeVar("T")

CLOSING = 2.0
"""Seconds that readers have to end."""
READER_PRAGMAS = ("query_only=ON",)


class ReadThreads:
    """At most `pool_size` threads, each made when all others are busy. For one event loop."""

    def __init__(self, url: URL, settings: PoolSettings) -> None:
        self._url = url
        self._settings = settings
        self._all: list[ReadThread] = []
        self._idle: list[ReadThread] = []
        self._places = asyncio.Semaphore(settings.pool_size)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """The result of `query` on one snapshot of committed data; waits for a thread where all are busy."""
        async with self._places:
            reader = self._idle.pop() if self._idle else self._another()
            try:
                return await reader.read(query)
            finally:
                self._idle.append(reader)

    async def close(self) -> None:
        """End the threads, which nobody waits for any more; one that still reads or renders ends with the process."""
        if self._all:
            await asyncio.wait([asyncio.ensure_future(each.close()) for each in self._all], timeout=CLOSING)

    def _another(self) -> ReadThread:
        reader = ReadThread(self._url, self._settings, type(asyncio.get_running_loop())())
        self._all.append(reader)
        return reader


class ReadThread:
    """One connection, and the thread of its event loop."""

    def __init__(self, url: URL, settings: PoolSettings, loop: asyncio.AbstractEventLoop) -> None:
        self._url = url
        self._settings = settings
        self._loop = loop
        self._engine: AsyncEngine
        self._thread = Thread(target=self._run, name="reader", daemon=True)
        self._thread.start()

    async def read(self, query: Callable[[Connection], T]) -> T:
        """The result of `query`; what is read and made of it runs in the thread."""
        return await self._do(self._read(query))

    async def close(self) -> None:
        """End the thread."""
        await self._do(self._dispose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        self._engine = reader_engine(self._url, self._settings)
        self._loop.run_forever()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _read(self, query: Callable[[Connection], T]) -> T:
        return await read(self._engine, query)

    async def _dispose(self) -> None:
        await self._engine.dispose()


def reader_engine(url: URL, settings: PoolSettings) -> AsyncEngine:
    """An engine of one connection whose transactions are snapshots and cannot write; used through `read`."""
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(
        url.set(drivername="sqlite+aiosqlite"),
        hide_parameters=True,
        connect_args={"isolation_level": None, "timeout": settings.timeout},
        pool_size=1,
        max_overflow=0,
        pool_timeout=settings.timeout,
    )
    run_pragmas(engine.sync_engine, READER_PRAGMAS)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


async def read(engine: AsyncEngine, query: Callable[[Connection], T]) -> T:
    """The result of `query` on one snapshot of committed data, in the thread that calls."""
    async with engine.begin() as conn:  # a compiled query goes to the driver itself, and would begin nothing
        return await conn.run_sync(query)


def run_pragmas(engine: Engine, pragmas: tuple[str, ...]) -> None:
    """Run these on each new connection."""

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        for pragma in pragmas:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()


def _begin(conn: Connection) -> None:
    conn.exec_driver_sql("BEGIN")
