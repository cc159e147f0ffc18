"""One client's connection: uvicorn speaks HTTP on it, and what a client may take of time and bytes is bounded here.

Composed of public names alone: this protocol stands between the transport and uvicorn's protocol. A parser of its own
follows where requests begin and end, and finds what is malformed before uvicorn sees it; that costs half a microsecond a
request. One sweep for all connections counts the time (ingest/server/connection_limits.py): there is no timer per connection.
"""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from enum import IntEnum
from functools import cache
from http import HTTPStatus
from typing import Any, ClassVar

import httptools
import uvicorn
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.errors import (
    HEADER_BYTES,
    SAFE_HEADERS,
    URL_BYTES,
    HeadersTooLarge,
    RequestTimeout,
    UriTooLong,
    error_response,
)
from api.http.request import CONNECTION, plain_address
from ingest.server.connection_limits import ConnectionLimits
from mapping.errors import InvalidRequest, ServiceError

NO_VERSION = "0.0"
"""What the parser says of a connection before the first request line has named one."""
STATUS_LINE = b"HTTP/"
"""With this the head of a response begins."""
LINGER = 2.0
"""Seconds in which a refused client may read why, and finish sending."""
FIRST_REQUEST = 0.5
"""Seconds in which the first request of a client that connected just before a stop may come."""
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that has the kernel forget what the client does not take."""


class Phase(IntEnum):
    """What is expected of the client."""

    HEAD = 0
    """The (rest of the) head of a request."""
    BODY = 1
    """The rest of a body."""
    BETWEEN = 2
    """Nothing: the request has come whole, or the connection is idle."""


HEAD, BODY, BETWEEN = Phase


@cache
def http_protocol() -> Callable[..., asyncio.Protocol]:
    """The class that uvicorn itself would speak HTTP with; its configuration names it, the module it lies in is internal."""

    async def nothing(_scope: Scope, _receive: Receive, _send: Send) -> None: ...

    config = uvicorn.Config(nothing, http="httptools", ws="none", lifespan="off", log_config=None)
    config.load()
    return config.http_protocol_class


class Connection(asyncio.Protocol):
    """What uvicorn makes for each client; a subclass names the limits that it is counted in."""

    limits: ClassVar[ConnectionLimits]

    def __init__(self, *, app_state: dict[str, Any], **options: Any) -> None:
        self._http = http_protocol()(app_state={**app_state, CONNECTION: self}, **options)
        self._parser = httptools.HttpRequestParser(self)
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's: what follows is not served
        self._transport: asyncio.Transport
        self._joining: JoinedTransport
        self._phase: Phase = HEAD
        self._completed = False
        self._head = 0
        self._url = b""
        self._received = self._received_before = 0
        self._written = self._written_at_head = self._taken = 0
        self._sending_left = self._reading_left = 0.0
        self.requests = 0
        """Requests whose response is not complete."""
        self.finishing = False
        self._last = False
        self.address = ""
        self.has_room = True
        """Whether what is sent leaves at once, as far as this process knows."""
        self.refusal: ServiceError | None = None
        """Why nothing but operational requests is served here."""

    @staticmethod
    def of(scope: Scope) -> Connection:
        """The connection by which a request came."""
        connection: Connection = scope["state"][CONNECTION]
        return connection

    # What the event loop calls

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._joining = JoinedTransport(transport, self)
        self._sending_left = self.limits.header_time
        self._reading_left = self.limits.stall_time
        peer = transport.get_extra_info("peername")
        self.address = plain_address(peer[0]) if isinstance(peer, tuple) else ""
        self.limits.enter(self)
        self._http.connection_made(self._joining)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        if self.finishing:
            return
        self._received += len(data)
        fault = self._follow(data)
        if fault is None:
            self._http.data_received(data)
        else:
            self.refuse(fault)

    def eof_received(self) -> None:
        self._http.eof_received()

    def pause_writing(self) -> None:
        self.has_room = False
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self.has_room = True
        self._http.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.limits.leave(self)
        self.finishing = True
        del self._parser  # it refers to this, and a cycle would wait for the garbage collector
        self._http.connection_lost(exc)

    # What the parser calls

    def on_message_begin(self) -> None:
        self._phase = HEAD
        self._head = 0
        self._url = b""

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_headers_complete(self) -> None:
        if not self._url.startswith(b"/") and httptools.parse_url(self._url).path is None:
            raise InvalidRequest("the address has no path")  # for the parser, which takes it as malformed
        self._phase = BODY
        self._sending_left = self.limits.stall_time
        self._written_at_head = self._written
        self.requests += 1

    def on_message_complete(self) -> None:
        self._phase = BETWEEN
        self._completed = True

    def _follow(self, data: bytes) -> ServiceError | None:
        """Have the parser read `data`; what is wrong with the request, if anything is."""
        try:
            while data:
                part = data if self._phase is BODY else data[: HEADER_BYTES - self._head]
                data = data[len(part) :]
                self._completed = False
                self._parser.feed_data(part)
                if self._phase is not BODY and not self._completed:
                    self._head_goes_on(part)
                if self._head >= HEADER_BYTES:
                    return _too_long(len(self._url))
        except httptools.HttpParserUpgrade:  # is served as if it named no other protocol
            return None
        except httptools.HttpParserError:
            return InvalidRequest("malformed HTTP request")
        return None

    def _head_goes_on(self, part: bytes) -> None:
        if self._url and self._parser.get_http_version() == NO_VERSION and b"\n" in part.lstrip(b"\r\n"):
            raise httptools.HttpParserError  # a request line that names no version is a whole request of HTTP/0.9
        if self._phase is BETWEEN:  # an empty line before a request
            self._phase, self._head = HEAD, 0
        if self._head == 0:
            self._sending_left = self.limits.header_time
        self._head += len(part)

    # Responses

    def send(self, *pieces: bytes) -> None:
        """Hand bytes of a response to the transport; a client that was refused gets no more."""
        if not self.finishing:
            self._written += sum(map(len, pieces))
            self._transport.writelines(pieces)

    def answered(self) -> None:
        """The app has answered a request of this connection."""
        self.requests -= 1
        if self._last:
            asyncio.get_running_loop().call_soon(self._joining.close)  # after what the app has just written
        if self._phase is HEAD:
            self._sending_left = self.limits.header_time

    def refuse(self, error: ServiceError) -> None:
        """Answer with the error where no response is under way, and close."""
        self.limits.refused(error)
        if self.requests == 0 or (self.requests == 1 and self._phase is BODY and not self._response_has_begun()):
            self.send(as_bytes(error))
        self.finish()

    def _response_has_begun(self) -> bool:
        """Whether the response to the request that is coming in has begun."""
        return bool(self._joining.joined) or self._written != self._written_at_head

    def finish(self) -> None:
        """Close once all is sent; a client that is still sending is heard to the end, as it may not read before."""
        sending = self._phase is not BETWEEN and not self.limits.stopping
        if self.finishing or self._transport.is_closing():
            return
        if self.limits.stopping and not self._received:
            self._await_first_request()
            return
        if not sending:
            self._transport.close()
            return
        self.finishing = True
        self._sending_left = LINGER
        self._transport.resume_reading()
        self._transport.write_eof()

    def _await_first_request(self) -> None:
        """The server stops. A client that has just connected is about to send, or has sent what nobody has read yet."""
        if not self._last:
            self._last = True
            asyncio.get_running_loop().call_later(FIRST_REQUEST, self._close_unasked)

    def _close_unasked(self) -> None:
        if not self._received:
            self._transport.close()

    def abort(self) -> None:
        """Close at once, and have the kernel forget what was not taken."""
        with suppress(OSError, AttributeError):  # it may be closed already
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._transport.abort()

    # Time

    def sweep(self, elapsed: float) -> None:
        """Let go of a client that takes too long; so many seconds have passed since the last sweep."""
        if self._reads_too_slowly(elapsed):
            self.limits.closed("slow_reader")
            self.abort()
        elif not self._sends_too_slowly(elapsed):
            return
        elif self.finishing:
            self.abort()
        elif self._head or self.requests:
            self.refuse(RequestTimeout("the request did not come in time"))
        else:
            self.limits.closed("slow_request")
            self._transport.close()

    def _reads_too_slowly(self, elapsed: float) -> bool:
        if self._written == self._taken:
            return False
        waiting = self._transport.get_write_buffer_size() + unacknowledged_bytes(self._transport)
        taken, before = self._written - waiting, self._taken
        self._taken = taken
        if waiting == 0:
            self._reading_left = self.limits.stall_time
            return False
        self._reading_left = self.limits.patience(self._reading_left, elapsed, taken - before)
        return self._reading_left < 0

    def _sends_too_slowly(self, elapsed: float) -> bool:
        gained, self._received_before = self._received - self._received_before, self._received
        if self.finishing or (self._phase is HEAD and not self.requests):
            self._sending_left -= elapsed
        elif self._phase is BODY and self._transport.is_reading():
            # What comes after the response is heard for some time, and not for as long as something comes.
            self._sending_left = self.limits.patience(self._sending_left, elapsed, gained if self.requests else 0)
        else:
            return False
        return self._sending_left < 0


def _too_long(url: int) -> ServiceError:
    if url > URL_BYTES:
        return UriTooLong(f"the URL is longer than {URL_BYTES} bytes")
    return HeadersTooLarge(f"the headers are larger than {HEADER_BYTES} bytes")


class JoinedTransport:
    """A transport that sends a response's head with what is written behind it in the same step of the event loop.

    They are handed on as two pieces: a picture that was copied behind its head would cost as much as sending it. What
    follows, such as each message of a stream, leaves as it comes.
    """

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport = transport
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self.joined = b""

    def write(self, data: bytes) -> None:
        if self.joined:
            head, self.joined = self.joined, b""
            self._connection.send(head, data)
        elif data.startswith(STATUS_LINE):
            self.joined = data
            self._loop.call_soon(self.flush)
        else:
            self._connection.send(data)

    def flush(self) -> None:
        if self.joined:
            joined, self.joined = self.joined, b""
            self._connection.send(joined)

    def close(self) -> None:
        self.flush()
        self._connection.finish()

    def is_closing(self) -> bool:
        return self._connection.finishing or self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


def unacknowledged_bytes(transport: asyncio.Transport) -> int:
    """Bytes that the kernel holds because the client has not taken them; 0 where that is unknown."""
    count = bytearray(4)
    try:
        fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, count)
    except (OSError, ValueError):
        return 0
    return int.from_bytes(count, sys.byteorder)


def as_response(error: ServiceError) -> Response:
    """A refusal before any handler, in the one error shape and with the headers of all responses."""
    response = error_response(error)
    response.raw_headers += SAFE_HEADERS
    return response


def as_bytes(error: ServiceError) -> bytes:
    """The last response of a connection, as it is sent."""
    response = as_response(error)
    lines = [f"HTTP/1.1 {response.status_code} {HTTPStatus(response.status_code).phrase}".encode()]
    fields = [*response.raw_headers, (b"date", formatdate(usegmt=True).encode()), (b"connection", b"close")]
    lines += [name + b": " + value for name, value in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + bytes(response.body)
