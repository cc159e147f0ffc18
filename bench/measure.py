"""What every benchmark needs: CPU time of this process, two sides in turn, medians, and a table of what came out."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence


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


async def alternating(
    first: Callable[[], Awaitable[object]], second: Callable[[], Awaitable[object]], *, rounds: int
) -> tuple[float, float]:
    """Medians of the CPU seconds of both sides, taken in turn so that what else the machine does meets both alike."""
    sides: tuple[list[float], list[float]] = ([], [])
    await first()
    await second()
    for number in range(rounds):
        gc.collect()
        for index in (0, 1) if number % 2 else (1, 0):
            sides[index].append(await cpu((first, second)[index]))
    return median(sides[0]), median(sides[1])


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(figures: Sequence[Figure]) -> str:
    """As Markdown."""
    head = "| figure | measured | target | met |\n|---|---|---|---|\n"
    marks = {None: "", True: "yes", False: "**no**"}
    return head + "".join(f"| {f.name} | {f.value} | {f.target} | {marks[f.met]} |\n" for f in figures)
