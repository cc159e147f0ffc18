"""Single flight: the work that several callers want at the same moment is done once, and what it gives may be kept."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Coroutine, Hashable
from functools import partial
from typing import Any, Generic, TypeVar

from cachetools import TLRUCache

T = TypeVar("T")


class FlightGroup:
    """Work under way, by its keys. A caller that goes away ends it for nobody."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    async def __call__(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `work`, of which one with an equal `key` may be under way already."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(work())
            task.add_done_callback(partial(self._ended, key))
        result: T = await asyncio.shield(task)
        return result

    def _ended(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        del self._tasks[key]
        if not task.cancelled():
            task.exception()  # seen: all callers may be gone


class SingleFlightCache(Generic[T]):
    """Values by all that they depend on, each made once for all who want it meanwhile, and kept for a while."""

    def __init__(
        self,
        room: int,
        *,
        size: Callable[[T], int] = lambda _: 1,
        largest: int | None = None,
        seconds: float = math.inf,
        since: Callable[[T], float] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`room`: how much is kept, measured by `size`; what was wanted least recently goes first.

        One of more than `largest` is not kept at all. `seconds`: for how long, since it was ready, or since the moment by
        `monotonic` that it says itself.
        """

        def until(_: Hashable, value: T, now: float) -> float:
            return seconds + (now if since is None else since(value))

        self._kept: TLRUCache[Hashable, T] = TLRUCache(room, until, timer=monotonic, getsizeof=size)
        self._size, self._largest = size, room if largest is None else largest
        self._flights = FlightGroup()
        self._forgotten = 0
        """How often; what is being made meanwhile is given to those who wanted it before, and not kept."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    async def get(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The value that is kept, or what `make` gives, once for all who want it meanwhile. Raises what `make` raises."""
        try:
            return self._kept[key]
        except KeyError:
            return await self._flights((self._forgotten, key), partial(self._make, key, make))

    def forget(self) -> None:
        """What is wanted from now on is made from now on."""
        self._kept.clear()
        self._forgotten += 1

    async def _make(self, key: Hashable, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        forgotten = self._forgotten
        made = await make()
        if forgotten == self._forgotten and self._size(made) <= self._largest:
            self._kept[key] = made
        return made
