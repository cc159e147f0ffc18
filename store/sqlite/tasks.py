"""Work on the database that ends by itself, whatever becomes of the caller."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from store.errors import late

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


class Tasks:
    """Runs coroutines that a cancelled caller does not cancel: no connection is left in the middle of an answer."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def finish(self, work: Coroutine[Any, Any, T], timeout: float) -> T:  # noqa: ASYNC109 -- it goes on after that
        """The result of `work`. Raises StoreUnavailable after `timeout` seconds."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        await asyncio.wait({task}, timeout=timeout)
        if not task.done():
            raise late()
        return task.result()

    async def drain(self, timeout: float) -> None:  # noqa: ASYNC109 -- what does not end in time is cancelled
        """Wait for what runs, then cancel the rest."""
        if self._running:
            _, pending = await asyncio.wait(self._running, timeout=timeout)
            for task in pending:
                task.cancel()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen: its caller may be gone
