"""The token bucket behind each rate limiter: a pure rule, to which the caller gives the time."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf


@dataclass(slots=True)
class TokenBucket:
    """Gains `rate` tokens a second and holds `burst` of them at most; it begins full. A `rate` of 0 means no limit.

    `now` is in seconds of a clock that does not go back, the same one in all calls.
    """

    rate: float
    burst: float
    _level: float = field(default=0.0, init=False)
    _at: float = field(default=-inf, init=False)

    def level(self, now: float) -> float:
        """The tokens in it; less than 0 where more was reserved than there was."""
        if not self.rate:
            return self.burst
        self._level, self._at = min(self.burst, self._level + (now - self._at) * self.rate), now
        return self._level

    def wait(self, now: float, tokens: float = 1.0) -> float:
        """Seconds until so many tokens are in it."""
        return max(0.0, tokens - self.level(now)) / self.rate if self.rate else 0.0

    def take(self, now: float) -> bool:
        """Take one token, if there is one."""
        if self.rate and self.level(now) < 1:
            return False
        self._level -= 1
        return True

    def reserve(self, now: float, tokens: float) -> float:
        """Take so many tokens in any case. Seconds until those that were taken before are made up for."""
        wait = self.wait(now, 0.0)
        self._level -= tokens
        return wait
