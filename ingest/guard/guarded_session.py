"""aiohttp behind the SSRF guard: its resolver and its sockets ask the guard, so that no request can go around it."""

from __future__ import annotations

import asyncio
import socket
from contextvars import ContextVar
from typing import TYPE_CHECKING, cast
from weakref import WeakSet

import aiohttp
import httpx
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from ingest.guard.ssrf_guard import Blocked, SsrfGuard
from mapping.rules import callable_addresses
from mapping.rules.callable_addresses import NotAllowed

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace


KEEP_ALIVE = 60.0
"""Seconds after which an idle connection is not used again."""
BUFFER = 32 * 1024
"""Bytes of a body from which on aiohttp reads no more of it, twice, until the caller has taken some."""
RECEIVED = 512 * 1024
"""Bytes that may come in answer to one request, heads and interim responses too: aiohttp limits a line and the number of
headers, but reads one interim response (1xx) after the other. A body is paused before: two buffers, and one read (256 KiB)."""


REUSED: ContextVar[bool] = ContextVar("REUSED", default=False)
"""Whether the latest request of this task went over a connection that had been used before; cheaper than aiohttp's traces."""


def callable_url(url: str) -> URL:
    """`url` as it goes over the wire, percent escapes as they were given. Raises Blocked for one that nobody may have."""
    try:
        callable_addresses.target(url)
        parts = httpx.URL(url)
        if callable_addresses.literal(parts.host):  # aiohttp knows an address with a dot behind it as no address
            parts = parts.copy_with(host=parts.host.removesuffix("."))
        return URL(str(parts), encoded=True)
    except (NotAllowed, httpx.InvalidURL):
        raise Blocked from None


def open_session(
    guard: SsrfGuard, *, connections: int, connect_timeout: float, received: int | None = None
) -> aiohttp.ClientSession:
    """See SsrfGuard.session."""
    return aiohttp.ClientSession(
        connector=GuardedConnector(guard, connections, RECEIVED if received is None else received + RECEIVED),
        timeout=aiohttp.ClientTimeout(total=None, connect=connect_timeout),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        read_bufsize=BUFFER,
        skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
        trust_env=False,
    )


class GuardedConnector(aiohttp.TCPConnector):
    """Opens up to `connections` connections, to addresses that the guard has checked and to no others."""

    def __init__(self, guard: SsrfGuard, connections: int, received: int) -> None:
        def open_socket(found: aiohttp.AddrInfoType) -> socket.socket:
            family, kind, protocol, _, address = found
            return guard.open_socket(family, kind, protocol, address)

        super().__init__(
            resolver=GuardedResolver(guard),
            use_dns_cache=False,
            socket_factory=open_socket,
            ssl=guard.context,
            limit=connections,
            keepalive_timeout=KEEP_ALIVE,
        )
        self._received = received
        self._used = WeakSet[object]()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 -- aiohttp's signature
    ) -> Connection:
        """A connection for the request; never one on which something came unasked: it would be taken for the response."""
        REUSED.set(False)
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if protocol is not None and not protocol.should_close:
                _limit(connection.transport, self._received)
                REUSED.set(protocol in self._used)
                self._used.add(protocol)
                return connection
            connection.close()


def _limit(transport: asyncio.BaseTransport | None, received: int) -> None:
    """From now on so many bytes may come."""
    if transport is None or transport.is_closing():
        return
    protocol = transport.get_protocol()
    if isinstance(protocol, LimitedProtocol):
        protocol.left = received
    else:  # uvloop's transports are no subclasses of asyncio's
        plain = cast("asyncio.Protocol", protocol)
        transport.set_protocol(LimitedProtocol(cast("asyncio.Transport", transport), plain, received))


class LimitedProtocol(asyncio.Protocol):
    """Hands on what comes over a connection, and ends it when too much has come."""

    def __init__(self, transport: asyncio.Transport, protocol: asyncio.Protocol, received: int) -> None:
        self._transport = transport
        self._protocol = protocol
        self.left = received

    def data_received(self, data: bytes) -> None:
        self._protocol.data_received(data)
        self.left -= len(data)
        if self.left < 0:
            self._transport.abort()

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)


class GuardedResolver(AbstractResolver):
    """Looks names up through the guard; one address that is not public is enough to refuse the name."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of `host`, all of them checked. Raises Blocked, or OSError when the name does not resolve."""
        return [
            ResolveResult(hostname=host, host=each, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
            for each in await self._guard.addresses(host, port)
        ]

    async def close(self) -> None:
        """Do nothing: the resolver keeps nothing open."""
