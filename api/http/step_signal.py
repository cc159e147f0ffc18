"""A wake-up for requests that wait for news: a liveblog has stepped, or something beside the store has changed with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from weakref import WeakValueDictionary

from store.database import Store
from store.engine.unit import Stepped

ANY = ""
"""Stands for all liveblogs."""


class StepSignal:
    """Wakes whoever waits, right after each commit of any process that steps a liveblog; a hint, as `Store.on_step` says."""

    def __init__(self, store: Store) -> None:
        self._next: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()
        """For as long as somebody holds it: most liveblogs that were looked at never step again."""
        self._closed = False
        store.on_step(self._hear)

    def __len__(self) -> int:
        """How many liveblogs somebody waits for."""
        return len(self._next)

    def next_step(self, liveblog: str = ANY) -> asyncio.Event:
        """What the next step of a liveblog sets, or of this one by its `ticker_id`.

        Who takes it before looking at the store does not miss a step that is committed between the look and the wait.
        """
        following = self._next.get(liveblog)
        if following is None:
            following = self._next[liveblog] = asyncio.Event()
        return following

    async def wait(self, seconds: float, step: asyncio.Event) -> bool:
        """Whether this step has come already, or comes within so many seconds from now.

        False at once where the process stops.
        """
        if self._closed:
            return False
        try:
            async with asyncio.timeout(seconds):
                await step.wait()
        except TimeoutError:
            return False
        return not self._closed

    def wake(self, liveblogs: Iterable[str]) -> None:
        """Wake those who wait for one of these liveblogs, by their `ticker_id`."""
        for each in liveblogs:
            if (following := self._next.pop(each, None)) is not None:
                following.set()

    async def close(self) -> None:
        """Let everybody go; nobody waits any more."""
        self._closed = True
        self.wake(tuple(self._next))

    def _hear(self, stepped: Stepped) -> None:
        self.wake(tuple(self._next) if stepped is None else (ANY, *stepped))
