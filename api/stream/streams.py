"""Streams of changes: one read per version for all who watch a liveblog, woken by commits, with a slow poll behind.

A watcher that does not keep up is dropped; it comes back with the version that it had seen last and loses nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from api.errors import json_bytes
from api.liveblogs.delta import response
from mapping.documents.scalars import LocalStatus
from mapping.errors import StoreUnavailable
from store import deltas, liveblogs
from store.log_once import LogOnce

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from sqlalchemy import Connection

    from store.database import Store
    from store.liveblogs import StoredEvent, StoredGame
    from store.postgres.notify import Stepped

POLL = 1.0
"""Seconds after which versions are compared though nobody called: a notification may have been lost."""
EVENTS = 200
"""Events in one message, about: a version is never cut in two."""
BACKLOG = 64
"""Messages that a watcher may leave unread before it is dropped."""
RECENT = 16
"""Messages that a liveblog keeps for readers that come back."""


class Form(Protocol):
    """Writes what a message says; equal ones write the same, so those who want the same share it."""

    def __hash__(self) -> int: ...

    def __call__(
        self, conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
    ) -> bytes:
        """The changes after `since` up to `version`, where `more` follow; without events where nobody may read it."""


def as_json(
    conn: Connection, game: StoredGame, events: Sequence[StoredEvent], *, since: int, version: int, more: bool
) -> bytes:
    """The delta document."""
    del since
    return json_bytes(response(conn, game, events, version=version, more=more))


@dataclass(frozen=True, slots=True)
class Message:
    """What happened after the version `since` up to `version`; after the `last` one there is nothing to watch."""

    since: int
    version: int
    body: bytes
    last: bool = False


@dataclass(eq=False, slots=True)
class Watcher:
    """One reader's unread messages; `over` when it is dropped or there is nothing more to come."""

    unread: deque[Message] = field(default_factory=deque)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    async def messages(self) -> AsyncIterator[Message]:
        """The messages as they come, until the watcher is over."""
        while not self.over or self.unread:
            if self.unread:
                yield self.unread.popleft()
            else:
                self.called.clear()
                await self.called.wait()

    def notify(self, message: Message) -> None:
        if len(self.unread) >= BACKLOG:
            self.end()
            return
        self.unread.append(message)
        self.called.set()

    def end(self) -> None:
        self.over = True
        self.called.set()


@dataclass(eq=False, slots=True)
class Channel:
    """One watched liveblog in one form; `version` is the one up to which its watchers have been notified."""

    form: Form
    version: int
    watchers: set[Watcher] = field(default_factory=set)
    recent: deque[Message] = field(default_factory=lambda: deque(maxlen=RECENT))

    def notify(self, message: Message) -> None:
        self.version = message.version
        self.recent.append(message)
        for watcher in self.watchers:
            watcher.notify(message)

    def messages_since(self, since: int) -> list[Message] | None:
        """The messages that lead from `since` to the channel's version; None where the first of them is no longer kept."""
        if since == self.version:
            return []
        found = [message for message in self.recent if message.version > since]
        return found if found and found[0].since <= since else None


class Streams:
    """All watched liveblogs of a process."""

    def __init__(self, store: Store, *, poll: float = POLL) -> None:
        self._store = store
        self._poll = poll
        self._channels: dict[str, dict[Form, Channel]] = {}
        self._heard: dict[str, int] = {}
        self._called = asyncio.Event()
        self._look = False
        self._look_at = 0.0
        self._pump: asyncio.Task[None] | None = None
        self._closed = False
        store.on_step(self._hear)

    def __len__(self) -> int:
        """How many readers watch."""
        return sum(len(channel.watchers) for forms in self._channels.values() for channel in forms.values())

    async def messages(self, game: StoredGame, since: int, form: Form = as_json) -> AsyncGenerator[Message | None]:
        """Everything after the version `since`, in order, then whatever comes; None: nothing has come, is the reader still there?

        Ends when the reader is too slow, the liveblog is gone or the process stops. Raises StoreUnavailable.
        """
        version = since if since <= game.version else 0  # a version of the future: the reader starts anew
        watcher, channel = self._join(game, form)
        try:
            for message in channel.messages_since(version) or ():
                version = message.version
                yield message
            async for message in self._missed(game.id, version, form):
                version = message.version
                yield message
                if message.last:
                    return
            yield None
            async for message in watcher.messages():
                if message.version > version:
                    version = message.version
                    yield message
                    if message.last:
                        return
        finally:
            self._leave(game.id, form, watcher)

    async def close(self) -> None:
        """End every stream; nobody can watch any more."""
        self._closed = True
        for forms in self._channels.values():
            for channel in forms.values():
                for watcher in channel.watchers:
                    watcher.end()
        if self._pump is not None:
            self._pump.cancel()
            await asyncio.gather(self._pump, return_exceptions=True)

    async def _missed(self, game_id: str, since: int, form: Form) -> AsyncIterator[Message]:
        more = True
        while more:
            message, more = await self._store.read(partial(read, game_id=game_id, since=since, form=form))
            if message is None:
                return
            since = message.version
            yield message

    def _join(self, game: StoredGame, form: Form) -> tuple[Watcher, Channel]:
        if self._closed:
            raise StoreUnavailable("the service is going down", retry_after=1)
        channel = self._channels.setdefault(game.id, {}).setdefault(form, Channel(form, game.version))
        watcher = Watcher()
        channel.watchers.add(watcher)
        if self._pump is None or self._pump.done():
            self._look_at = asyncio.get_running_loop().time() + self._poll
            self._pump = asyncio.create_task(self._run(), name="streams")
        return watcher, channel

    def _leave(self, game_id: str, form: Form, watcher: Watcher) -> None:
        forms = self._channels.get(game_id, {})
        channel = forms.get(form)
        if channel is not None:
            channel.watchers.discard(watcher)
            if not channel.watchers:
                del forms[form]
        if not forms:
            self._channels.pop(game_id, None)

    def _hear(self, stepped: Stepped) -> None:
        if stepped is None:
            self._look = True
        mine = {name: version for name, version in (stepped or {}).items() if name in self._channels}
        for name, version in mine.items():
            self._heard[name] = max(version, self._heard.get(name, 0))
        if mine or self._look:
            self._called.set()

    async def _run(self) -> None:
        """Until nobody watches: read the versions of which the watchers have not been notified."""
        delay = LogOnce("streams.delayed", "streams.recovered")
        while self._channels:
            try:
                for game_id, version in (await self._news()).items():
                    await self._advance(game_id, version)
                delay.worked()
            except StoreUnavailable as error:
                delay.failed(cause=str(error))
                self._look = True  # what was heard is forgotten with the error
                await asyncio.sleep(min(self._poll, POLL))

    async def _news(self) -> dict[str, int]:
        """Versions that commits have announced; now and then, and when some may have been missed, those of the database."""
        clock = asyncio.get_running_loop().time
        if not self._look:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._look_at):
                    await self._called.wait()
        self._called.clear()
        heard, self._heard = self._heard, {}
        if not self._look and clock() < self._look_at:
            return heard
        self._look, self._look_at = False, clock() + self._poll
        watched = list(self._channels)
        return await self._store.read(lambda conn: deltas.versions(conn, watched))

    async def _advance(self, game_id: str, version: int) -> None:
        for form in list(self._channels.get(game_id, ())):
            await self._notify(game_id, form, version)

    async def _notify(self, game_id: str, form: Form, version: int) -> None:
        while (channel := self._channels.get(game_id, {}).get(form)) is not None and channel.version < version:
            query = partial(read, game_id=game_id, since=channel.version, form=form)
            message, _ = await self._store.read(query)
            if message is None:
                return
            channel.notify(message)


def read(conn: Connection, game_id: str, since: int, form: Form = as_json) -> tuple[Message | None, bool]:
    """The next message after the version `since` and whether there are further ones; None where nothing is new."""
    game = liveblogs.find_game(conn, game_id)
    if game is None or game.version <= since:
        return None, False
    if game.local_status != LocalStatus.PUBLISHED:
        return Message(
            since, game.version, form(conn, game, [], since=since, version=game.version, more=False), last=True
        ), False
    events, more = deltas.chunk(conn, game_id, since=since, limit=EVENTS)
    version = max(event.version for event in events) if more else game.version
    return Message(since, version, form(conn, game, events, since=since, version=version, more=more)), more
