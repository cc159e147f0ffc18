"""How long something took, counted in steps as Prometheus wants them; cheap enough for what happens a thousand times a second."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

STEPS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds in seconds; longer ones are counted behind the last."""


class Durations:
    """Counts durations (seconds). For one thread."""

    def __init__(self) -> None:
        self._counts = [0] * (len(STEPS) + 1)
        self.total = 0.0
        """The sum of all of them."""

    def observe(self, seconds: float) -> None:
        """Count one; what a clock makes negative counts as nothing."""
        seconds = max(0.0, seconds)
        self._counts[bisect_left(STEPS, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """For each upper bound how many took no longer, the last one `+Inf` with all of them."""
        return list(zip([*map(str, STEPS), "+Inf"], accumulate(self._counts, initial=None), strict=True))
