"""The channel of a liveblog's stream: who reads it, what is sent to all of them, and the reads of the store that they share.

Who has room is sent to at once, who has none by a task while there is something to send. Reads that many want at the same moment
are made once, a few at a time; the others wait for their turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection
from starlette.types import Message as ASGIMessage
from starlette.types import Send

from api.http.caching import FlightGroup
from api.liveblogs.stream_messages import Form, Message, body_part
from mapping.errors import StoreUnavailable
from store.database import Store
from store.engine.loops import LogOnce

T = TypeVar("T")
AT_A_TIME = 4
"""Reads under way; the rest of the store's connections are for other requests, however many streams are opened."""
PATIENCE = 20.0
"""Seconds after which a read whose turn has not come is given up; browsers wait, and do not come back after a refusal."""


class StreamRequest(NamedTuple):
    """What somebody wants to follow: a liveblog that was at `version` a moment ago, after the version `since`.

    `silence` is sent when there has been nothing to say for a while. Every version is sent `delay` seconds later.
    """

    game_id: str
    version: int
    since: int
    form: Form
    silence: bytes
    delay: int = 0


class Room(Protocol):
    """What a reader's connection says of itself."""

    has_room: bool


class NoRoom:
    """A connection of which nothing is known."""

    has_room = False


UNKNOWN = NoRoom()


@dataclass(eq=False, slots=True)
class Reader:
    """Who follows a liveblog in a form, and has its changes up to `version` and what capabilities send up to the number `results`.

    `ends_at` and `sent_at` are the event loop's seconds. `over`: the stream ends once what is being sent has gone.
    """

    channel: Channel
    form: Form
    silence: bytes
    version: int
    send: Send
    ends_at: float
    sent_at: float
    over: bool = False
    anew: bool = False
    """What the reader has is to be forgotten: the next message is of the whole liveblog."""
    results: int = 0
    sending: asyncio.Task[None] | None = None
    connection: Room = UNKNOWN

    def lags(self) -> bool:
        """Whether there is something to send."""
        return not self.over and (self.anew or self.version < self.channel.version)

    def at_once(self) -> bool:
        """Whether all that there is to send is the newest message, and there is room for it: nothing is waited for then."""
        newest = self.channel.newest.get(self.form)
        if newest is None or self.over or self.anew or self.channel.results.after(self.results):
            return False
        return self.connection.has_room and newest.follows(self.version)

    def forget(self) -> None:
        """Begin anew where that is to be done."""
        if self.anew:
            self.anew, self.version = False, 0


@dataclass(slots=True)
class SentBodies:
    """What capabilities send of a watched liveblog: the newest message of each thing with its number, sent once to each reader.

    With it is kept how often the thing had changed when it was read. A message is an event without an id, such as `poll`: the
    reader's version stays what it is.
    """

    _changes: dict[str, int] = field(default_factory=dict)
    _messages: dict[str, tuple[int, ASGIMessage]] = field(default_factory=dict)
    _last: int = 0

    def outdated(self, changes: Mapping[str, int]) -> list[str]:
        """What has changed since it was read; `changes` by its id."""
        return [name for name, count in changes.items() if self._changes.get(name) != count]

    def put(self, event: str, changes: Mapping[str, int], bodies: Mapping[str, bytes]) -> None:
        """Keep what was read of what is outdated: bodies by id, none of what readers may not see."""
        self._changes |= changes
        for name in changes:
            message = body_part(b"event: %b\ndata: %b\n\n" % (event.encode(), bodies[name])) if name in bodies else None
            known = self._messages.pop(name, None)
            if message is not None and known is not None and message == known[1]:
                self._messages[name] = known  # the last read was ahead of its count
            elif message is not None:
                self._last += 1
                self._messages[name] = (self._last, message)

    def after(self, number: int) -> list[tuple[int, ASGIMessage]]:
        """The messages that a reader has not got yet, each with the number that the reader has then."""
        if number >= self._last:
            return []
        return sorted((each for each in self._messages.values() if each[0] > number), key=lambda each: each[0])


@dataclass(eq=False, slots=True)
class Channel:
    """One watched liveblog: the version up to which its readers are sent changes, and the last step there in each form.

    `delay`: the seconds after which its readers are sent a version. `lost`: when posts that they have were last taken down
    (Unix seconds), and how many, which they learn at once; None as long as nobody has looked.
    """

    game_id: str
    delay: int
    version: int
    lost: tuple[int, int] | None = None
    sent: int = 0
    """The newest version that one of its readers was sent."""
    newest: Mapping[Form, Message] = field(default_factory=dict)
    readers: set[Reader] = field(default_factory=set)
    results: SentBodies = field(default_factory=SentBodies)
    trouble: LogOnce = field(default_factory=partial(LogOnce, "stream.failed", "stream.recovered", "error"))


class SharedReads:
    """Single flight for reads of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._under_way = FlightGroup()

    async def read(
        self,
        key: Hashable,
        query: Callable[[Connection], T],
        at: int | None = None,
        keep: Callable[[T], None] | None = None,
    ) -> T:
        """The result of `query` at the moment, which is the same for all that name the same key. Raises StoreUnavailable.

        `keep` is given the result while the read still counts as under way, so that nobody comes between the two.
        """
        return await self._under_way(key, partial(self._read, query, at, keep))

    async def _read(self, query: Callable[[Connection], T], at: int | None, keep: Callable[[T], None] | None) -> T:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._turns.acquire()
        except TimeoutError:
            raise StoreUnavailable("too many streams are being opened", retry_after=5) from None
        try:
            result = await self._store.read(query, at=at)
            if keep is not None:
                keep(result)
            return result
        finally:
            self._turns.release()
