"""Reads that many readers want at the same moment: each is made once, a few at a time; the others wait for their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection

from api.http.caching import FlightGroup
from mapping.errors import StoreUnavailable
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
        self._under_way = FlightGroup()

    async def read(
        self,
        key: Hashable,
        query: Callable[[Connection], T],
        at: int | None = None,
        keep: Callable[[T], None] | None = None,
    ) -> T:
        """The result of `query` at the moment, which is the same for all that name the same key. Raises StoreUnavailable.

        `keep` is given the result while the read still counts as under way, so that nobody comes between the two.
        """
        return await self._under_way(key, partial(self._read, query, at, keep))

    async def _read(self, query: Callable[[Connection], T], at: int | None, keep: Callable[[T], None] | None) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
        except TimeoutError:
            raise StoreUnavailable("too many streams are being opened", retry_after=5) from None
        try:
            result = await self._store.read(query, at=at)
            if keep is not None:
                keep(result)
            return result
        finally:
            self._turns.release()
