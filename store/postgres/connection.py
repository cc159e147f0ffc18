"""One line to PostgreSQL: a connection on which units run in transactions, one after the other.

A unit runs in a greenlet, which waits for the driver without holding up the event loop. BEGIN and COMMIT are the line's
own (its connection is in autocommit as SQLAlchemy sees it): pool and transactions of SQLAlchemy take longer than the round
trips of a write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet
from sqlalchemy import Connection, exc
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi
from sqlalchemy.util import greenlet_spawn

from store.errors import StoreError
from store.postgres.session import LOST, drop, goodbye
from store.records import StoredGame
from store.sql.compiled_query import raised

if TYPE_CHECKING:
    from sqlalchemy import Engine

T = TypeVar("T")
Held = dict[str, StoredGame]
Work = Callable[[Connection, Held], T]
"""A unit: given the connection and the liveblogs that its transaction holds already."""

WRITING = "BEGIN"
READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
"""One snapshot for all statements."""
ALONE = ""
"""No transaction, for a single statement."""
STALE = AsyncAdapt_asyncpg_dbapi.InvalidCachedStatementError
"""What the driver raises where the schema was changed since the connection prepared the statement."""


class UnitGreenlet(greenlet):  # type: ignore[misc]  # it comes without types
    """Runs synchronous functions that wait by SQLAlchemy's `await_`, one after the other, from one task.

    SQLAlchemy's own `greenlet_spawn` makes a greenlet for each, with a stack of its own that is mapped and given back.
    """

    __sqlalchemy_greenlet_provider__ = True  # what `await_` looks for

    def __init__(self) -> None:
        super().__init__(_serve_forever)
        self.gr_context = getcurrent().gr_context  # the task's, as if it ran there

    async def do(self, work: Callable[..., T], *args: Any) -> T:
        """The result of `work(*args)`."""
        got = self.switch(work, args)
        while not isinstance(got, Ended):
            try:
                value = await got
            except BaseException:  # noqa: BLE001 -- raised where it waits
                got = self.throw(*sys.exc_info())
            else:
                got = self.switch(value)
        if got.error is not None:
            raise got.error
        result: T = got.result
        return result


class Ended(NamedTuple):
    """What a function came to."""

    result: Any = None
    error: BaseException | None = None


def _serve_forever(work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    while True:
        try:
            ended = Ended(work(*args))
        except GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 -- raised where it is waited for
            ended = Ended(error=error)
        del work, args
        work, args = getcurrent().parent.switch(ended)
        del ended


class PooledConnection:
    """A connection that is made when it is needed, and given up when it fails."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._conn: Connection | None = None
        self._driver: Any = None
        self._hand = UnitGreenlet()

    async def transact(self, begin: str, work: Work[T]) -> T:
        """The result of `work`, committed. Raises the errors of SQLAlchemy and what `work` raises."""
        try:
            conn = await self._begun(begin)
            result = await self._hand.do(work, conn, {})
            conn.commit()  # ends what SQLAlchemy began by itself; the server hears nothing of it
            if begin:
                await self._end(conn)
        except BaseException as error:
            await self._undo(error)
            raise
        return result

    async def close(self) -> None:
        """Take leave of the server."""
        if self._conn is not None:
            await goodbye(self._driver)
        self.drop()

    def drop(self) -> None:
        """Give the connection up as it is, in the middle of an answer too; the server undoes what was not committed."""
        conn, self._conn = self._conn, None
        if conn is not None:
            drop(conn)

    async def _begun(self, begin: str) -> Connection:
        """The connection, in a transaction. One that was lost since its last use is made anew: nothing has happened."""
        if self._conn is not None:
            try:
                if begin:
                    await self._say(self._conn, begin)
            except Exception:  # noqa: BLE001 -- whatever it is, a new connection will show
                self.drop()
            else:
                return self._conn
        conn = self._conn = await greenlet_spawn(self._engine.connect)
        self._driver = conn.connection.driver_connection
        if begin:
            await self._say(conn, begin)
        return conn

    async def _end(self, conn: Connection) -> None:
        if await self._say(conn, "COMMIT") != "COMMIT":
            raise StoreError("a unit went on after one of its statements had failed: nothing of it was written")

    async def _say(self, conn: Connection, sql: str) -> str:
        """Run a statement without parameters, outside the greenlet; returns the server's name for what it did."""
        try:
            return str(await self._driver.execute(sql))
        except Exception as error:
            raise raised(conn, sql, error) from error

    async def _undo(self, error: BaseException) -> None:
        """Back to a connection without a transaction, or to none where that cannot be."""
        conn = self._conn
        if conn is not None and isinstance(error, Exception) and not conn.invalidated and not stale(error):
            with suppress(*LOST):
                conn.rollback()
                await self._say(conn, "ROLLBACK")
                return
        self.drop()


def stale(error: BaseException) -> bool:
    """Whether the schema was changed since the connection prepared the statement."""
    return isinstance(error, exc.DBAPIError) and isinstance(error.orig, STALE)
