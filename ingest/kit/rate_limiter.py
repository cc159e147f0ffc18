"""A queue in which organizations take turns, and a rate limiter of hosts that shares the rate out among them by it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

from ingest.kit.steady_clock import EARLY
from mapping.rules.token_bucket import TokenBucket

T = TypeVar("T")


def anybody(_: str) -> bool:
    """Every organization may be served."""
    return True


class FairQueue(Generic[T]):
    """Round robin: the next item is one of the organization, and there of the key, that was served longest ago.

    However much one organization has queued, another one waits for one item of each organization before it. Adding and
    taking are O(1); only organizations that may not be served at the moment are passed over one by one.
    """

    def __init__(self) -> None:
        self._organizations: OrderedDict[str, OrderedDict[str, deque[T]]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._organizations)

    def add(self, organization: str, key: str, item: T) -> None:
        """Queue `item`. Items of the same key are taken in the order in which they were added."""
        self._organizations.setdefault(organization, OrderedDict()).setdefault(key, deque()).append(item)

    def take(self, may: Callable[[str], bool] = anybody) -> T | None:
        """The next item of an organization that `may` be served; None where nothing is queued for any of them."""
        organization = next(filter(may, self._organizations), None)
        if organization is None:
            return None
        keys = self._organizations[organization]
        key = next(iter(keys))
        item = keys[key].popleft()
        keys.move_to_end(key)
        self._organizations.move_to_end(organization)
        self._forget(organization, key)
        return item

    def remove(self, organization: str, key: str, item: T) -> None:
        """Take `item` out, if it is still there."""
        keys = self._organizations.get(organization)
        items = keys.get(key) if keys else None
        if items and item in items:
            items.remove(item)
            self._forget(organization, key)

    def _forget(self, organization: str, key: str) -> None:
        """Keep nothing of a key, or of an organization, that has nothing queued."""
        keys = self._organizations[organization]
        if not keys[key]:
            del keys[key]
        if not keys:
            del self._organizations[organization]


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
