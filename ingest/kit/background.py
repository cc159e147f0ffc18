"""What runs in a process beside everything else, from its start to its stop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from typing import Any


class BackgroundTasks:
    """Tasks that `cleanup` cancels. One that should last and dies ends the process: a daemon that does nothing is worse."""

    def __init__(self, cleanup: AsyncExitStack) -> None:
        self._cleanup = cleanup
        self._lasting: list[asyncio.Task[None]] = []

    def start(self, work: Coroutine[Any, Any, None], *, name: str, lasting: bool = True) -> asyncio.Task[None]:
        """Run `work` beside the others; `lasting`: until the process stops."""
        task = asyncio.create_task(work, name=name)
        self._cleanup.push_async_callback(_cancel, task)
        if lasting:
            self._lasting.append(task)
        return task

    async def until(self, stopped: asyncio.Event) -> None:
        """Wait for `stopped`; raises what one of the lasting tasks died of."""
        waiting = asyncio.create_task(stopped.wait(), name="stop signal")
        await asyncio.wait({waiting, *self._lasting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for task in self._lasting:
            if task.done() and not task.cancelled():
                task.result()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
