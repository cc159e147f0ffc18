"""Loops that last as long as their process: whatever a turn raises ends that turn alone, and is logged once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import structlog

from mapping.errors import ServiceError
from store.engine.errors import brief_reason

log = structlog.get_logger()


@dataclass(slots=True)
class LogOnce:
    """The first failure in a row is logged as the event `lost`, the success that ends it as `recovered`.

    `level`: of `lost`; what recovers is `info`. `each_cause`: a failure with another cause is logged too.
    """

    lost: str
    recovered: str
    level: Literal["warning", "error"] = "warning"
    each_cause: bool = False
    cause: object = None
    failing: bool = False

    def failed(self, *, cause: object, **fields: Any) -> bool:
        """Note a failure: whether it was logged."""
        known = self.failing and (not self.each_cause or cause == self.cause)
        if not known:
            self.failing, self.cause = True, cause
            getattr(log, self.level)(self.lost, cause=cause, **fields)
        return not known

    def worked(self, **fields: Any) -> bool:
        """Note a success: whether it was logged, as it ends a row of failures."""
        recovered, self.failing = self.failing, False
        if recovered:
            log.info(self.recovered, **fields)
        return recovered


FIRST, LONGEST = 0.1, 10.0
"""Seconds, doubled with each failure, with jitter."""


def pause(failures: int, chance: float) -> float:
    """Seconds before the next attempt after so many failures in a row; `chance` from 0 to 1 keeps processes apart."""
    return float(min(FIRST * 2 ** min(failures - 1, 16), LONGEST)) * (0.5 + chance / 2)


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
            failures = await _report_failure(report, error, failures)  # of something that the turn waited for
        except Exception as error:  # noqa: BLE001 -- whatever it is, the loop outlives it
            failures = await _report_failure(report, error, failures)
        else:
            if failures:
                report.recovered()
            failures = 0


async def _report_failure(report: LoopReport, error: BaseException, failures: int) -> int:
    report.failed(error)
    await asyncio.sleep(pause(failures + 1, random.random()))  # noqa: S311 -- spreads load, guards nothing
    return failures + 1


def _is_cancelled() -> bool:
    """Whether somebody wants this task itself to end."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
