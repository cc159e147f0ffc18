"""The few connections of one receiver: HTTP/1.1 as far as posting a small body needs it, through the guard.

A client for everything costs a delivery three times what this does, and most of it for what a delivery never uses.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import httptools
import httpx

from ingest.webhooks.ssrf_guard import Blocked
from mapping.rules import addresses
from mapping.rules.addresses import NotAllowed

if TYPE_CHECKING:
    from ingest.webhooks.ssrf_guard import SsrfGuard

ANSWER_BYTES = 64 * 1024
"""How much of an answer is read, head and all; what comes after it is left."""
BUFFER = 4096
KEEP_ALIVE = 60.0
"""Seconds after which a connection that rests is not used again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What matters of an answer. `retry_after`: that header as it was sent, empty without one."""

    status: int
    retry_after: str


@dataclass(frozen=True, slots=True)
class Address:
    """Where a receiver is, and the head of every request to it as far as it is always the same."""

    host: str
    port: int
    tls: bool
    head: bytes

    @classmethod
    def of(cls, url: str) -> Address:
        """Raises Blocked for a URL that no receiver may have."""
        try:
            port = addresses.target(url).port
            parts = httpx.URL(url)
        except (NotAllowed, httpx.InvalidURL):
            raise Blocked from None
        head = b"POST %b HTTP/1.1\r\nHost: %b\r\n" % (parts.raw_path, parts.netloc)
        return cls(parts.raw_host.decode("ascii"), port, parts.scheme == "https", head)


class Broken(OSError):
    """The connection ended, or what came over it is no answer."""


class Wire(asyncio.BufferedProtocol):
    """One connection, on which one request at a time is answered. Its buffer bounds what is read of an answer."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._buffer = memoryview(bytearray(BUFFER))
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._left = 0
        self._status = 0
        self._retry_after = ""
        self._framed = False
        self.rested = self._loop.time()
        """When it was last used, by the loop's clock."""

    @property
    def open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes) -> Answer:
        """Send the request; its answer. Raises Broken. A caller that gives up takes the connection with it."""
        if self._transport is None or self._transport.is_closing():
            raise Broken
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._answer = answer
        self._left, self._status = ANSWER_BYTES, 0
        self._transport.write(request)
        try:
            return await answer
        except BaseException:
            self.abort()
            raise
        finally:
            self._answer, self.rested = None, self._loop.time()

    def abort(self) -> None:
        """End at once, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End as one who has nothing more to say."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one without being called so

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 -- asyncio's signature
        return self._buffer[: min(max(self._left, 1), BUFFER)]

    def buffer_updated(self, nbytes: int) -> None:
        if self._answer is None or self._answer.done():  # said without being asked: whose answer would the next one be?
            self.abort()
            return
        self._left -= nbytes
        try:
            self._parser.feed_data(self._buffer[:nbytes])
        except httptools.HttpParserUpgrade:  # nobody asked for it, but it is an answer
            self._end(reuse=False)
        except httptools.HttpParserError:
            self._status = 0
            self._end(reuse=False)
        else:
            if self._left <= 0 and not self._answer.done():
                self._end(reuse=False)

    def eof_received(self) -> None:
        """Where nothing says how long an answer is, it ends with the connection."""
        if self._answer is not None and not self._framed:
            self._end(reuse=False)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio's signature
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Broken())

    def on_message_begin(self) -> None:
        if self._answer is None or self._answer.done():  # more than was asked for
            self.abort()
        self._status, self._retry_after, self._framed = 0, "", False

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"retry-after":
                self._retry_after = value.decode("latin-1").strip()
            case b"content-length" | b"transfer-encoding":
                self._framed = True

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()

    def on_message_complete(self) -> None:
        if self._status >= 200:  # what comes before is no answer yet
            self._end(reuse=self._parser.should_keep_alive())

    def _end(self, *, reuse: bool) -> None:
        """The answer as far as it has come; without a status there is none."""
        if self._answer is not None and not self._answer.done():
            if self._status:
                self._answer.set_result(Answer(self._status, self._retry_after))
            else:
                self._answer.set_exception(Broken())
        if not reuse:
            self.abort()


class Wires:
    """The connections of one receiver. No more than ask at a time, and each of them to an address that was checked."""

    def __init__(self, guard: SsrfGuard, url: str) -> None:
        self._guard = guard
        self._url = url
        self._address: Address | None = None
        self._resting: list[Wire] = []

    async def post(self, fields: bytes, body: bytes, *, connect: float) -> Answer:
        """The answer to `body` under these header fields (whole lines). A new connection takes `connect` seconds at most.

        Raises Blocked, TimeoutError, and OSError for what a network does.
        """
        if self._address is None:
            self._address = Address.of(self._url)
        wire = self._rested() or await self._connected(self._address, connect)
        answer = await wire.ask(b"%b%bContent-Length: %d\r\n\r\n%b" % (self._address.head, fields, len(body), body))
        if wire.open:
            self._resting.append(wire)
        return answer

    def close(self) -> None:
        """End the connections that rest."""
        resting, self._resting = self._resting, []
        for each in resting:
            each.close()

    def _rested(self) -> Wire | None:
        while self._resting:
            wire = self._resting.pop()
            if wire.open and asyncio.get_running_loop().time() - wire.rested < KEEP_ALIVE:
                return wire
            wire.close()
        return None

    async def _connected(self, address: Address, seconds: float) -> Wire:
        loop = asyncio.get_running_loop()

        async def connect(checked: str, left: float | None) -> Wire:
            context, name = (self._guard.context, address.host) if address.tls else (None, None)
            async with asyncio.timeout(left):
                _, wire = await loop.create_connection(Wire, checked, address.port, ssl=context, server_hostname=name)
            return wire

        return await self._guard.reach(address.host, address.port, connect, timeout=seconds)
