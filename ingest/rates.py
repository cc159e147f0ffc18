"""Turns at so many a second, so that a backlog does not become a storm."""

from __future__ import annotations

import asyncio
from time import monotonic


class Rates:
    """For each key `rate` turns a second, `burst` of them at once after a rest. A `rate` of 0 means no limit."""

    def __init__(self, rate: float, burst: float) -> None:
        self._step = 1 / rate if rate else 0.0
        self._credit = burst * self._step
        self._next: dict[str, float] = {}

    async def turn(self, key: str) -> None:
        """Waits for the next turn of `key`; turns come in the order in which they were asked for."""
        if not self._step:
            return
        now = monotonic()
        at = max(self._next.get(key, 0.0), now - self._credit) + self._step
        self._next[key] = at
        if at > now:
            await asyncio.sleep(at - now)

    def forget(self) -> None:
        """Drop what is remembered of keys that have rested."""
        rested = monotonic() - self._credit
        self._next = {key: at for key, at in self._next.items() if at > rested}
