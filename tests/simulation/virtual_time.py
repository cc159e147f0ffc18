"""Virtual time: an event loop that waits for nothing, and clocks that show what it would have waited for."""

from __future__ import annotations

import asyncio
import random
import secrets
import selectors
import time

BEGIN = 1_760_000_000.0
"""The wall clock (Unix seconds) at which every play begins."""


class VirtualClock:
    """Seconds since the beginning of the play."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return BEGIN + self.now


CLOCK = VirtualClock()


class _Selector(selectors.DefaultSelector):
    """Says at once what the loop would have waited for; what is waited for without end will never happen."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("every task waits for something that no other task will do")
            CLOCK.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        super().__init__(_Selector())

    def time(self) -> float:
        return CLOCK.now


def virtualize() -> None:
    """Give this process virtual clocks; to be called before the product is imported, which may keep the functions."""
    time.monotonic = CLOCK.monotonic
    time.time = CLOCK.wall
    time.clock_gettime = lambda _: CLOCK.now


def seed_all(seed: int) -> None:
    """All chance from one seed: jitter, ids, tokens."""
    random.seed(seed)
    chance = random.Random(f"secrets {seed}")
    secrets.token_bytes = lambda count=32: chance.randbytes(count)
    secrets.token_hex = lambda count=32: chance.randbytes(count).hex()
    secrets.randbits = chance.getrandbits
    CLOCK.now = 0.0
