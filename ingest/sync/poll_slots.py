"""Polls of one endpoint at a time; where others wait, one that takes far longer than is usual there gives way.

Matches that failed last time are suspects: together they never hold more than half of the slots, so that those that hang
cannot make the others wait for a slot at all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from mapping.errors import UpstreamUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

SHORTEST = 0.25
"""Seconds that every poll may take, however fast the others are."""
FACTOR = 4.0
STEP = 1.1
"""How fast the estimate of the usual length follows: up or down by a tenth a poll, which makes it the median."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotRequest:
    """Somebody who waits for a slot; `told` is done once it is theirs."""

    told: asyncio.Future[None]
    suspect: bool


@dataclass(frozen=True, slots=True)
class Running:
    """Somebody who holds a slot, since `began` (the loop's clock)."""

    began: float
    suspect: bool


class PollSlots:
    """`size` at a time, in the order of their coming; suspects let others pass while half of the slots are theirs.

    Nobody gives way while there is room, nor where all are slow: what is usual is the median of all polls.
    """

    def __init__(self, size: int) -> None:
        self._free = size
        self._room = max(1, size // 2)
        """PollSlots that suspects may still take."""
        self._waiting: deque[SlotRequest] = deque()
        self._running: dict[asyncio.Timeout, Running] = {}
        self._leaving = 0
        self._timer: asyncio.TimerHandle | None = None
        self._usual = SHORTEST / FACTOR

    @property
    def patience(self) -> float:
        """Seconds after which a poll gives way if another one waits."""
        return max(SHORTEST, FACTOR * self._usual)

    async def run(self, work: Callable[[], Awaitable[T]], *, suspect: bool = False) -> T:
        """Wait for a slot and hold it for the work. Raises UpstreamUnavailable where it was taken away."""
        loop = asyncio.get_running_loop()
        if self._free and (self._room or not suspect):
            self._take(suspect=suspect)
        else:
            await self._turn(loop, suspect=suspect)
        began, limit = loop.time(), asyncio.timeout(None)
        try:
            async with limit:
                self._running[limit] = Running(began, suspect)
                if self._waiting:
                    self._watch(loop)
                return await work()
        except TimeoutError:
            raise UpstreamUnavailable("the provider did not answer in time, and others waited") from None
        finally:
            self._leaving -= self._running.pop(limit, None) is None
            self._usual *= STEP if loop.time() - began > self._usual else 1 / STEP
            self._release(suspect=suspect)

    async def _turn(self, loop: asyncio.AbstractEventLoop, *, suspect: bool) -> None:
        """Wait until a slot is ours."""
        turn = SlotRequest(loop.create_future(), suspect)
        self._waiting.append(turn)
        self._watch(loop)
        try:
            await turn.told
        except asyncio.CancelledError:
            if turn.told.done() and not turn.told.cancelled():
                self._release(suspect=suspect)
            else:
                self._waiting.remove(turn)
            raise

    def _take(self, *, suspect: bool) -> None:
        self._free -= 1
        self._room -= suspect

    def _release(self, *, suspect: bool) -> None:
        """Give a slot back, and to the next in turn who may have it."""
        self._free += 1
        self._room += suspect
        if not self._waiting:
            return
        allowed = (turn for turn in self._waiting if (self._room or not turn.suspect) and not turn.told.done())
        if (turn := next(allowed, None)) is not None:
            self._waiting.remove(turn)
            self._take(suspect=turn.suspect)
            turn.told.set_result(None)

    def _longest(self) -> tuple[asyncio.Timeout, Running] | None:
        """Who has run the longest of those whose slot somebody waits for."""
        if len(self._waiting) <= self._leaving:
            return None
        anybody = any(not turn.suspect for turn in self._waiting)
        return next(((limit, each) for limit, each in self._running.items() if anybody or each.suspect), None)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """See to it that the longest poll is looked at as soon as it may have to give way."""
        if self._timer is None and (longest := self._longest()) is not None:
            self._timer = loop.call_at(longest[1].began + self.patience, self._give_way, loop)

    def _give_way(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        longest = self._longest()
        if longest is not None and loop.time() - longest[1].began >= self.patience:
            limit = longest[0]
            del self._running[limit]
            self._leaving += 1
            limit.reschedule(loop.time())
        self._watch(loop)
