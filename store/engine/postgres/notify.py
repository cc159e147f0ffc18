"""LISTEN and NOTIFY between processes: which liveblogs stepped, and to which version; and words that nothing is stored of.

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
from contextlib import suppress
from functools import partial
from typing import NoReturn

from sqlalchemy import Connection, exc

from mapping.errors import StoreUnavailable
from store.engine.backoff import pause
from store.engine.lasting import LoggedLoop, repeat
from store.engine.log_once import LogOnce
from store.engine.postgres.session import LOST, Session
from store.engine.sql.compiled_query import execute
from store.engine.unit import Hear, HearWord, Stepped

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
