"""Polls of one endpoint at a time; where others wait, one that takes far longer than is usual there gives way.

The slots are a bulkhead: matches that failed recently never have more than half of them together, so that those that hang
cannot make the others wait for a slot at all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ingest.kit.steady_clock import EARLY
from mapping.errors import UpstreamUnavailable

T = TypeVar("T")

SHORTEST = 0.25
"""Seconds that every poll may take, however fast the others are."""
FACTOR = 4.0
STEP = 1.1
"""How fast the estimate of the usual length follows: up or down by a tenth a poll, which makes it the median."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotRequest:
    """A poll that waits for a slot; `granted` is done once it has one."""

    granted: asyncio.Future[None]
    recently_failed: bool


@dataclass(frozen=True, slots=True)
class Running:
    """A poll that has a slot, since `began` (the loop's clock)."""

    began: float
    recently_failed: bool


class PollSlots:
    """`size` polls at a time, in the order of their coming; those that failed recently let others pass once they have half.

    No poll gives way while there is room, nor where all are slow: what is usual is the median of all polls.
    """

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._share = max(1, size // 2)
        """Slots that polls of matches that failed recently may still take."""
        self._waiting: deque[SlotRequest] = deque()
        self._running: dict[asyncio.Timeout, Running] = {}
        self._leaving = 0
        self._timer: asyncio.TimerHandle | None = None
        self._usual = SHORTEST / FACTOR

    def resize(self, size: int) -> None:
        """From now on so many at a time; polls under way end as they would."""
        more, halves = size - self._size, max(1, size // 2) - max(1, self._size // 2)
        self._size, self._free, self._share = size, self._free + more, self._share + halves
        for _ in range(more):  # nothing for fewer
            self._grant()

    @property
    def patience(self) -> float:
        """Seconds after which a poll gives way if another one waits."""
        return max(SHORTEST, FACTOR * self._usual)

    async def run(self, work: Callable[[], Awaitable[T]], *, recently_failed: bool = False) -> T:
        """Acquire a slot and keep it for the work. Raises UpstreamUnavailable where it was taken away."""
        loop = asyncio.get_running_loop()
        await self._acquire(loop, recently_failed=recently_failed)
        began, limit = loop.time(), asyncio.timeout(None)
        try:
            async with limit:
                self._running[limit] = Running(began, recently_failed)
                if self._waiting:
                    self._watch(loop)
                return await work()
        except TimeoutError:
            raise UpstreamUnavailable("the provider did not answer in time, and others waited") from None
        finally:
            self._leaving -= self._running.pop(limit, None) is None
            self._usual *= STEP if loop.time() - began > self._usual else 1 / STEP
            self._release(recently_failed=recently_failed)

    async def _acquire(self, loop: asyncio.AbstractEventLoop, *, recently_failed: bool) -> None:
        if self._free > 0 and (self._share > 0 or not recently_failed):
            self._take(recently_failed=recently_failed)
            return
        request = SlotRequest(loop.create_future(), recently_failed)
        self._waiting.append(request)
        self._watch(loop)
        try:
            await request.granted
        except asyncio.CancelledError:
            if request.granted.done() and not request.granted.cancelled():
                self._release(recently_failed=recently_failed)
            else:
                self._waiting.remove(request)
            raise

    def _take(self, *, recently_failed: bool) -> None:
        self._free -= 1
        self._share -= recently_failed

    def _release(self, *, recently_failed: bool) -> None:
        """Give a slot back."""
        self._free += 1
        self._share += recently_failed
        self._grant()

    def _grant(self) -> None:
        """Give a free slot to the first that waits and may have it."""
        if not self._waiting or self._free <= 0:
            return
        allowed = (each for each in self._waiting if self._share > 0 or not each.recently_failed)
        if (request := next((each for each in allowed if not each.granted.done()), None)) is not None:
            self._waiting.remove(request)
            self._take(recently_failed=request.recently_failed)
            request.granted.set_result(None)

    def _longest(self) -> tuple[asyncio.Timeout, Running] | None:
        """The poll that has run the longest of those for whose slot another one waits."""
        if len(self._waiting) <= self._leaving:
            return None
        anybody = any(not each.recently_failed for each in self._waiting)
        return next(((limit, each) for limit, each in self._running.items() if anybody or each.recently_failed), None)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """See to it that the longest poll is looked at as soon as it may have to give way."""
        if self._timer is None and (longest := self._longest()) is not None:
            self._timer = loop.call_at(longest[1].began + self.patience, self._give_way, loop)

    def _give_way(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        longest = self._longest()
        if longest is not None and longest[1].began + self.patience <= loop.time() + EARLY:
            limit = longest[0]
            del self._running[limit]
            self._leaving += 1
            limit.reschedule(loop.time())
        self._watch(loop)
