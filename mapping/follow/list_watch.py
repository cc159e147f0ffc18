"""Whether a list can be believed: one that fails, or that has lost half of its matches at once, changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from zoneinfo import ZoneInfo

from mapping.match.fixture import Fixture

LEAST = 4
"""Matches of a day from which on the loss of more than half of them is not believed."""
BAD_LOOKS = 3
"""Bad looks in a row that are an alarm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenList:
    """The matches of the last good look, how many bad ones came since, and what was wrong with the last."""

    fixtures: tuple[Fixture, ...] = ()
    by_day: Mapping[date, int] = field(default_factory=dict)
    bad: int = 0
    cause: str = ""

    @property
    def is_trouble(self) -> bool:
        return self.bad >= BAD_LOOKS

    def failed(self, cause: str) -> SeenList:
        """The same after a look that gave nothing to believe."""
        return SeenList(fixtures=self.fixtures, by_day=self.by_day, bad=self.bad + 1, cause=cause)

    def seen(self, fixtures: tuple[Fixture, ...], zone: ZoneInfo) -> SeenList:
        """The same after a look: as it gives them, unless a day has lost more than half of its matches."""
        counts = Counter(
            datetime.fromtimestamp(each.kickoff, zone).date() for each in fixtures if each.kickoff is not None
        )
        for day in sorted(self.by_day):
            before, now = self.by_day[day], counts[day]
            if before >= LEAST and 2 * now < before and not (day < min(counts, default=day)):
                return self.failed(f"of {before} matches of {day} the list holds {now} now")
        return SeenList(fixtures=fixtures, by_day=dict(counts))
