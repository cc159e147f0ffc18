"""A provider on the loopback interface that serves an adapter's fixtures, and misbehaves when a rule wants it to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

LIMIT = 64 * 1024
"""Longest request head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer other than the fixture. `how`: whole, cut off in the middle, never sent, or a connection that breaks."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    how: Literal["whole", "cut", "hang", "break"] = "whole"


@dataclass(slots=True)
class Server:
    """Answers `bodies` by the end of the path. `spoil` may put another answer in the place of any."""

    bodies: Mapping[str, bytes]
    etags: bool = True
    spoil: Callable[[str], Reply | None] = lambda _: None
    requests: list[str] = field(default_factory=list)
    """The requested paths, with their queries."""
    conditional: int = 0
    """How many of them were conditional."""
    connections: int = 0
    """How many are open."""
    url: str = ""

    def body(self, path: str) -> bytes | None:
        """The fixture that this path names, below whatever prefix and without its query."""
        place = path.partition("?")[0].rstrip("/")
        return next((body for name, body in self.bodies.items() if place.endswith(f"/{name.strip('/')}")), None)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        gone = (ConnectionError, asyncio.IncompleteReadError)
        try:
            with contextlib.suppress(*gone), contextlib.closing(writer):
                while await self._answer(reader, writer):
                    pass
        finally:
            self.connections -= 1

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False where the connection ends with it."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1]
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        await reader.readexactly(int(headers.get("content-length", 0)))
        self.requests.append(path)
        self.conditional += "if-none-match" in headers
        reply = self.spoil(path) or self._fixture(path, headers.get("if-none-match"))
        if reply.how == "hang":
            await reader.read()  # until the client gives up
        if reply.how in ("hang", "break"):
            return False
        sent = reply.body if reply.how == "whole" else reply.body[: len(reply.body) // 2]
        writer.write(_head(reply) + sent)
        await writer.drain()
        return reply.how == "whole"

    def _fixture(self, path: str, known: str | None) -> Reply:
        body = self.body(path)
        if body is None:
            return Reply(status=404, body=b'{"error": "not found"}')
        if not self.etags:
            return Reply(body=body)
        tag = f'"{sha256(body).hexdigest()[:16]}"'
        if known == tag:
            return Reply(status=304, headers={"ETag": tag})
        return Reply(body=body, headers={"ETag": tag, "Cache-Control": "max-age=30"})


def _head(reply: Reply) -> bytes:
    length = {} if reply.status == 304 else {"Content-Length": str(len(reply.body))}
    fields = {"Content-Type": "application/json", **length, **reply.headers}
    return "\r\n".join([f"HTTP/1.1 {reply.status} -", *(f"{k}: {v}" for k, v in fields.items()), "", ""]).encode()


@contextlib.asynccontextmanager
async def serving(server: Server) -> AsyncIterator[Server]:
    """The server while the context is open; all its connections are gone afterwards."""
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.ensure_future(server.serve(reader, writer)))

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, limit=LIMIT)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # closed connections leave the loop in its next round
