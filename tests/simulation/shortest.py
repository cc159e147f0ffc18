"""A failing history made short: what can be left out of it is left out, one thing after the other, as long as it fails."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shortest(history: Sequence[T], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """What is left of a history that fails when nothing more can be removed without its passing."""
    left = tuple(history)
    at = len(left)
    while at:
        at -= 1
        shorter = (*left[:at], *left[at + 1 :])
        if fails(shorter):
            left, at = shorter, len(shorter)
    return left
