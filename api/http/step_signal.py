"""A wake-up for requests that wait for news: a liveblog has stepped, or something beside the store has changed with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from store.database import Store
    from store.engine.postgres.notify import Stepped

ANY = ""
"""Stands for all liveblogs."""


class StepSignal:
    """Wakes whoever waits, right after each commit of any process that steps a liveblog; a hint, as `Store.on_step` says."""

    def __init__(self, store: Store) -> None:
        self._waiting: dict[str, asyncio.Event] = {}
        self._closed = False
        store.on_step(self._hear)

    async def wait(self, seconds: float, liveblog: str = ANY) -> bool:
        """Whether a liveblog, or this one by its `ticker_id`, has stepped within so many seconds from now.

        False at once where the process stops.
        """
        if self._closed:
            return False
        following = self._waiting.setdefault(liveblog, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                await following.wait()
        except TimeoutError:
            return False
        return not self._closed

    def wake(self, liveblogs: Iterable[str]) -> None:
        """Wake those who wait for one of these liveblogs, by their `ticker_id`."""
        for each in liveblogs:
            if (following := self._waiting.pop(each, None)) is not None:
                following.set()

    async def close(self) -> None:
        """Let everybody go; nobody waits any more."""
        self._closed = True
        self.wake(tuple(self._waiting))

    def _hear(self, stepped: Stepped) -> None:
        self.wake(tuple(self._waiting) if stepped is None else (ANY, *stepped))
