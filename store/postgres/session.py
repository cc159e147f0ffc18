"""A connection to PostgreSQL that is kept for what lasts as long as it does: a lock, hearing, the queue of jobs.

The driver is used as it is; SQLAlchemy only finds the way to the server, so that one address means one thing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import asyncpg
from sqlalchemy import exc
from sqlalchemy.util import greenlet_spawn

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

GOODBYE = 1.0
"""Seconds for taking leave of the server; the connection ends without it as well."""

LOST = (
    exc.SQLAlchemyError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # "cannot switch to state": the driver lost track when the server went in mid-answer
    OSError,
)
"""What a connection fails with, whatever has become of the server."""


class Session:
    """One connection outside any transaction. `driver`: the connection of asyncpg."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self.driver: Any = conn.connection.driver_connection

    @classmethod
    async def open(cls, engine: Engine) -> Session:
        """Connect. Raises one of LOST."""
        return cls(await greenlet_spawn(engine.connect))

    async def close(self) -> None:
        """Take leave of the server, as long as it hears."""
        await goodbye(self.driver)
        self.drop()

    def drop(self) -> None:
        """End the connection as it is, in the middle of an answer too; nobody is waited for."""
        drop(self._conn)


async def goodbye(driver: Any) -> None:
    """Take leave. Bounded from outside: the driver waits without end for a statement that a frozen server does not cancel."""
    with suppress(*LOST):
        async with asyncio.timeout(GOODBYE):
            await driver.close()


def drop(conn: Connection) -> None:
    """End SQLAlchemy's connection at once, without a word to the server, which undoes what was not committed."""
    with suppress(*LOST):
        conn.invalidate()
        conn.close()
