"""News of other processes: PostgreSQL tells which liveblogs stepped, and to which version.

A process tells what it has committed, after the COMMIT: at once, and while much happens all of it every `BREATH` seconds,
because transactions that notify are committed one after the other by PostgreSQL. Hearing needs a connection of its own.
A process that ends too early tells nothing, and whatever is told while that connection is away is not heard, so
everything may have stepped each time it comes back.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, exc

from mapping.errors import StoreUnavailable
from store.backoff import pause
from store.log_once import LogOnce
from store.postgres.session import LOST, Session
from store.sql.compiled_query import execute

if TYPE_CHECKING:
    from sqlalchemy import Engine

CHANNEL = "matchwire_steps"
NOTIFY = "SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice"
"""A notice for each liveblog: about 35 bytes; PostgreSQL bounds one at 8000."""
BREATH = 0.02
"""Seconds between one telling and the next."""
QUIET = 10.0
"""Seconds after which the connection is asked whether it still is one: a dead peer says nothing by itself."""

Stepped = Mapping[str, int] | None
"""Liveblogs that stepped: `ticker_id` → version. None: nobody knows which, it may be any."""
Hear = Callable[[Stepped], None]
"""Is told in the event loop, so it should be quick."""

Run = Callable[[Callable[[Connection], None]], Awaitable[None]]
"""Runs a statement outside any transaction."""


class NotifySender:
    """Tells other processes what stepped in this one. What cannot be told is forgotten: they look by themselves too."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._untold: dict[str, int] = {}
        self._telling: asyncio.Task[None] | None = None

    def tell(self, stepped: Mapping[str, int]) -> None:
        """Liveblogs that stepped: `ticker_id` → version."""
        self._untold |= stepped
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell(), name="voice")

    async def close(self) -> None:
        """Tell what is left."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)
        await self._say()

    async def _tell(self) -> None:
        try:
            while self._untold:
                await self._say()
                await asyncio.sleep(BREATH)
        finally:
            self._telling = None

    async def _say(self) -> None:
        told, self._untold = self._untold, {}
        if told:
            with suppress(StoreUnavailable, exc.SQLAlchemyError):
                await self._run(partial(_notify, notices=[f"{name} {version}" for name, version in told.items()]))


class NotifyListener:
    """Listens as long as somebody wants to hear, in the event loop that `start` was called in."""

    def __init__(self, engine: Engine, voice: NotifySender, *, quiet: float = QUIET) -> None:
        self._engine = engine
        self._voice = voice
        self.tell = voice.tell
        self._quiet = quiet
        self._listening: asyncio.Task[None] | None = None

    def start(self, hear: Hear) -> None:
        """Tell `hear` from now on. A second call changes nothing."""
        if self._listening is None:
            self._listening = asyncio.create_task(self._run(hear), name="notices")

    async def close(self) -> None:
        """Tell what is left, and hear nothing any more."""
        await self._voice.close()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def _run(self, hear: Hear) -> None:
        failures, once = 0, LogOnce("notices.lost", "notices.recovered")
        while True:
            try:
                session = await Session.open(self._engine)
                try:
                    lost = await _listen(session.driver, hear)
                    once.worked()
                    failures = 0
                    hear(None)
                    await self._stay(session.driver, lost)
                finally:
                    session.drop()
            except LOST as error:
                once.failed(cause=type(error).__name__)
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


def read(payload: str) -> Stepped:
    """What a notice tells; None for one that this version does not understand."""
    game_id, _, version = payload.partition(" ")
    return {game_id: int(version)} if version.isascii() and version.isdigit() else None


def _notify(conn: Connection, *, notices: list[str]) -> None:
    execute(conn, NOTIFY, (CHANNEL, notices))


async def _listen(driver: Any, hear: Hear) -> asyncio.Event:
    """Hear what is told on asyncpg's connection; the event is set when the connection is lost."""
    lost = asyncio.Event()
    driver.add_termination_listener(lambda _driver: lost.set())
    await driver.add_listener(CHANNEL, lambda _driver, _sender, _channel, payload: hear(read(payload)))
    return lost
