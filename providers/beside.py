"""Work on large answers beside the event loop, so that whoever else is served there is not kept waiting for it."""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LARGE = 128 * 1024
"""Bytes of an answer from which on it is not worked on in the event loop: about 10 ms of work."""
THREADS = 2
"""Large answers that are worked on at a time; they share the interpreter with the event loop, so more would be no faster."""

VERY_LARGE = 1024 * 1024
"""Bytes from which on the many values of an answer would have the interpreter look for garbage among them again and again."""

_lock = Lock()
_calm = 0
_looks = True
_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="matchwire-large")


async def beside(size: int, work: Callable[..., T], *args: Any, **named: Any) -> T:
    """The result of `work`, which is pure, on something of `size` bytes; small things are done at once."""
    if size <= LARGE:
        return work(*args, **named)
    done = partial(work, *args, **named)
    return await asyncio.get_running_loop().run_in_executor(
        _pool, done if size <= VERY_LARGE else partial(_calmly, done)
    )


def _calmly(work: Callable[[], T]) -> T:
    """The result of `work`, without a look for garbage in the midst of it: that stops everybody for 50 ms and finds none."""
    global _calm, _looks  # noqa: PLW0603 -- the garbage collector is one for the whole process too
    with _lock:
        _looks = gc.isenabled() if not _calm else _looks
        _calm += 1
        gc.disable()
    try:
        return work()
    finally:
        with _lock:
            _calm -= 1
            if not _calm and _looks:
                gc.enable()
