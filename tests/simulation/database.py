"""The one database of all processes: SQLite in memory, which each of them reaches over a network that fails."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

from mapping.errors import StoreUnavailable
from store.naming import parse_url
from store.sqlite.backend import NoLivenessLock, NoNotify, writer_engine
from store.unit import Unit
from tests.opening import pool_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from tests.simulation.processes import Process

TIMEOUT = 5.0
"""Seconds after which a unit fails whose database does not answer."""


class Server:
    """The database itself: one unit after the other, each whole or not at all."""

    def __init__(self, schema: bytes) -> None:
        self._engine = writer_engine(parse_url("sqlite+aiosqlite:///:memory:"), pool_settings())
        self.conn = self._engine.connect()
        driver: Any = self.conn.connection.driver_connection
        kept = sqlite3.connect(":memory:")
        kept.deserialize(schema[:18] + b"\x01\x01" + schema[20:])  # not WAL, which needs files
        kept.backup(driver)
        kept.close()
        self.down = False

    def transact(self, work: Callable[[Connection], Any], *, keep: bool) -> Any:
        """The result of `work` in a transaction, which is kept or not."""
        self.conn.begin()
        self.conn.exec_driver_sql("BEGIN IMMEDIATE")
        try:
            result = work(self.conn)
        except BaseException:
            self.conn.rollback()
            raise
        if keep:
            self.conn.commit()
        else:
            self.conn.rollback()
        return result

    def close(self) -> None:
        self.conn.close()
        self._engine.dispose()


class Backend:
    """What a process sees of the server: late, at times not at all, and at times without the answer to a commit."""

    waiting = 0

    def __init__(self, process: Process, server: Server) -> None:
        self._process = process
        self._server = server
        self.liveness = NoLivenessLock()
        self.notices = NoNotify()

    async def check(self) -> None:
        """Nothing to check."""

    async def ping(self) -> None:
        await self._way()

    async def close(self) -> None:
        """Nothing to close: the server goes on."""

    async def write(
        self, work: Callable[[Unit], Any], group_key: str | None = None, committed: Callable[[], None] | None = None
    ) -> Any:
        """A unit. StoreUnavailable: it was not written, or (a lost answer) it was."""
        del group_key
        await self._way()
        fault = self._process.world.store_fault()
        if fault == "refused":
            raise StoreUnavailable("the database does not answer")
        touched: dict[str, int] = {}

        def unit(conn: Connection) -> Any:
            return work(Unit(conn, int(self._process.wall()), touched=touched))

        result = self._server.transact(unit, keep=True)
        self._process.world.committed(self._process, touched)
        await self._way()  # the process may end here: what it has written stays
        if fault == "lost":
            raise StoreUnavailable("the database went away in COMMIT")
        if committed is not None:
            committed()
        return result

    async def read(self, query: Callable[[Connection], Any]) -> Any:
        await self._way()
        result = self._server.transact(query, keep=False)
        await self._way()
        return result

    glance = read

    async def _way(self) -> None:
        """To the server or back. Raises StoreUnavailable where it is away or cannot be reached for too long."""
        await self._process.runs()
        await asyncio.sleep(self._process.world.latency())
        for _ in range(round(TIMEOUT)):
            if not (self._server.down or self._process.cut_off):
                break
            await asyncio.sleep(1.0)
        else:
            raise StoreUnavailable("the database does not answer")
        await self._process.runs()
