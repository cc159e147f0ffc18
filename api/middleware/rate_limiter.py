"""Rate limiter of the API: how often a client or an address may ask."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import LRUCache

from mapping.rules.pacing import TokenBucket

KEPT = 10_000
"""Buckets in memory; the one used longest ago is forgotten first, which at worst fills it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of one request: allowed or not, and what is left. `wait` is seconds until the next token."""

    allowed: bool
    limit: int
    remaining: int
    wait: float

    def headers(self) -> dict[str, str]:
        """`RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until one more request is possible)."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(math.ceil(self.wait)),
        }


class RateLimiter:
    """One bucket a name, holding at most `burst` tokens and gaining `rate` a second; a rate of 0 never refuses."""

    def __init__(self, rate: float, burst: float, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._monotonic = monotonic
        self._buckets: LRUCache[str, TokenBucket] = LRUCache(KEPT)

    def take(self, name: str) -> Taken | None:
        """Take a token out of the bucket; None where there is no limit."""
        if self._rate <= 0:
            return None
        now = self._monotonic()
        bucket = self._buckets.setdefault(name, TokenBucket(self._rate, self._burst))
        allowed = bucket.take(now)
        return Taken(allowed, int(self._burst), int(bucket.level(now)), bucket.wait(now))

    def spent(self, name: str) -> Taken | None:
        """That nothing is left in the bucket, None while something is; nothing is taken."""
        bucket = self._buckets.get(name) if self._rate > 0 else None
        now = self._monotonic()
        if bucket is None or bucket.level(now) >= 1:
            return None
        return Taken(allowed=False, limit=int(self._burst), remaining=0, wait=bucket.wait(now))
