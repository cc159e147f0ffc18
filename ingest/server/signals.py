"""The event loop of a command: SIGTERM, SIGINT and SIGHUP, and the longest time that a stop may take."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

from ingest.kit.exit_status import ExitStatus

log = structlog.get_logger()

CUT_OFF = 3.0
"""Seconds beyond the grace of a stop after which the process ends as it is."""


def run_with_signals(
    work: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
    hangup: Callable[[], None] | None = None,
    *,
    grace: float | None = None,
) -> None:
    """Run `work` in a fresh loop; SIGTERM and SIGINT set the event that it is given, and so does SIGHUP without `hangup`.

    `hangup` is called in a thread, at each SIGHUP. `grace`: seconds in which `work` should end after the event is set;
    `CUT_OFF` seconds after them the process ends as it is. Each wait of a stop is bounded, but while the database is frozen
    a dozen of them come one after the other.
    """
    import uvloop

    async def with_signals() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def end() -> None:
            if grace is not None and not stop.is_set():
                loop.call_later(grace + CUT_OFF, _cut_off)
            stop.set()

        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, end)
        loop.add_signal_handler(signal.SIGHUP, *((end,) if hangup is None else (loop.run_in_executor, None, hangup)))
        await work(stop)

    uvloop.run(with_signals())


def _cut_off() -> None:
    """End like after `kill -9`, which nothing is lost by."""
    log.error("daemon.stop_cut_off")
    os._exit(ExitStatus.UNAVAILABLE)
