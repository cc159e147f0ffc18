"""A reader of server-sent events that comes back with the last id, as a browser does."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from providers.http_server import bind_socket, listening
from tests.kit.event_desk import DESK, applied

STREAM = "/api/embed/v4/stream"


@asynccontextmanager
async def over_http(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    """The app behind a real server: the test transport waits for the end of a stream."""
    async with (
        listening(app, bind_socket("127.0.0.1", 0), timeout_graceful_shutdown=3) as address,
        httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as http,
    ):
        yield http


class Reader:
    """Keeps the liveblog as its stream sends it."""

    def __init__(self, http: httpx.AsyncClient, liveblog: str = "gderby", client: str = DESK[0]) -> None:
        self.http, self.liveblog, self.client = http, liveblog, client
        self.version = 0
        self.kept: dict[str, Any] = {}
        self.ids: list[int] = []
        self.game: dict[str, Any] = {}

    async def read(self, messages: int | None = None, until: int | None = None) -> None:
        """Read so many messages, or until a version, or to the end of the stream."""
        headers = {"Last-Event-ID": str(self.version)} if self.version else {}
        params = {"liveblogId": self.liveblog, "client_id": self.client}
        async with self.http.stream("GET", STREAM, params=params, headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            async for message in self._messages(response):
                self._take(*message)
                if messages is not None and (messages := messages - 1) == 0:
                    return
                if until is not None and self.version >= until:
                    return

    async def follow(self, until: int, within: float = 60.0) -> None:
        async with asyncio.timeout(within):
            while self.version < until:
                await self.read(until=until)

    def _take(self, version: int, data: dict[str, Any]) -> None:
        assert version > self.version, "a message came twice, or out of order"
        self.version = version
        self.ids.append(version)
        self.game = data["game"]
        self.kept = applied(self.kept, {event["local_id"]: event for event in data["events"]})

    @staticmethod
    async def _messages(response: httpx.Response) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        fields: dict[str, str] = {}
        async for line in response.aiter_lines():
            if line:
                name, _, value = line.partition(": ")
                fields[name] = value
            else:
                if "data" in fields:
                    yield int(fields["id"]), json.loads(fields["data"])
                fields = {}
