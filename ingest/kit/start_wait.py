"""Waits at the start while the database is away, and says in one line what keeps a command from its work.

Every step that needs the database is tried again, all of them together for a bounded time.
"""

from __future__ import annotations

import asyncio
import errno
import random
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from config import Settings
from config.errors import StartError
from config.sections import Database
from ingest.kit.process import ExitStatus
from mapping.errors import ServiceError, StoreUnavailable
from store.engine.errors import FAULTS, DatabaseAway, StoreError, reason, unusable
from store.engine.loops import LogOnce, pause
from store.engine.settings import name_of

Steady = Callable[[], float]


T = TypeVar("T")

LONGEST_PAUSE = 1.0
"""Seconds between two tries: nobody waits for a database that is there."""


FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors of a disk or a quota without room."""
OPERATORS = (StartError, OSError, ValueError, StoreError, ServiceError, *FAULTS)
"""What can stop a start and is reported in one line, without a traceback."""


class Stopped(Exception):
    """The process was stopped while it waited."""


class StartWait:
    """Waits for the database during a start: `database.start_wait` seconds from now on, for all steps together.

    A SQLite file is there or it is not, so nobody waits for one. `stopped` ends the waiting at once.
    """

    def __init__(
        self, database: Database, stopped: asyncio.Event | None = None, *, steady: Steady = time.monotonic
    ) -> None:
        self._name = name_of(database.url.get_secret_value())
        self._seconds = 0.0 if database.is_sqlite else database.start_wait
        self._stopped = stopped or asyncio.Event()
        self._steady = steady
        self._began = steady()

    async def through(self, step: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of `step`, which may run several times; logged once when the database is away, and once when it is back.

        Raises DatabaseAway, StoreError for a file that is no database, Stopped, and what `step` raises for any other reason.
        """
        failures, once = 0, LogOnce("database.away", "database.back")
        while True:
            try:
                result = await self._unless_stopped(step())
            except StoreUnavailable as error:
                if unusable(error):
                    raise StoreError(f"database.url: cannot use the database {self._name}: {reason(error)}") from error
                failures += 1
                await self._pause(failures, reason(error), once)
            else:
                once.worked(database=self._name, seconds=round(self._steady() - self._began, 1))
                return result

    async def _pause(self, failures: int, cause: str, once: LogOnce) -> None:
        remaining = self._began + self._seconds - self._steady()
        if remaining <= 0:
            waited = f" after {self._seconds:g} s (database.start_wait)" if self._seconds else ""
            raise DatabaseAway(f"database.url: the database {self._name} is not available{waited}: {cause}") from None
        once.failed(database=self._name, cause=cause, wait=round(remaining, 1))
        wait = min(pause(failures, random.random()), LONGEST_PAUSE, remaining)  # noqa: S311 -- spreads load, guards nothing
        await self._unless_stopped(asyncio.sleep(wait))

    async def _unless_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        doing, stopped = asyncio.create_task(work), asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait({doing, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                raise Stopped
            return doing.result()
        finally:
            doing.cancel()
            stopped.cancel()
            await asyncio.gather(doing, stopped, return_exceptions=True)


def status_of(error: BaseException) -> ExitStatus:
    """The exit status of a command that `error` ends."""
    if isinstance(error, StoreUnavailable | DatabaseAway) or (isinstance(error, OSError) and error.errno in FULL):
        return ExitStatus.UNAVAILABLE
    return ExitStatus.MISTAKE


def line_of(error: BaseException, settings: Settings | None = None) -> str:
    """What stopped the start, in one line that names the file, the key or the place."""
    if isinstance(error, FAULTS):
        place = "" if settings is None else f" {name_of(settings.database.url.get_secret_value())}"
        text = f"database.url: cannot use the database{place}: {reason(error)}"
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = str(error) or type(error).__name__
    return " ".join(text.split())
