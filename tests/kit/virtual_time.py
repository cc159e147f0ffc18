"""Tests of polls and waits in a loop whose time jumps to what is planned next: nothing is waited for, no machine is too slow."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from ingest.sync import endpoint_limiter, fixture_lists, follower, match_failures, poll
from tests.simulation.virtual_loop import VirtualLoop

CLOCKED = (endpoint_limiter, fixture_lists, follower, match_failures, poll)
"""Modules with a steady clock of their own."""


def in_virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run the test in such a loop; it needs no other thread, and so no database."""

    @functools.wraps(test)
    def run(*given: Any, **named: Any) -> None:
        loop = VirtualLoop()
        with ExitStack() as patches:
            for module in CLOCKED:
                patches.enter_context(patch.object(module, "monotonic", loop.time))
            with asyncio.Runner(loop_factory=lambda: loop) as runner:
                runner.run(test(*given, **named))
        assert loop.unexpected == []

    return run
