"""Whether a list can be believed: one that fails, or that has lost half of its matches at once, changes nothing."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
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
    bad: int = 0
    cause: str = ""

    @property
    def is_trouble(self) -> bool:
        return self.bad >= BAD_LOOKS

    def failed(self, cause: str) -> SeenList:
        """The same after a look that gave nothing to believe."""
        return SeenList(fixtures=self.fixtures, bad=self.bad + 1, cause=cause)

    def seen(self, fixtures: tuple[Fixture, ...], first: date, zone: ZoneInfo) -> SeenList:
        """The same after a look at the days from `first` on: as it gives them, unless a day has lost more than half of its matches.

        One that is listed for another day now is not lost.
        """
        listed = {each.match_id for each in fixtures}
        days: dict[date, list[bool]] = defaultdict(list)
        for each in self.fixtures:
            if each.kickoff is not None and (day := datetime.fromtimestamp(each.kickoff, zone).date()) >= first:
                days[day].append(each.match_id in listed)
        for day, still in sorted(days.items()):
            if len(still) >= LEAST and 2 * sum(still) < len(still):
                return self.failed(f"of {len(still)} matches of {day} the list holds {sum(still)} now")
        return SeenList(fixtures=fixtures)
