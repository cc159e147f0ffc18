"""A sign of life that the operating system takes away, however the process ends: a lock that lasts as long as a connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from store.engine.errors import unavailable
from store.engine.postgres.session import LOST, Session


class LivenessLock:
    """An advisory lock of PostgreSQL on a connection of its own. It vanishes with the process, not when that only hangs."""

    def __init__(self, connect: Callable[[], Awaitable[Session]]) -> None:
        self._connect = connect
        self._session: Session | None = None

    async def acquire(self, key: int) -> None:
        """Hold the lock `key` from now on, instead of an earlier one. Raises StoreUnavailable."""
        await self.close()
        try:
            self._session = await self._connect()
            await self._session.execute(f"SELECT pg_advisory_lock({int(key)})")
        except LOST as error:
            raise unavailable(error) from error

    async def is_locked(self) -> bool:
        """Whether the lock is still held; the check keeps the connection from being forgotten on its way."""
        if self._session is None:
            return False
        try:
            await self._session.execute("SELECT 1")
        except LOST:
            return False
        return True

    async def close(self) -> None:
        """Let go."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
