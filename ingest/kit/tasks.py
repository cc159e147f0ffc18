"""Starts and ends tasks: those that run as long as the process, and those that run once at a time for each key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any

import structlog

from mapping.errors import ServiceError, StoreUnavailable

log = structlog.get_logger()

CUT_OFF = 2.0
"""Seconds in which what is cancelled has to end; what does not is left behind."""


class KeyedTasks:
    """Runs `work` of a key as a task of this loop. What is to be done stands in the tables: a lost task loses nothing."""

    def __init__(self, work: Callable[[str], Awaitable[None]]) -> None:
        self._work = work
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._stopped = False

    def ask(self, key: str) -> None:
        """Run the work of `key` soon. What is requested while it runs, runs once more after that."""
        if self._stopped:
            return
        if key in self._running:
            self._again.add(key)
            return
        task = asyncio.create_task(self._run(key), name=f"job {key}")
        self._running[key] = task
        task.add_done_callback(lambda _: self._on_end(key))

    async def stop(self, grace: float) -> None:
        """Take no more, let what runs end within `grace` seconds, then cut it off."""
        self._stopped = True
        running = set(self._running.values())
        if running:
            _, late = await asyncio.wait(running, timeout=grace)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=CUT_OFF)

    async def _run(self, key: str) -> None:
        try:
            await self._work(key)
        except StoreUnavailable:  # so does whoever asks find out and log it, once; the tick asks again
            pass
        except ServiceError as error:
            log.warning(
                "job.failed", key=key, cause=error.message
            )  # what it left undone is requested again by the tick
        except Exception:  # nobody awaits a job: it is logged here or nowhere, and the next one runs all the same
            log.exception("job.failed", key=key)

    def _on_end(self, key: str) -> None:
        del self._running[key]
        if key in self._again:
            self._again.discard(key)
            self.ask(key)


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
