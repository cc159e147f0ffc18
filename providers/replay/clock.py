"""A replay has its own time, so that ninety minutes may pass in five, stand still or be skipped."""

import time
from collections.abc import Callable

SLOWEST, FASTEST = 1.0, 1000.0
LONGEST = 1e9
"""Seconds; three decades are more than a match takes."""


def checked_speed(speed: float) -> float:
    """The speed as a float (ValueError outside 1 to 1000 times)."""
    if not SLOWEST <= speed <= FASTEST:
        raise ValueError(f"speed {speed:g} is not between {SLOWEST:g} and {FASTEST:g}")
    return float(speed)


class Clock:
    """Virtual seconds since the start of the replay, driven by a monotonic clock (seconds)."""

    def __init__(self, speed: float = 1.0, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._speed = checked_speed(speed)
        self._paused = False
        self._rebase(0.0)

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def paused(self) -> bool:
        return self._paused

    def now(self) -> float:
        """Virtual seconds since the start."""
        return self._elapsed if self._paused else self._elapsed + (self._monotonic() - self._since) * self._speed

    def set_speed(self, speed: float) -> None:
        """Run so many virtual seconds a second from now on (1 to 1000, else ValueError)."""
        speed = checked_speed(speed)
        self._rebase(self.now())
        self._speed = speed

    def pause(self) -> None:
        self._rebase(self.now())
        self._paused = True

    def resume(self) -> None:
        self._rebase(self.now())
        self._paused = False

    def seek(self, elapsed: float) -> None:
        """Stand at so many virtual seconds after the start, running or paused as before (ValueError below 0)."""
        if not 0 <= elapsed <= LONGEST:
            raise ValueError(f"{elapsed:g} is no number of seconds after the start")
        self._rebase(float(elapsed))

    def _rebase(self, elapsed: float) -> None:
        self._elapsed = elapsed
        self._since = self._monotonic()
