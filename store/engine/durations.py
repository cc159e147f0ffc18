"""How long something took, counted in steps as Prometheus wants them; cheap enough for what happens a thousand times a second."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

STEPS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
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

    def percentiles(self) -> dict[str, int] | None:
        """The median, 95th and 99th percentile, each as the upper bound (milliseconds) of its step, and how many there are.

        None where there are none; what took longer than the last step counts as that.
        """
        counted = [*accumulate(self._counts)]
        if not counted[-1]:
            return None
        bounds = [*STEPS, STEPS[-1]]
        found = {f"p{part}": bounds[bisect_left(counted, counted[-1] * part / 100)] for part in (50, 95, 99)}
        return {**{name: round(1000 * seconds) for name, seconds in found.items()}, "count": counted[-1]}
