"""Connections to PostgreSQL that are kept for what lasts as long as they do: a lock, listening.

LISTEN and NOTIFY between processes: which liveblogs stepped, and to which version; and words that nothing is stored of.

A process notifies of what it has committed, after the COMMIT: at once, and while much happens of all of it every
`INTERVAL` seconds, because PostgreSQL commits transactions that notify one after the other. Its own notices, which come
back to it, it passes on to nobody: they know since the COMMIT. Listening needs a connection of its own. A process that
ends too early notifies nobody, and what is sent while that connection is away is lost, so everything may have stepped
each time it comes back.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn

import psycopg
from sqlalchemy import Connection, exc
from sqlalchemy.engine import URL

from mapping.errors import StoreUnavailable
from store.engine.errors import unavailable
from store.engine.loops import LoggedLoop, LogOnce, pause, repeat
from store.engine.postgres.connection import close_attempt, connect_timeout, shut_down, socket_handle
from store.engine.settings import PoolSettings
from store.engine.statements import execute
from store.engine.unit import Hear, HearWord, Stepped

LOST = (psycopg.Error, OSError)
"""What a connection fails with, whatever has become of the server."""
PROBE = "matchwire_probe"
"""The channel on which a start finds out whether it hears itself."""


class Session:
    """One connection outside any transaction. `driver`: the connection of psycopg."""

    def __init__(self, driver: psycopg.AsyncConnection[Any], timeout: float) -> None:
        self.driver = driver
        self._timeout = timeout
        self._handle = socket_handle(driver)

    @classmethod
    async def open(cls, url: URL, settings: PoolSettings, purpose: str) -> Session:
        """Connect. Raises one of LOST."""
        _, given = url.get_dialect()().create_connect_args(url)
        try:
            driver = await psycopg.AsyncConnection.connect(
                **given,
                autocommit=True,
                application_name=f"matchwire {purpose}",
                connect_timeout=connect_timeout(settings),
            )
        except BaseException as error:  # that of a caller who is cancelled, too
            close_attempt(error)
            if isinstance(error, psycopg.errors.ConnectionTimeout):
                raise TimeoutError from error
            raise
        return cls(driver, settings.timeout)

    async def execute(self, sql: str) -> psycopg.AsyncCursor[Any]:
        """Run a statement without parameters. Raises one of LOST, also when the server does not answer in time."""
        with self.bounded():
            return await self.driver.execute(sql.encode())

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Break the connection off when what happens inside takes longer than the time-out."""
        timer = asyncio.get_running_loop().call_later(self._timeout, self.drop)
        try:
            yield
        finally:
            timer.cancel()

    def drop(self) -> None:
        """Break the connection off as it is: whatever waits for the server fails. `close` remains to be called."""
        shut_down(self._handle)

    async def close(self) -> None:
        """End the connection. Nobody is waited for."""
        await self.driver.close()
        self._handle.close()


async def sessions_last(connect: Callable[[], Awaitable[Session]], timeout: float) -> bool:  # noqa: ASYNC109 -- of the answer
    """Whether a connection keeps its session between transactions, which a transaction pooler gives to others.

    Without a pooler the server's process is the one that the connection was greeted by. With one, a session that listens
    has to hear what another one says. Raises one of LOST.
    """
    session = await connect()
    try:
        row = await (await session.execute("SELECT pg_backend_pid()")).fetchone()
        if row == (session.driver.info.backend_pid,):
            return True
        await session.execute(f"LISTEN {PROBE}")
        other = await connect()
        try:
            await other.execute(f"NOTIFY {PROBE}")
        finally:
            await other.close()
        return bool([notice async for notice in session.driver.notifies(timeout=timeout, stop_after=1)])
    finally:
        await session.close()


CHANNEL = "matchwire_steps"
WORDS = "matchwire_words"
"""The channel of words: apart, because an earlier version takes what it does not understand for anything that stepped."""
MOST_WORDS = 200
"""Words that wait to be sent; of more the last ones go."""
LONGEST_WORD = 6000
"""Bytes of one: PostgreSQL refuses a longer notice, and with it all that are sent beside it."""
NOTIFY = "SELECT pg_notify(%s, notice) FROM unnest(%s::text[]) AS notice"
"""A notice for each liveblog: `ticker_id`, version, sender; about 45 bytes. PostgreSQL bounds one at 8000."""
PARTS = 3
INTERVAL = 0.02
"""Seconds between one statement and the next."""
QUIET = 10.0
"""Seconds after which the connection is checked: a dead peer says nothing by itself."""

Run = Callable[[Callable[[Connection], None]], Awaitable[None]]
"""Runs a statement outside any transaction."""


class NotifySender:
    """Notifies other processes of what stepped in this one. What cannot be sent is forgotten: they look by themselves too."""

    def __init__(self, run: Run) -> None:
        self.name = secrets.token_hex(4)
        """By which a process knows its own notices."""
        self._run = run
        self._unsent: dict[str, int] = {}
        self._words: deque[str] = deque(maxlen=MOST_WORDS)
        self._sending: asyncio.Task[None] | None = None

    def notify(self, stepped: Mapping[str, int]) -> None:
        """Liveblogs that stepped: `ticker_id` → version. Units of one liveblog may report in another order than they committed."""
        for game_id, version in stepped.items():
            self._unsent[game_id] = max(version, self._unsent.get(game_id, 0))
        self._begin()

    def announce(self, word: str) -> None:
        """A word for other processes; one that is too long stays here."""
        if len(word.encode()) <= LONGEST_WORD:
            self._words.append(word)
            self._begin()

    def _begin(self) -> None:
        if self._sending is None:
            self._sending = asyncio.create_task(self._send_all(), name="notify")

    async def close(self) -> None:
        """Send what is left."""
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)
        await self._send()

    async def _send_all(self) -> None:
        try:
            await repeat(self._send_and_wait, LoggedLoop("notify"), until=lambda: not self._unsent and not self._words)
        finally:
            self._sending = None

    async def _send_and_wait(self) -> None:
        await self._send()
        await asyncio.sleep(INTERVAL)

    async def _send(self) -> None:
        stepped, self._unsent = self._unsent, {}
        words = [f"{self.name} {each}" for each in self._words]
        self._words.clear()
        for channel, notices in ((CHANNEL, list(self._notices(stepped))), (WORDS, words)):
            if notices:
                with suppress(StoreUnavailable, exc.SQLAlchemyError):
                    await self._run(partial(_notify, channel=channel, notices=notices))

    def _notices(self, stepped: Mapping[str, int]) -> Iterator[str]:
        for game_id, version in stepped.items():
            yield f"{game_id} {version} {self.name}"


class NotifyListener:
    """Listens as long as somebody wants to hear, in the event loop that `start` was called in."""

    def __init__(
        self, connect: Callable[[], Awaitable[Session]], sender: NotifySender, *, quiet: float = QUIET
    ) -> None:
        self._connect = connect
        self._sender = sender
        self.notify = sender.notify
        self.announce = sender.announce
        self._hear_words: list[HearWord] = []
        self._quiet = quiet
        self._lost = LogOnce("notices.lost", "notices.recovered")
        self._failures = 0
        self._listening: asyncio.Task[None] | None = None

    def start(self, hear: Hear) -> None:
        """Call `hear` from now on. A second call changes nothing."""
        if self._listening is None:
            self._listening = asyncio.create_task(self._run(hear), name="notices")

    def on_word(self, hear: HearWord) -> None:
        """Call `hear` with the words of other processes, as long as this listens."""
        self._hear_words.append(hear)

    async def close(self) -> None:
        """Send what is left, and hear nothing any more."""
        await self._sender.close()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    async def _run(self, hear: Hear) -> None:
        await repeat(partial(self._listen_once, hear), LoggedLoop("notices"))

    async def _listen_once(self, hear: Hear) -> None:
        """Until the connection is lost, and then for as long as the next one should wait."""
        try:
            session = await self._connect()
            try:
                await session.execute(f"LISTEN {CHANNEL}")
                await session.execute(f"LISTEN {WORDS}")
                self._lost.worked()
                self._failures = 0
                hear(None)
                await self._listen(session, hear)
            finally:
                await session.close()
        except LOST as error:
            self._lost.failed(cause=type(error).__name__)
        self._failures += 1
        await asyncio.sleep(pause(self._failures, random.random()))  # noqa: S311 -- spreads load, guards nothing

    async def _listen(self, session: Session, hear: Hear) -> NoReturn:
        """Until the connection is lost: raises one of LOST."""
        while True:
            async for notice in session.driver.notifies(timeout=self._quiet):
                if notice.channel == WORDS:
                    self._pass_on(notice.payload)
                    continue
                stepped, sender = read(notice.payload)
                if sender != self._sender.name:
                    hear(stepped)
            await session.execute("SELECT 1")

    def _pass_on(self, payload: str) -> None:
        sender, _, word = payload.partition(" ")
        if sender != self._sender.name:
            for hear in self._hear_words:
                hear(word)


def read(payload: str) -> tuple[Stepped, str]:
    """What a notice says, and who sent it; None and nobody for one that this version does not understand."""
    game_id, version, sender = parts if len(parts := payload.split(" ")) == PARTS else ("", "", "")
    return ({game_id: int(version)}, sender) if version.isascii() and version.isdigit() else (None, "")


def _notify(conn: Connection, *, channel: str, notices: list[str]) -> None:
    execute(conn, NOTIFY, (channel, notices))


class LivenessLock:
    """An advisory lock of PostgreSQL on a connection of its own. It vanishes with the process, not when that only hangs."""

    def __init__(self, connect: Callable[[], Awaitable[Session]]) -> None:
        self._connect = connect
        self._session: Session | None = None

    async def acquire(self, key: int) -> None:
        """Hold the lock `key` from now on, instead of an earlier one. Raises StoreUnavailable."""
        await self.close()
        try:
            self._session = await self._connect()
            await self._session.execute(f"SELECT pg_advisory_lock({int(key)})")
        except LOST as error:
            raise unavailable(error) from error

    async def is_locked(self) -> bool:
        """Whether the lock is still held; the check keeps the connection from being forgotten on its way."""
        if self._session is None:
            return False
        try:
            await self._session.execute("SELECT 1")
        except LOST:
            return False
        return True

    async def close(self) -> None:
        """Release the lock and close its connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()
