"""PostgreSQL: each unit in a transaction of its own, every wait bounded, lost races run again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from store.engine.errors import StoreError, connect_error, unavailable
from store.engine.postgres.connection import PostgresConnection, make_engine
from store.engine.postgres.sessions import LOST, LivenessLock, NotifyListener, NotifySender, Session, sessions_last
from store.engine.settings import PoolSettings
from store.engine.unit import Transaction, Unit, UnitPool, in_unit

T = TypeVar("T")
READ, WRITE = Transaction.READ, Transaction.WRITE

NO_SESSIONS = (
    "database.url leads through a pooler that gives a connection away after each transaction (PgBouncer in transaction"
    " mode): name the same database, straight at its server, in database.direct_url"
)


async def run_once(
    url: URL, settings: PoolSettings, work: Callable[[Connection], T], transaction: Transaction = WRITE
) -> T:
    """The result of `work`, committed, over a connection that is made for it."""
    pool = _pool(url, settings, pooler=False)
    try:
        return await pool.run(transaction, lambda conn, _: work(conn))
    finally:
        await pool.close()


def _pool(url: URL, settings: PoolSettings, *, pooler: bool) -> UnitPool:
    connect = partial(PostgresConnection, make_engine(url, settings, pooler=pooler), settings, pooler=pooler)
    return UnitPool(connect, settings, settings.pool_size, "matchwire-unit")


class PostgresBackend:
    """The store on PostgreSQL, shared by as many processes as there are.

    `direct_url` is the same database without the transaction pooler that `url` leads through; None: there is none.
    """

    def __init__(self, url: URL, clock: Callable[[], float], settings: PoolSettings, direct_url: URL | None) -> None:
        self._clock = clock
        self._settings = settings
        self._direct_url = direct_url or url
        self._pool = _pool(url, settings, pooler=direct_url is not None)
        self.liveness = LivenessLock(partial(self._session, "presence"))
        self.notices = NotifyListener(partial(self._session, "notices"), NotifySender(self._notify))

    async def check(self) -> None:
        """Raises StoreError unless what a session holds lasts as long as its connection; DatabaseRefused, StoreUnavailable."""
        try:
            lasting = await sessions_last(partial(self._session, "check"), self._settings.timeout)
        except LOST as error:
            failure = connect_error(error, self._direct_url)
            raise (unavailable(error) if failure is error else failure) from error
        if not lasting:
            raise StoreError(NO_SESSIONS)

    @property
    def waiting(self) -> int:
        """How many units wait for their outcome."""
        return self._pool.waiting

    async def write(
        self, work: Callable[[Unit], T], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> T:
        return await self._pool.run(WRITE, in_unit(work, self._clock), group_key, committed)

    async def prepare(self, work: Callable[[Unit], T]) -> T:
        return await self.write(work)

    async def read(self, query: Callable[[Connection], T]) -> T:
        return await self._pool.run(READ, lambda conn, _: query(conn))

    async def read_for_write(self, query: Callable[[Connection], T]) -> T:
        return await self.read(query)

    async def ping(self) -> None:
        """Raises StoreUnavailable when the server does not answer."""
        await self.read(lambda conn: conn.exec_driver_sql("SELECT 1").scalar_one())

    async def _notify(self, statement: Callable[[Connection], None]) -> None:
        await self._pool.run(Transaction.NONE, lambda conn, _: statement(conn))

    async def _session(self, purpose: str) -> Session:
        return await Session.open(self._direct_url, self._settings, purpose)

    async def close(self) -> None:
        await self.notices.close()
        await self._pool.close()
        await self.liveness.close()
