"""Which other processes are dead: those whose beat has stood still for too long on the watcher's own clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class PeerMonitor:
    """Beats as they were seen last. Seconds of a steady clock; no wall clock is asked, so none can mislead.

    A process is dead after `patience` seconds without a beat. Of the time between two looks at most `gap` seconds count:
    after a longer one it was the watcher that slept, and perhaps the whole machine with all who are watched.
    """

    patience: float
    gap: float
    _beats: dict[str, int] = field(default_factory=dict, init=False)
    _quiet: dict[str, float] = field(default_factory=dict, init=False)
    _seen: float | None = field(default=None, init=False)

    def look(self, beats: Mapping[str, int], now: float) -> None:
        """Take note of the beats that were read just before `now`."""
        passed = 0.0 if self._seen is None else min(now - self._seen, self.gap)
        self._quiet = {
            name: self._quiet.get(name, 0.0) + passed if self._beats.get(name) == beat else 0.0
            for name, beat in beats.items()
        }
        self._beats, self._seen = dict(beats), now

    def dead(self) -> dict[str, int]:
        """Who has been quiet for too long, with the beat at which each ended."""
        return {name: self._beats[name] for name, quiet in self._quiet.items() if quiet >= self.patience}

    def wait(self, longest: float) -> float:
        """Seconds until the next look makes sense: when somebody may be found dead, at most `longest`."""
        return max(0.0, min([longest, *(self.patience - quiet for quiet in self._quiet.values())]))
