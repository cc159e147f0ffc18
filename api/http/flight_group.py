"""Single flight: the work that several callers want at the same moment is done once."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

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
