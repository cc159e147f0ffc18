"""A provider on the loopback interface that behaves exactly as a test wants, down to the bytes on the wire."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Writer = asyncio.StreamWriter
Script = Callable[[Writer], Awaitable[None]]


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]


@dataclass
class Upstream:
    """Answers by path; `requests` is what was requested, in order."""

    answers: dict[str, bytes | Script] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError), contextlib.closing(writer):
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = (line.split(": ", 1) for line in lines[1:] if ": " in line)
                self.requests.append(Request(lines[0].split(" ")[1], {name.lower(): value for name, value in headers}))
                answer = self.answers.get(self.requests[-1].path, answered(b"", status="404 Not Found"))
                if isinstance(answer, bytes):
                    writer.write(answer)
                    await writer.drain()
                else:
                    await answer(writer)


def answered(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A whole answer; `length` may lie about the body."""
    size = len(body) if length is None else length
    head = [f"HTTP/1.1 {status}", f"Content-Length: {size}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def json_answer(value: Any, *headers: str) -> bytes:
    return answered(json.dumps(value).encode(), "Content-Type: application/json", *headers)


@contextlib.asynccontextmanager
async def upstream(answers: dict[str, bytes | Script] | None = None) -> AsyncIterator[Upstream]:
    """A running provider; all its connections are gone afterwards."""
    provider, tasks = Upstream(answers or {}), set()

    def connected(reader: asyncio.StreamReader, writer: Writer) -> None:
        tasks.add(asyncio.ensure_future(provider.serve(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    provider.port = server.sockets[0].getsockname()[1]
    try:
        yield provider
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # closed connections leave the loop in its next round
