"""What a provider refused lately, so that polls do not ask for it every few seconds for the rest of a match."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

REFUSED_FOR = 300.0
"""Seconds for which a text or line-ups that are not booked are not asked for again; less than a whole match keeps away."""

MOST = 4096
"""Paths that are remembered for each endpoint; of more the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Paths of one endpoint, the oldest first, each with the monotonic second from which it may be asked for again."""

    until: dict[str, float] = field(default_factory=dict)

    def holds(self, path: str) -> bool:
        """Whether asking for the path would only be refused again."""
        return bool(self.until) and time.monotonic() < self.until.get(path, 0.0)

    def add(self, path: str) -> None:
        self.forget(path)
        self.until[path] = time.monotonic() + REFUSED_FOR
        while len(self.until) > MOST:
            del self.until[next(iter(self.until))]

    def forget(self, path: str) -> None:
        """The path was answered."""
        self.until.pop(path, None)
