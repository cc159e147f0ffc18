"""A wall clock for plans: it goes on evenly when somebody sets the machine's clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

JUMP = 5.0
"""Seconds; less is the correction of a clock that goes wrong a little, and is followed."""
EARLY = 0.001
"""Seconds by which a timer may fire early, as uvloop counts in milliseconds. What is due so soon is taken for due: otherwise
its timer is set again and again until the time has come."""


@dataclass(slots=True)
class SteadyClock:
    """The clocks of a part of the process; tests hand in their own.

    `wall` gives Unix seconds, `steady` seconds that only grow, `speed` how many of them pass in a real second.
    """

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    speed: float = 1.0
    _seen: tuple[float, float] | None = field(default=None, init=False)
    _offset: float = field(default=0.0, init=False)

    def now(self) -> float:
        """Unix seconds as of the start, without the jumps of the wall clock since then."""
        wall, steady = self.wall(), self.steady()
        if self._seen is not None:
            jump = (wall - self._seen[0]) - (steady - self._seen[1])
            if abs(jump) > JUMP:
                self._offset -= jump
        self._seen = (wall, steady)
        return wall + self._offset
