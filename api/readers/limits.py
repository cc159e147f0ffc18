"""Rate limits of what readers send: new tokens by address, everything else by reader and address."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from api.middleware.rate_limiter import RateLimiter
from mapping.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable

    from config.sections import Readers


class ReaderLimits:
    """The buckets of a process; `monotonic` counts seconds."""

    def __init__(self, settings: Readers, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._tokens = RateLimiter(settings.tokens_per_second, settings.tokens_burst, monotonic)
        self._readers = RateLimiter(settings.reader_per_second, settings.reader_burst, monotonic)
        self._addresses = RateLimiter(settings.address_per_second, settings.address_burst, monotonic)

    def charge_token(self, address: str) -> None:
        """Charge a new token to the address. Raises RateLimited."""
        _charge(self._tokens, address)

    def charge(self, reader_id: str, address: str) -> None:
        """Charge a write to the reader and the address. Raises RateLimited."""
        _charge(self._readers, reader_id)
        _charge(self._addresses, address)


def _charge(limiter: RateLimiter, name: str) -> None:
    taken = limiter.take(name)
    if taken is not None and not taken.allowed:
        raise RateLimited("this reader has sent too much in too short a time", retry_after=taken.wait)
