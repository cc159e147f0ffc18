"""The store as this process finds it when it writes: that it is lost is told once, that it is back is told once."""

from __future__ import annotations

from dataclasses import dataclass, field

import structlog

log = structlog.get_logger()


@dataclass(slots=True)
class Outage:
    """`matches`: those whose last answers could not be written."""

    lost: bool = False
    number: int = 0
    """How many outages there have been."""
    matches: set[str] = field(default_factory=set)

    def began(self, cause: str) -> None:
        """A unit was not written; only the first one is told."""
        if not self.lost:
            self.lost = True
            self.number += 1
            log.error("store.unavailable", cause=cause)

    def ended(self) -> frozenset[str]:
        """A unit was written; the matches that the outage held up, none where there was no outage."""
        held_up = frozenset(self.matches)
        if self.lost:
            log.info("store.recovered", matches=len(held_up))
        self.lost = False
        self.matches.clear()
        return held_up
