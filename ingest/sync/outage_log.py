"""What is lost and found again: that it is lost is logged once, that it is back is logged once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import structlog

log = structlog.get_logger()


@dataclass(slots=True)
class LogOnce:
    """The first failure in a row is logged as the event `lost`, the success that ends it as `recovered`."""

    lost: str
    recovered: str
    failing: bool = False

    def failed(self, **fields: Any) -> None:
        if not self.failing:
            log.warning(self.lost, **fields)
        self.failing = True

    def worked(self, **fields: Any) -> None:
        if self.failing:
            log.info(self.recovered, **fields)
        self.failing = False


@dataclass(slots=True)
class Outage:
    """The store as this process finds it when it writes. `matches`: those whose last answers could not be written."""

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
