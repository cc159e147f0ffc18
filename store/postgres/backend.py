"""PostgreSQL: each unit in a transaction of its own, every wait bounded, lost races run again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from store.postgres.connection import ALONE, READING, WRITING
from store.postgres.connection_pool import ConnectionPool
from store.postgres.liveness_lock import LivenessLock
from store.postgres.notify import NotifyListener, NotifySender
from store.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

    from store.postgres.connection import Held
    from store.settings import PoolSettings

T = TypeVar("T")
CONNECT = 10.0
"""Seconds after which a connection that does not come about is given up, however patient the statements are."""


def engine(url: URL, settings: PoolSettings, **connect_args: Any) -> Engine:
    """An engine without a pool, whose connections are in no transaction; it connects only inside `greenlet_spawn`.

    SQLAlchemy's asynchronous engine is this one in a wrapper, whose package loads all of the ORM: a tenth of a start.
    """
    return create_engine(
        url.set(drivername="postgresql+asyncpg"),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": min(settings.timeout, CONNECT), **connect_args},
    )


def single(url: URL, settings: PoolSettings, purpose: str) -> Engine:
    """An engine for a connection that is kept for long."""
    named = {"application_name": f"matchwire {purpose}"}
    return engine(url, settings, command_timeout=settings.timeout, server_settings=named)


def lines(url: URL, settings: PoolSettings) -> ConnectionPool:
    """Lines whose connections, statements and waits all end within `settings.timeout`."""
    milliseconds = str(int(settings.timeout * 1000))
    bounds = {
        "application_name": "matchwire",
        "statement_timeout": milliseconds,
        "lock_timeout": milliseconds,
        "idle_in_transaction_session_timeout": milliseconds,
    }
    return ConnectionPool(engine(url, settings, server_settings=bounds), settings)


async def once(url: URL, settings: PoolSettings, work: Callable[[Connection], T], begin: str = WRITING) -> T:
    """The result of `work`, committed, over a connection that is made for it."""
    made = lines(url, settings)
    try:
        return await made.run(begin, lambda conn, _: work(conn))
    finally:
        await made.close()


class PostgresBackend:
    """The store on PostgreSQL, shared by as many processes as there are."""

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings) -> None:
        self._clock = clock
        self._lines = lines(url, settings)
        self.presence = LivenessLock(single(url, settings, "presence"))
        self.notices = NotifyListener(single(url, settings, "notices"), NotifySender(self._alone))

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


def _select_one(conn: Connection) -> Any:
    return conn.exec_driver_sql("SELECT 1").scalar_one()
