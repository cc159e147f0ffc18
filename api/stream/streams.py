"""Streams of changes: one read per version for all who watch a liveblog, woken by commits, with a slow poll behind.

A reader that does not keep up falls behind alone: nothing is queued for it, and when it has room again it gets in one message
what it has missed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from cachetools import LRUCache
from sqlalchemy import Connection
from starlette.types import Send

from api.capabilities import LIVE
from api.http.capability import LiveBodies
from api.liveblogs import stream_messages
from api.liveblogs.stream_messages import END, Form, Message, body_part
from api.stream.channel import UNKNOWN, Channel, Reader, Room, SharedReads, StreamRequest
from api.view.liveblog_reads import moment_seen
from mapping.errors import StoreUnavailable
from mapping.rules.webhook_delivery import known_since
from store.database import Store
from store.engine.liveblog_records import StoredGame
from store.engine.loops import LoggedLoop, LogOnce, repeat
from store.engine.unit import Stepped
from store.liveblogs import event_reads, history, liveblogs

Watched = tuple[str, int]
"""A liveblog by its `ticker_id`, and the delay of those who watch it."""
KEPT_BYTES = 8 * 1024 * 1024
"""Of messages for readers that come back; those that were wanted least recently go first."""
POLL = 1.0
"""Seconds after which versions are compared though nobody called: a notification may have been lost."""
RESULTS = 1.0
"""Seconds between two looks at the results of polls."""
TICK = 1.0
"""Seconds between two looks at all readers."""
SILENCE = 15.0
"""Seconds after which something is sent though nothing has happened, so that nobody on the way takes the connection for dead."""
LIFETIME = 900.0
"""Seconds after which a stream ends; the reader comes back and is let in anew, or not."""
SLICE = 250
"""Readers that are sent something in one turn of the event loop, so that others need not wait for all of them."""


class Streams:
    """All watched liveblogs of a process."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        poll: float = POLL,
        on_first_frame: Callable[[str, int, int], None] = lambda *_: None,
    ) -> None:
        """`clock` gives Unix seconds; `on_first_frame` is called with the versions that readers of the present are sent first."""
        self._store = store
        self._clock = clock
        self._poll = poll
        self._reads = SharedReads(store)
        self._kept: LRUCache[Hashable, Message] = LRUCache(KEPT_BYTES, getsizeof=lambda message: len(message.body))
        self._channels: dict[Watched, Channel] = {}
        self._heard: dict[Watched, int] = {}
        self._new: set[Watched] = set()
        self._stepped: set[Watched] = set()
        """Delayed channels whose liveblog has stepped just now: a post of theirs may be gone."""
        self._called = asyncio.Event()
        self._look = False
        self._look_at = 0.0
        self._results_at = 0.0
        self._delayed = LogOnce("streams.delayed", "streams.recovered")
        self._pump: asyncio.Task[None] | None = None
        self._ticker: asyncio.Task[None] | None = None
        self._closed = False
        self._on_first_frame = on_first_frame
        store.on_step(self._hear)

    def __len__(self) -> int:
        """How many readers watch."""
        return sum(len(channel.readers) for channel in self._channels.values())

    async def find(self, name: str, at: int | None = None) -> StoredGame | None:
        """The liveblog whose `ticker_id` or `local_id` is `name`, at the moment_seen `at` or now.

        Those who want the same at the same time share a read. Waits for its turn. Raises StoreUnavailable where that does
        not come, and once the process stops.
        """
        if self._closed:
            raise StoreUnavailable("the service is going down", retry_after=1)
        return await self._reads.read((name, at), partial(liveblogs.find_game, name=name), at)

    def join(self, wanted: StreamRequest, send: Send, connection: Room = UNKNOWN) -> Reader:
        """Send everything after the version that the reader has, then whatever comes, until `leave`.

        The response ends after LIFETIME, and when the liveblog is gone or the process stops.
        """
        now = asyncio.get_running_loop().time()
        key = (wanted.game_id, wanted.delay)
        channel = self._channels.get(key)
        if channel is None:  # nobody has heard what has happened since the version was read
            lost = None if wanted.delay else (0, 0)
            channel = self._channels[key] = Channel(*key, wanted.version, lost)
            self._new.add(key)
            self._called.set()
        has = known_since(wanted.since, wanted.version)
        reader = Reader(
            channel, wanted.form, wanted.silence, has, send, now + LIFETIME, now, self._closed, connection=connection
        )
        channel.readers.add(reader)
        self._begin(reader)
        if self._pump is None or self._pump.done():
            self._look_at = now + self._poll
            self._pump = self._start(self._run, "streams")
        if self._ticker is None or self._ticker.done():
            self._ticker = self._start(self._tick, "silent streams")
        return reader

    def _start(self, turn: Callable[[], Awaitable[None]], name: str) -> asyncio.Task[None]:
        """Repeat `turn` until nobody watches."""
        return asyncio.create_task(repeat(turn, LoggedLoop(name), until=lambda: not self._channels), name=name)

    def leave(self, reader: Reader) -> None:
        """Send nothing more."""
        if reader.sending is not None:
            reader.sending.cancel()
        reader.channel.readers.discard(reader)
        key = (reader.channel.game_id, reader.channel.delay)
        if not reader.channel.readers and self._channels.get(key) is reader.channel:
            del self._channels[key]

    async def close(self) -> None:
        """End every stream; nobody can watch any more."""
        self._closed = True
        tasks = [each for each in (self._pump, self._ticker) if each is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        readers = self._readers()
        for reader in readers:
            reader.over = True
        await self._begin_all(readers)

    # Readers

    def _readers(self) -> list[Reader]:
        return [reader for channel in self._channels.values() for reader in channel.readers]

    async def _begin_all(self, readers: Iterable[Reader]) -> None:
        for number, reader in enumerate(readers, 1):
            if reader.sending is None and reader.at_once():
                await self._send(reader)
            else:
                self._begin(reader)
            if number % SLICE == 0:
                await asyncio.sleep(0)

    def _begin(self, reader: Reader) -> None:
        if reader.sending is None:
            reader.sending = asyncio.create_task(self._send(reader))

    async def _send(self, reader: Reader) -> None:
        """Send what there is to send, and end the stream if it is over."""
        try:
            await self._bring_up_to_date(reader)
        except StoreUnavailable:  # it comes back
            reader.over = True
        except Exception as error:  # noqa: BLE001 -- a liveblog that cannot be read must not keep its readers waiting
            reader.channel.trouble.failed(cause=repr(error), liveblog=reader.channel.game_id)
            reader.over = True
        if reader.over:
            await reader.send(END)
        else:
            reader.sending = None

    async def _bring_up_to_date(self, reader: Reader) -> None:
        """While the reader has no room this waits; what happens meanwhile comes in one message."""
        clock = asyncio.get_running_loop().time
        while reader.lags():
            reader.forget()
            message = reader.channel.newest.get(reader.form)
            if message is None or message.since != reader.version:
                message = await self._catch_up(reader)
            if message is None:
                break
            await reader.send(message.part)
            if message.version > reader.channel.sent:
                self._note_first(reader.channel, message)
            reader.version, reader.sent_at = message.version, clock()
            reader.over = reader.over or message.last
        await self._send_results(reader)
        if not reader.over and clock() - reader.sent_at >= SILENCE:
            await reader.send(body_part(reader.silence))
            reader.sent_at = clock()

    def _note_first(self, channel: Channel, message: Message) -> None:
        channel.sent = message.version
        if not channel.delay:
            self._on_first_frame(channel.game_id, message.since, message.version)

    async def _send_results(self, reader: Reader) -> None:
        while not reader.over and (waiting := reader.channel.results.after(reader.results)):
            reader.results, part = waiting[0]
            await reader.send(part)
            reader.sent_at = asyncio.get_running_loop().time()

    async def _catch_up(self, reader: Reader) -> Message | None:
        """What follows the version that the reader has, other than the last step; read once for all who have it."""
        channel, form = reader.channel, reader.form
        if channel.lost is None:
            look = partial(history.lost_posts, game_id=channel.game_id)
            lost = await self._reads.read(("lost", channel.game_id, channel.delay), look, self._moment(channel.delay))
            channel.lost = channel.lost or lost  # what has been found meanwhile is newer
        key = (channel.game_id, channel.delay, form, reader.version, channel.version, channel.lost)
        message = self._kept.get(key)
        if message is None:
            query = partial(stream_messages.read, game_id=channel.game_id, since=reader.version, forms=(form,))
            keep = partial(self._keep, key, form)
            message = (await self._reads.read(key, query, self._moment(channel.delay), keep)).get(form)
        return message

    def _keep(self, key: Hashable, form: Form, read: Mapping[Form, Message]) -> None:
        if form in read:
            with suppress(ValueError):  # larger than all the room there is
                self._kept.setdefault(key, read[form])

    async def _tick(self) -> None:
        """End the streams whose time is over, and let the others not be silent for too long."""
        await asyncio.sleep(TICK)
        now = asyncio.get_running_loop().time()
        readers = self._readers()
        for reader in readers:
            reader.over = reader.over or now >= reader.ends_at
        await self._begin_all(each for each in readers if each.over or now - each.sent_at >= SILENCE)

    # Versions

    def _hear(self, stepped: Stepped) -> None:
        if stepped is None:
            self._look = True
        self._hear_late(stepped)
        mine = {(name, 0): version for name, version in (stepped or {}).items() if (name, 0) in self._channels}
        for key, version in mine.items():
            self._heard[key] = max(version, self._heard.get(key, 0))
        if mine or self._look:
            self._called.set()

    def _hear_late(self, stepped: Stepped) -> None:
        """Those who see everything later see a version later, but not what is taken down."""
        delayed = {key for key in self._channels if key[1] and (stepped is None or key[0] in stepped)}
        if delayed:
            self._stepped |= delayed
            self._called.set()

    async def _run(self) -> None:
        """Read the versions of which the readers have not been notified."""
        try:
            await self._wait()
            await self._advance_heard()
            await self._look_at_versions()
            await self._look_at_lost()
            await self._look_at_results()
            self._delayed.worked()
        except StoreUnavailable as error:
            self._delayed.failed(cause=str(error))
            self._look = True  # what was heard is forgotten with the error
            await asyncio.sleep(min(self._poll, POLL))
        except Exception:
            self._look = True
            raise

    async def _wait(self) -> None:
        """Until a commit has announced something, or it is time to look at all versions."""
        if not self._look:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._look_at):
                    await self._called.wait()
        self._called.clear()

    async def _advance_heard(self) -> None:
        """Send the versions that commits have announced, to those who see the present: they wait for nobody else's."""
        heard, self._heard = self._heard, {}
        for key, version in heard.items():
            await self._advance(key, version)

    async def _look_at_versions(self) -> None:
        """Send the versions of the database of which some may have been missed; whoever sees the present comes first.

        Nobody announces what becomes visible to those who see everything later: that is looked for at each poll.
        """
        clock = asyncio.get_running_loop().time
        unsure, self._new = list(self._new), set()
        if self._look or clock() >= self._look_at:
            self._look, self._look_at = False, clock() + self._poll
            unsure = list(self._channels)
        for delay in sorted({delay for _, delay in unsure}):
            query = partial(event_reads.versions, game_ids=[name for name, each in unsure if each == delay])
            for name, version in (await self._store.read(query, at=self._moment(delay))).items():
                await self._advance((name, delay), version)
                await self._advance_heard()

    async def _look_at_lost(self) -> None:
        """Have readers begin anew whose liveblog has lost a post since the moment_seen that they see."""
        stepped, self._stepped = self._stepped, set()
        for key in stepped:
            channel = self._channels.get(key)
            if channel is None:
                continue
            lost = await self._store.read(partial(history.lost_posts, game_id=key[0]), at=self._moment(key[1]))
            if channel.lost is None or lost > channel.lost:
                channel.lost, channel.newest = lost, {}
                for reader in channel.readers:
                    reader.anew = True
                await self._begin_all(list(channel.readers))
            await self._advance_heard()

    async def _look_at_results(self) -> None:
        """Send the results of polls whose votes have changed, at most once a second: one read for all that are watched."""
        clock = asyncio.get_running_loop().time
        if clock() < self._results_at:
            return
        self._results_at = clock() + RESULTS
        for delay in sorted({each.delay for each in self._channels.values()}):
            watched = {each.game_id: each for each in self._channels.values() if each.delay == delay}
            for live in LIVE:
                changed = await self._store.read(partial(_changes, live, list(watched)), at=self._moment(delay))
                for game_id, changes in changed.items():
                    await self._advance_results(watched[game_id], live, changes)
            await self._advance_heard()

    async def _advance_results(self, channel: Channel, live: LiveBodies, changes: Mapping[str, int]) -> None:
        outdated = channel.results.outdated(changes)
        if not outdated:
            return
        now = self._clock() - channel.delay
        query = partial(_bodies, live, channel.game_id, outdated, now)
        try:
            found = await self._store.read(query, at=self._moment(channel.delay))
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 -- what is wrong with one liveblog must not silence the others
            channel.trouble.failed(cause=repr(error), liveblog=channel.game_id)
            return
        channel.results.put(live.event, {name: changes[name] for name in outdated}, found)
        await self._begin_all(list(channel.readers))

    def _moment(self, delay: int) -> int | None:
        return moment_seen(self._clock(), delay)

    async def _advance(self, key: Watched, version: int) -> None:
        game_id, delay = key
        while (channel := self._channels.get(key)) is not None and channel.version < version:
            forms = {reader.form for reader in channel.readers}
            query = partial(stream_messages.read, game_id=game_id, since=channel.version, forms=forms)
            try:
                newest = await self._store.read(query, at=self._moment(delay))
            except StoreUnavailable:
                raise
            except Exception as error:  # noqa: BLE001 -- what is wrong with one liveblog must not silence the others
                channel.trouble.failed(cause=repr(error), liveblog=game_id)
                return
            channel.trouble.worked()
            if not newest:
                return
            channel.newest, channel.version = newest, next(iter(newest.values())).version
            await self._begin_all(list(channel.readers))


def _changes(live: LiveBodies, game_ids: Sequence[str], conn: Connection) -> Mapping[str, Mapping[str, int]]:
    return live.changes(conn, game_ids)


def _bodies(live: LiveBodies, game_id: str, ids: Sequence[str], now: float, conn: Connection) -> Mapping[str, bytes]:
    return live.bodies(conn, game_id, ids, now)
