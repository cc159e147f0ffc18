"""PostgreSQL: each unit in a transaction of its own, every wait bounded, lost races run again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from store.line import ALONE, READING, WRITING
from store.lines import Lines
from store.notices import Notices, Voice
from store.presence import Presence
from store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

    from store.line import Held
    from store.settings import PoolSettings

T = TypeVar("T")


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


def lines(url: URL, settings: PoolSettings) -> Lines:
    """Lines whose connections, statements and waits all end within `settings.timeout`."""
    milliseconds = str(int(settings.timeout * 1000))
    engine = create_async_engine(
        url.set(drivername="postgresql+asyncpg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={
            "timeout": settings.timeout,
            "server_settings": {
                "application_name": "matchwire",
                "statement_timeout": milliseconds,
                "lock_timeout": milliseconds,
                "idle_in_transaction_session_timeout": milliseconds,
            },
        },
    )
    return Lines(engine, settings)


async def once(url: URL, settings: PoolSettings, work: Callable[[Connection], T]) -> T:
    """The result of `work`, committed, over a connection that is made for it."""
    made = lines(url, settings)
    try:
        return await made.run(WRITING, lambda conn, _: work(conn))
    finally:
        await made.close()


class PostgresBackend:
    """The store on PostgreSQL, shared by as many processes as there are."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        self._clock = clock
        self._lines = lines(url, settings)
        self._single = single(url, settings, "presence")
        self.presence = Presence(self._single)
        self.notices = Notices(single(url, settings, "notices"), Voice(self._alone))

    async def write(
        self, work: Callable[[Unit], T], about: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        unit = partial(self._run, work)
        return await self._lines.run(WRITING, unit, about, committed)

    async def prepare(self, work: Callable[[Unit], T]) -> T:
        return await self.write(work)

    def _run(self, work: Callable[[Unit], T], conn: Connection, held: Held) -> T:
        return work(Unit(conn, int(self._clock()), held=held))

    async def read(self, query: Callable[[Connection], T]) -> T:
        return await self._lines.run(READING, lambda conn, _: query(conn))

    async def glance(self, query: Callable[[Connection], T]) -> T:
        return await self.read(query)

    async def ping(self) -> None:
        """Raises StoreUnavailable when the server does not answer."""
        await self.read(_select_one)

    async def _alone(self, statement: Callable[[Connection], None]) -> None:
        await self._lines.run(ALONE, lambda conn, _: statement(conn))

    async def close(self) -> None:
        await self.notices.close()
        await self._lines.close()
        await self.presence.close()
        await self._single.dispose()


def _select_one(conn: Connection) -> Any:
    return conn.exec_driver_sql("SELECT 1").scalar_one()
