"""News of other processes: PostgreSQL tells with the COMMIT itself which liveblog stepped, and to which version.

Sending costs no statement: the notice leaves with the outbox row that the step writes anyway, so a transaction that is
rolled back tells nothing. Hearing needs a connection of its own. Whatever is told while that connection is away is not
heard, so everything may have stepped each time it comes back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import asyncpg
import structlog
from sqlalchemy import Text, cast, exc, func

from store.tables import outbox

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

log = structlog.get_logger(__name__)

CHANNEL = "matchwire_steps"
TOLD = func.pg_notify(CHANNEL, outbox.c.game_id.concat(" ").concat(cast(outbox.c.version, Text)))
"""In RETURNING of an INSERT into the outbox: the notice of each row. About 35 bytes; PostgreSQL bounds one at 8000."""
QUIET = 10.0
"""Seconds after which the connection is asked whether it still is one: a dead peer says nothing by itself."""
FIRST, LONGEST = 0.1, 10.0
"""Seconds before a lost connection is made again: doubled with each failure, with jitter."""

Stepped = Mapping[str, int] | None
"""Liveblogs that stepped: `ticker_id` → version. None: nobody knows which, it may be any."""
Hear = Callable[[Stepped], None]
"""Is told in the event loop, so it should be quick."""

LOST = (exc.SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError)


class Notices:
    """Listens as long as somebody wants to hear, in the event loop that `start` was called in."""

    def __init__(self, engine: AsyncEngine, *, quiet: float = QUIET) -> None:
        self._engine = engine
        self._quiet = quiet
        self._listening: asyncio.Task[None] | None = None

    def start(self, hear: Hear) -> None:
        """Tell `hear` from now on. A second call changes nothing."""
        if self._listening is None:
            self._listening = asyncio.create_task(self._run(hear), name="notices")

    async def close(self) -> None:
        """Hear nothing any more."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._engine.dispose()

    async def _run(self, hear: Hear) -> None:
        failures = 0
        while True:
            try:
                conn = await self._engine.connect()
                try:
                    driver = (await conn.get_raw_connection()).driver_connection
                    lost = await _listen(driver, hear)
                    if failures:
                        log.info("notices.recovered")
                    failures = 0
                    hear(None)
                    await self._stay(driver, lost)
                finally:
                    await conn.invalidate()  # closes it for good, whatever state it is in
            except LOST as error:
                if not failures:
                    log.warning("notices.lost", cause=type(error).__name__)
            failures += 1
            await asyncio.sleep(pause(failures, random.random()))  # noqa: S311 -- spreads load, guards nothing

    async def _stay(self, driver: Any, lost: asyncio.Event) -> None:
        """Until the connection is lost: raises one of LOST."""
        while True:
            try:
                async with asyncio.timeout(self._quiet):
                    await lost.wait()
            except TimeoutError:
                await driver.execute("SELECT 1")
            else:
                raise ConnectionResetError("the server has closed the connection")


class Silence:
    """Where no second process can be, nobody else has anything to tell."""

    def start(self, hear: Hear) -> None:
        """Nothing to do."""


def pause(failures: int, chance: float) -> float:
    """Seconds before the next attempt after so many failures in a row; `chance` from 0 to 1 keeps processes apart."""
    return float(min(FIRST * 2 ** min(failures - 1, 16), LONGEST)) * (0.5 + chance / 2)


def read(payload: str) -> Stepped:
    """What a notice tells; None for one that this version does not understand."""
    game_id, _, version = payload.partition(" ")
    return {game_id: int(version)} if version.isascii() and version.isdigit() else None


async def _listen(driver: Any, hear: Hear) -> asyncio.Event:
    """Hear what is told on asyncpg's connection; the event is set when the connection is lost."""
    lost = asyncio.Event()
    driver.add_termination_listener(lambda _driver: lost.set())
    await driver.add_listener(CHANNEL, lambda _driver, _sender, _channel, payload: hear(read(payload)))
    return lost
