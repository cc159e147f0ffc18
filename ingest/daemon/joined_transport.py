"""A transport that saves packets, and what the kernel knows of the bytes that it was given."""

from __future__ import annotations

import asyncio
import fcntl
import sys
import termios
from typing import Any, Protocol


class Sender(Protocol):
    """Who writes in the end, and closes."""

    finishing: bool

    def send(self, data: bytes) -> None: ...

    def finish(self) -> None: ...


class JoinedTransport:
    """A transport that sends what is written in one step of the event loop, a response's head and body, as one piece."""

    def __init__(self, transport: asyncio.Transport, connection: Sender) -> None:
        self._transport = transport
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self.joined = b""

    def write(self, data: bytes) -> None:
        if self.joined:
            self.joined += data
            self.flush()
        else:
            self.joined = data
            self._loop.call_soon(self.flush)

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


def unacknowledged(transport: asyncio.Transport) -> int:
    """Bytes that the kernel holds because the client has not taken them; 0 where it does not tell."""
    count = bytearray(4)
    try:
        fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, count)
    except (OSError, ValueError):
        return 0
    return int.from_bytes(count, sys.byteorder)
