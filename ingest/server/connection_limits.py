"""How many connections there may be, for all and for one address, and who is let go: one sweep for all of them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

import prometheus_client
import structlog

from api.http.errors import Overloaded, RequestTimeout
from api.http.request import client_network
from config.sections import Server
from mapping.errors import RateLimited, ServiceError
from store.engine.loops import LoggedLoop, repeat

if TYPE_CHECKING:
    from ingest.server.connection import Connection

log = structlog.get_logger(__name__)

SPARE = 64
"""Connections beyond the limits that may ask for an operational path, or read why they are refused. A newer one takes the
place of the one that has kept silent longest."""
SWEEP = 1.0
"""Seconds between two looks at all connections."""
STOPPING = 1.0
"""Seconds for which a client may stand still once the process stops."""
RETRY_AFTER = 5
WARN_EVERY = 60.0
"""Seconds between two log lines about refused connections."""
REASON = {RateLimited: "address", Overloaded: "all", RequestTimeout: "slow_request"}
REASONS = (*REASON.values(), "malformed", "slow_reader")


class ConnectionLimits:
    """The open connections of a server; `connections_per_address` 0 means no limit."""

    def __init__(self, server: Server, *, connections_per_address: int, max_connections: int) -> None:
        self.header_time = server.header_timeout
        self.stall_time = server.stall_timeout
        self.stopping = False
        self._least_rate = server.least_rate
        self._connections_per_address = connections_per_address
        self._max_connections = max_connections
        self._interval = min(SWEEP, server.header_timeout / 4, server.stall_timeout / 4)
        self.proxies = tuple(ip_network(each, strict=False) for each in server.trusted_proxies)
        """Networks of proxies whose X-Forwarded-For is believed."""
        self._open: set[Connection] = set()
        self._spare: dict[Connection, None] = {}
        self._by_address: Counter[str] = Counter()
        self._behind: Counter[str] = Counter()
        self._warned = -WARN_EVERY
        self._wakes = asyncio.Event()
        self._closed = prometheus_client.Counter(
            "matchwire_clients_refused",
            "Connections and requests refused, or let go, by reason",
            ["reason"],
            registry=None,
        )
        for reason in REASONS:
            self._closed.labels(reason)
        self._gauge = prometheus_client.Gauge("matchwire_connections", "Open connections of clients", registry=None)
        self._gauge.set_function(self.__len__)
        self.collectors = (self._closed, self._gauge)
        self._swept = 0.0

    def __len__(self) -> int:
        return len(self._open)

    # Connections

    def enter(self, connection: Connection) -> None:
        """Count a new connection; beyond the limits it is a spare one, which serves nothing but operational requests."""
        connection.refusal = self._refusal(connection.address)
        self._open.add(connection)
        if connection.refusal is None:
            self._by_address[client_network(connection.address)] += 1
            return
        self.warn(connection.refusal)
        if len(self._spare) >= SPARE:
            silent = next((each for each in self._spare if not each.requests), connection)
            self._spare.pop(silent, None)
            self.refused(connection.refusal)
            silent.abort()
        self._spare[connection] = None

    def leave(self, connection: Connection) -> None:
        """A connection has ended."""
        self._open.discard(connection)
        self._spare.pop(connection, None)
        if connection.refusal is None:
            _take_one(self._by_address, client_network(connection.address))

    def refused(self, error: ServiceError) -> None:
        """Count a refusal that a client read before its connection was closed."""
        self.closed(REASON.get(type(error), "malformed"))

    def closed(self, reason: str) -> None:
        """Count a connection that was closed for one of REASONS."""
        self._closed.labels(reason).inc()

    def begin(self, address: str) -> ServiceError | None:
        """Count a request of an address behind a proxy, or say why it is refused; `end` follows one that is counted."""
        refusal = self._too_many(self._behind[client_network(address)])
        if refusal is None:
            self._behind[client_network(address)] += 1
        return refusal

    def end(self, address: str) -> None:
        _take_one(self._behind, client_network(address))

    def _refusal(self, address: str) -> ServiceError | None:
        if len(self._open) - len(self._spare) >= self._max_connections:
            return Overloaded("the server has no room for another connection", retry_after=RETRY_AFTER)
        if self.proxies and any(ip_address(address) in network for network in self.proxies):
            return None
        return self._too_many(self._by_address[client_network(address)])

    def _too_many(self, count: int) -> ServiceError | None:
        if not 0 < self._connections_per_address <= count:
            return None
        return RateLimited("too many connections from this address", retry_after=RETRY_AFTER)

    def warn(self, refusal: ServiceError) -> None:
        """Say that clients are refused, at most once a minute, and not which."""
        now = time.monotonic()
        if now - self._warned >= WARN_EVERY:
            self._warned = now
            log.warning("connections.refused", cause=str(refusal), open=len(self))

    # Time

    async def watch(self) -> None:
        """Until cancelled: let go of the clients that take too long."""
        self._swept = asyncio.get_running_loop().time()
        await repeat(self._turn, LoggedLoop("connections"))

    async def _turn(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._interval):
                await self._wakes.wait()
                self._wakes.clear()
        now = asyncio.get_running_loop().time()
        # A process that was suspended has not given anybody the time that has passed.
        elapsed, self._swept = min(now - self._swept, 2 * self._interval), now
        for connection in list(self._open):
            self._sweep(connection, elapsed)

    @staticmethod
    def _sweep(connection: Connection, elapsed: float) -> None:
        try:
            connection.sweep(elapsed)
        except Exception:  # one connection must not keep the others from being looked at
            log.exception("connections.sweep_failed")
            connection.abort()

    def patience(self, remaining: float, elapsed: float, moved: int) -> float:
        """Seconds that a client may still stand still, of which it had `remaining` when it moved so many bytes since."""
        earned = 0.0 if not moved else moved / self._least_rate if self._least_rate else self.stall_time
        return min(self.stall_time, remaining - elapsed + earned)

    def stop(self) -> None:
        """From now on nobody is waited for longer than a second that stands still."""
        self.stopping = True
        self.stall_time = min(self.stall_time, STOPPING)
        self._interval = min(self._interval, STOPPING / 4)
        self._wakes.set()

    def abort(self) -> None:
        """Close all connections at once."""
        for connection in list(self._open):
            connection.abort()


def _take_one(counts: Counter[str], name: str) -> None:
    counts[name] -= 1
    if counts[name] <= 0:
        del counts[name]
