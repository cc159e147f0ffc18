"""Polls of one endpoint at a time; where others wait, one that takes far longer than is usual there gives way."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mapping.errors import UpstreamUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SHORTEST = 0.25
"""Seconds that every poll may take, however fast the others are."""
FACTOR = 4.0
STEP = 1.1
"""How fast the estimate of the usual length follows: up or down by a tenth a poll, which makes it the median."""


class Slots:
    """`size` at a time, in the order of their coming.

    Nobody gives way while there is room, nor where all are slow: what is usual is the median of all polls.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._running: dict[asyncio.Timeout, float] = {}
        self._leaving = 0
        self._timer: asyncio.TimerHandle | None = None
        self._usual = SHORTEST / FACTOR

    @property
    def patience(self) -> float:
        """Seconds after which a poll gives way if another one waits."""
        return max(SHORTEST, FACTOR * self._usual)

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it. Raises UpstreamUnavailable where it was taken away."""
        loop = asyncio.get_running_loop()
        await self._turn(loop)
        began, limit = loop.time(), asyncio.timeout(None)
        try:
            async with limit:
                self._running[limit] = began
                yield
        except TimeoutError:
            raise UpstreamUnavailable("the provider did not answer in time, and others waited") from None
        finally:
            self._leaving -= self._running.pop(limit, None) is None
            self._usual *= STEP if loop.time() - began > self._usual else 1 / STEP
            self._release()

    async def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._free:
            self._free -= 1
            return
        turn = loop.create_future()
        self._waiting.append(turn)
        self._watch(loop)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """See to it that the longest poll is looked at as soon as it may have to give way."""
        if self._timer is not None or len(self._waiting) <= self._leaving or not self._running:
            return
        longest = next(iter(self._running.values()))
        self._timer = loop.call_at(longest + self.patience, self._give_way, loop)

    def _give_way(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if len(self._waiting) > self._leaving and self._running:
            limit, began = next(iter(self._running.items()))
            if loop.time() - began >= self.patience:
                del self._running[limit]
                self._leaving += 1
                limit.reschedule(loop.time())
        self._watch(loop)
