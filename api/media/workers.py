"""Threads that work on images: few, at a low priority, with a queue that is capped and shared between organizations."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

from api.http.errors import Overloaded

T = TypeVar("T")

NICENESS: Final = 10
"""Added to that of the process: polls and the API go first where the processor is short."""
RETRY_AFTER: Final = 2.0
"""Seconds named to those for whom there is no place."""


class ImageWorkers:
    """At most `workers` threads.

    `render_queue` pieces of work may be under way or wait, `organization_render_queue` of them of one organization.
    """

    def __init__(self, *, workers: int, render_queue: int, organization_render_queue: int) -> None:
        self._threads = ThreadPoolExecutor(workers, "images", initializer=_step_back)
        self._queue = render_queue
        self._organization_queue = organization_render_queue
        self._waiting: Counter[str] = Counter()

    async def run(self, organization_id: str, work: Callable[[], T]) -> T:
        """The result of `work`, done in a thread. Raises Overloaded where too much waits already."""
        if self._waiting.total() >= self._queue or self._waiting[organization_id] >= self._organization_queue:
            raise Overloaded("too many images wait to be resized", retry_after=RETRY_AFTER)
        self._waiting[organization_id] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting[organization_id] -= 1
            self._waiting += Counter()  # keeps only those who wait

    def close(self) -> None:
        """End the threads once they have done what they are at; what waits is not done."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _step_back() -> None:
    """Lower the priority of this thread alone, which Linux can do."""
    if sys.platform == "linux":
        with suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS)
