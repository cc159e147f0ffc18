"""A connection to PostgreSQL that is kept for what lasts as long as it does: a lock, listening."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from sqlalchemy.engine import URL

from store.engine.postgres.connection import close_attempt, connect_timeout, shut_down, socket_handle
from store.engine.settings import PoolSettings

LOST = (psycopg.Error, OSError)
"""What a connection fails with, whatever has become of the server."""

PROBE = "matchwire_probe"
"""The channel on which a start finds out whether it hears itself."""


class Session:
    """One connection outside any transaction. `driver`: the connection of psycopg."""

    def __init__(self, driver: psycopg.AsyncConnection[Any], timeout: float) -> None:
        self.driver = driver
        self._timeout = timeout
        self._handle = socket_handle(driver)

    @classmethod
    async def open(cls, url: URL, settings: PoolSettings, purpose: str) -> Session:
        """Connect. Raises one of LOST."""
        _, given = url.get_dialect()().create_connect_args(url)
        try:
            driver = await psycopg.AsyncConnection.connect(
                **given,
                autocommit=True,
                application_name=f"matchwire {purpose}",
                connect_timeout=connect_timeout(settings),
            )
        except BaseException as error:  # that of a caller who is cancelled, too
            close_attempt(error)
            if isinstance(error, psycopg.errors.ConnectionTimeout):
                raise TimeoutError from error
            raise
        return cls(driver, settings.timeout)

    async def execute(self, sql: str) -> psycopg.AsyncCursor[Any]:
        """Run a statement without parameters. Raises one of LOST, also when the server does not answer in time."""
        with self.bounded():
            return await self.driver.execute(sql.encode())

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Break the connection off when what happens inside takes longer than the time-out."""
        timer = asyncio.get_running_loop().call_later(self._timeout, self.drop)
        try:
            yield
        finally:
            timer.cancel()

    def drop(self) -> None:
        """Break the connection off as it is: whatever waits for the server fails. `close` remains to be called."""
        shut_down(self._handle)

    async def close(self) -> None:
        """End the connection. Nobody is waited for."""
        await self.driver.close()
        self._handle.close()


async def sessions_last(connect: Callable[[], Awaitable[Session]], timeout: float) -> bool:  # noqa: ASYNC109 -- of the answer
    """Whether a connection keeps its session between transactions, which a transaction pooler gives to others.

    Without a pooler the server's process is the one that the connection was greeted by. With one, a session that listens
    has to hear what another one says. Raises one of LOST.
    """
    session = await connect()
    try:
        row = await (await session.execute("SELECT pg_backend_pid()")).fetchone()
        if row == (session.driver.info.backend_pid,):
            return True
        await session.execute(f"LISTEN {PROBE}")
        other = await connect()
        try:
            await other.execute(f"NOTIFY {PROBE}")
        finally:
            await other.close()
        return bool([notice async for notice in session.driver.notifies(timeout=timeout, stop_after=1)])
    finally:
        await session.close()
