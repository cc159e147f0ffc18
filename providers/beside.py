"""Work on large answers beside the event loop, so that whoever else is served there is not kept waiting for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

LARGE = 128 * 1024
"""Bytes of an answer from which on it is not worked on in the event loop: about 10 ms of work."""
THREADS = 2
"""Large answers that are worked on at a time; they share the interpreter with the event loop, so more would be no faster."""

_pool = ThreadPoolExecutor(THREADS, thread_name_prefix="matchwire-large")


async def beside(size: int, work: Callable[..., T], *args: Any, **named: Any) -> T:
    """The result of `work`, which is pure, on something of `size` bytes; small things are done at once."""
    if size <= LARGE:
        return work(*args, **named)
    return await asyncio.get_running_loop().run_in_executor(_pool, partial(work, *args, **named))
