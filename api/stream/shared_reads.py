"""Reads that many readers want at the same moment: each is made once, a few at a time; the others wait for their turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mapping.errors import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from sqlalchemy import Connection

    from store.database import Store

T = TypeVar("T")

AT_A_TIME = 4
"""Reads under way; the rest of the store's connections are for other requests, however many streams are opened."""
PATIENCE = 20.0
"""Seconds after which a read whose turn has not come is given up; browsers wait, and do not come back after a refusal."""


class SharedReads:
    """Single flight for reads of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._running: dict[Hashable, asyncio.Task[Any]] = {}

    async def read(self, key: Hashable, query: Callable[[Connection], T]) -> T:
        """The result of `query`, which is the same for all that name the same key. Raises StoreUnavailable."""
        task = self._running.get(key)
        if task is None:
            task = self._running[key] = asyncio.create_task(self._read(query))
            task.add_done_callback(lambda done: self._ended(key, done))
        return cast("T", await asyncio.shield(task))  # one of several may leave before it is there

    async def _read(self, query: Callable[[Connection], T]) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
        except TimeoutError:
            raise StoreUnavailable("too many streams are being opened", retry_after=5) from None
        try:
            return await self._store.read(query)
        finally:
            self._turns.release()

    def _ended(self, key: Hashable, done: asyncio.Task[Any]) -> None:
        del self._running[key]
        if not done.cancelled():
            done.exception()  # seen: its readers may be gone
