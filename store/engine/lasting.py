"""The one way in which loops last as long as their process: whatever a turn raises ends that turn, and the loop goes on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Protocol

from mapping.errors import ServiceError
from store.engine.backoff import pause
from store.engine.errors import brief_reason
from store.engine.log_once import LogOnce


class LoopReport(Protocol):
    """Learns when a loop begins to fail and when it works again; it may learn of each failure."""

    def failed(self, error: BaseException) -> object: ...

    def recovered(self) -> object: ...


class LoggedLoop:
    """LoopReport in the log alone: one line when the loop begins to fail, and one when it works again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._once = LogOnce("loop.failed", "loop.recovered", "error")

    def failed(self, error: BaseException) -> None:
        trace = None if isinstance(error, ServiceError) else error
        self._once.failed(cause=brief_reason(error), loop=self._name, exc_info=trace)

    def recovered(self) -> None:
        self._once.worked(loop=self._name)


async def repeat(
    turn: Callable[[], Awaitable[object]], report: LoopReport, *, until: Callable[[], bool] = lambda: False
) -> None:
    """Run `turn`, which waits by itself for what it does, again and again until the task is cancelled or `until` is true.

    After a turn that raised it waits longer with each failure in a row, ten seconds at most.
    """
    failures = 0
    while not until():
        try:
            await turn()
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            failures = await _failed(report, error, failures)  # of something that the turn waited for
        except Exception as error:  # noqa: BLE001 -- whatever it is, the loop outlives it
            failures = await _failed(report, error, failures)
        else:
            if failures:
                report.recovered()
            failures = 0


async def _failed(report: LoopReport, error: BaseException, failures: int) -> int:
    report.failed(error)
    await asyncio.sleep(pause(failures + 1, random.random()))  # noqa: S311 -- spreads load, guards nothing
    return failures + 1


def _is_cancelled() -> bool:
    """Whether somebody wants this task itself to end."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
