"""The database as this process finds it when it writes what it has polled."""

from __future__ import annotations

from dataclasses import dataclass, field

from store.engine.log_once import LogOnce


@dataclass(slots=True)
class Outage:
    """Whether the database can be written to. `matches`: those whose last answers could not be written."""

    number: int = 0
    """How many outages there have been."""
    matches: set[str] = field(default_factory=set)
    _log: LogOnce = field(default_factory=lambda: LogOnce("store.unavailable", "store.recovered", "error"))

    @property
    def lost(self) -> bool:
        """Whether the last unit could not be written."""
        return self._log.failing

    def began(self, cause: str) -> None:
        """A unit was not written."""
        self.number += self._log.failed(cause=cause)

    def ended(self) -> frozenset[str]:
        """A unit was written; the matches that the outage held up, none where there was no outage."""
        held_up = frozenset(self.matches)
        self._log.worked(matches=len(held_up))
        self.matches.clear()
        return held_up
