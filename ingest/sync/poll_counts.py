"""What the polls of one endpoint came to, as one process counts it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from store.durations import Durations

if TYPE_CHECKING:
    from providers.base import Fetched


@dataclass(slots=True)
class PollCounts:
    """Counts of polls by outcome; seconds that polls were late, and that changes took from their response to their commit."""

    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    late: Durations = field(default_factory=Durations)
    commit: Durations = field(default_factory=Durations)

    def end(self, fetched: Fetched) -> None:
        """Count a poll that brought a response."""
        if fetched.changed:
            self.changed += 1
        elif fetched.good:
            self.unchanged += 1
        else:
            self.failed += 1
