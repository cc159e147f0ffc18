"""How far a receiver has come in the outbox, while several of its rows are under way at a time."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


class CursorTracker:
    """The low watermark: rows are taken up by number and acknowledged in any order; the cursor never passes one that is not."""

    def __init__(self, cursor: int) -> None:
        self.fed = cursor
        """The number up to which rows have been looked at."""
        self.newest = cursor
        """The last row that was taken up."""
        self._open: deque[int] = deque()
        self._acknowledged: set[int] = set()

    @property
    def cursor(self) -> int:
        """Everything up to here is acknowledged."""
        return self._open[0] - 1 if self._open else self.fed

    def take(self, number: int) -> None:
        self._open.append(number)
        self.fed = self.newest = number

    def cursor_with(self, numbers: Collection[int]) -> int:
        """The cursor as it will be once these are acknowledged too."""
        for each in self._open:
            if each not in self._acknowledged and each not in numbers:
                return each - 1
        return self.fed

    def acknowledge(self, numbers: Collection[int]) -> None:
        self._acknowledged.update(numbers)
        while self._open and self._open[0] in self._acknowledged:
            self._acknowledged.discard(self._open.popleft())
