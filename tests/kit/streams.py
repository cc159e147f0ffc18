"""Somebody who follows the stream of a liveblog."""

import asyncio
import json

import pytest

from api.liveblogs.stream_messages import as_json
from api.stream import streams
from api.stream.channel import UNKNOWN, StreamRequest
from api.view.liveblog_reads import moment_seen
from tests.kit import matchday

TICKER = matchday.Liveblog().ticker_id
SOON = 30.0
"""Seconds for which a follower waits for what has to come."""


@pytest.fixture
async def hub(server):
    """Streams that look for versions by themselves once an hour."""
    made = streams.Streams(server.store, poll=3600)
    yield made
    await made.close()


class Follower:
    """A reader of a hub that keeps what it is sent, as long as it has room; its connection says so, where it is one that does."""

    def __init__(self, hub, connection=UNKNOWN):
        self.connection = connection
        self.hub, self.events, self.ended = hub, [], False
        self.room = asyncio.Event()
        self.room.set()

    async def join(self, since=0, name="gderby", form=as_json, delay=0):
        game = await self.hub.find(name, moment_seen(self.hub._clock(), delay))
        request = StreamRequest(game.id, game.version, since, form, b": silence\n\n", delay)
        self.reader = self.hub.join(request, self._send, self.connection)
        return self

    async def _send(self, message):
        await self.room.wait()
        self.ended = not message["more_body"]
        if message["body"]:
            self.events.append(message["body"])

    def leave(self):
        self.hub.leave(self.reader)

    @property
    def versions(self):
        return [int(event.split(b"\n")[0].removeprefix(b"id: ")) for event in self.events if event.startswith(b"id: ")]

    @property
    def posts(self):
        """The headlines of each message."""
        messages = [json.loads(event.split(b"data: ")[1]) for event in self.events if event.startswith(b"id: ")]
        return [[post.get("headline") for post in message["events"]] for message in messages]

    async def has(self, version):
        async with asyncio.timeout(SOON):
            while version not in self.versions:
                await asyncio.sleep(0.005)
        return self

    async def has_messages(self, count):
        async with asyncio.timeout(SOON):
            while len(self.posts) < count:
                await asyncio.sleep(0.005)

    async def end(self):
        async with asyncio.timeout(SOON):
            while not self.ended:
                await asyncio.sleep(0.005)
