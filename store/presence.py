"""A sign of life that the operating system takes away, however the process ends: a lock that lasts as long as a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exc, func, select

from store.errors import house_errors

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


class Presence:
    """An advisory lock of PostgreSQL on a connection of its own. It vanishes with the process, not when that only hangs."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._conn: AsyncConnection | None = None

    async def show(self, key: int) -> None:
        """Hold the lock `key` from now on, instead of an earlier one. Raises StoreUnavailable."""
        await self.close()
        with house_errors():
            self._conn = await self._engine.connect()
            await self._conn.execute(select(func.pg_advisory_lock(key)))

    async def lasts(self) -> bool:
        """Whether the lock is still held; asking keeps the connection from being forgotten on its way."""
        if self._conn is None:
            return False
        try:
            await self._conn.execute(select(1))
        except (exc.SQLAlchemyError, OSError):
            return False
        return True

    async def close(self) -> None:
        """Let go."""
        conn, self._conn = self._conn, None
        if conn is None:
            return
        try:
            await conn.close()
        except (exc.SQLAlchemyError, OSError):  # gone already
            await conn.invalidate()


class Alone:
    """Where no second process can be, nobody looks for a sign of life."""

    async def show(self, key: int) -> None:
        """Nothing to do."""

    async def lasts(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing to do."""
