"""Rate limiter of a host that is delivered to: it spreads a backlog and shares the rate out among organizations."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

from ingest.kit.fair_queue import FairQueue
from ingest.kit.timers import EARLY
from mapping.rules.token_bucket import TokenBucket


@dataclass(slots=True)
class _Host:
    """Its bucket, and who waits for the next token."""

    bucket: TokenBucket
    waiting: FairQueue[asyncio.Future[None]] = field(default_factory=FairQueue)
    timer: asyncio.TimerHandle | None = None


class FairRateLimiter:
    """For each host `rate` requests a second, `burst` of them (at least one) at once after a rest. A `rate` of 0: no limit.

    Organizations that wait for the same host are served in turn, and so are the receivers of each (see FairQueue).
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._hosts: dict[str, _Host] = {}

    async def acquire(self, host: str, organization: str = "", receiver: str = "") -> None:
        """Wait until a request to `host` may begin. A caller who gives up uses nothing."""
        if not self._rate:
            return
        if (known := self._hosts.get(host)) is None:
            known = self._hosts[host] = _Host(TokenBucket(self._rate, self._burst))
        if not known.waiting and known.bucket.take(monotonic()):
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        known.waiting.add(organization, receiver, granted)
        self._schedule(known)
        try:
            await granted
        finally:
            known.waiting.remove(organization, receiver, granted)

    def forget(self) -> None:
        """Drop hosts whose bucket is full again."""
        now = monotonic()
        self._hosts = {
            host: known for host, known in self._hosts.items() if known.waiting or known.bucket.level(now) < self._burst
        }

    def _schedule(self, known: _Host) -> None:
        if known.timer is None and known.waiting:
            known.timer = asyncio.get_running_loop().call_later(known.bucket.wait(monotonic()), self._serve, known)

    def _serve(self, known: _Host) -> None:
        """Let those begin for whom there is a token, and see to the next one."""
        known.timer = None
        while known.bucket.wait(monotonic()) <= EARLY and (granted := known.waiting.take()) is not None:
            if not granted.done():
                known.bucket.reserve(monotonic(), 1.0)
                granted.set_result(None)
        self._schedule(known)
