"""What every benchmark needs: CPU time of this process, two sides in turn, medians, and a table of what came out."""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table; `met` is None where there is no target."""

    name: str
    value: str
    target: str = ""
    met: bool | None = None


async def cpu(work: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds that this process spends on it, in all its threads."""
    began = time.process_time()
    await work()
    return time.process_time() - began


class Sides(NamedTuple):
    """CPU seconds of two sides, and the first by the second."""

    first: float
    second: float
    ratio: float


async def alternating(
    first: Callable[[], Awaitable[object]], second: Callable[[], Awaitable[object]], *, rounds: int
) -> Sides:
    """Medians over rounds in each of which both sides have their turn, so that what else the machine does meets both alike.

    A machine that is at times twice as fast as at others makes the ratio of each round worth more than that of the medians.
    """
    sides: tuple[list[float], list[float]] = ([], [])
    await first()
    await second()
    for number in range(rounds):
        gc.collect()
        for index in (0, 1) if number % 2 else (1, 0):
            sides[index].append(await cpu((first, second)[index]))
    ratios = [one / other for one, other in zip(*sides, strict=True)]
    return Sides(median(sides[0]), median(sides[1]), median(ratios))


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(figures: Sequence[Figure]) -> str:
    """As Markdown."""
    head = "| figure | measured | target | met |\n|---|---|---|---|\n"
    marks = {None: "", True: "yes", False: "**no**"}
    return head + "".join(f"| {f.name} | {f.value} | {f.target} | {marks[f.met]} |\n" for f in figures)
