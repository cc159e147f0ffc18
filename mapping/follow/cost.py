"""What rules cost: how many of their matches are played at once, and how many requests a second that takes of an endpoint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from mapping.follow.plan import COUNTED, Planned

ABOUT = 2 * 3600
"""Seconds for which a match is polled as live."""
REQUESTS = 2
"""Requests of a poll, without text."""


@dataclass(frozen=True, slots=True)
class FullestHours:
    """The hours in which most matches of an endpoint are played at once: how many, and the requests a second that they take."""

    matches: int
    requests: float


def fullest_hours(planned: Iterable[Planned], interval: float) -> FullestHours:
    """Of the matches that rules follow at one endpoint, each counted once; `interval`: seconds between two polls."""
    kickoffs = sorted({each.fixture.match_id: kickoff for each, kickoff in _followed(planned)}.values())
    most = max((sum(start <= each < start + ABOUT for each in kickoffs) for start in kickoffs), default=0)
    return FullestHours(most, most * REQUESTS / interval)


def fullest_day(planned: Iterable[Planned], zone: ZoneInfo) -> int:
    """The most matches of a day of which one rule makes liveblogs; `zone`: that of its provider's days."""
    days = Counter(datetime.fromtimestamp(kickoff, zone).date() for _, kickoff in _followed(planned))
    return max(days.values(), default=0)


def _followed(planned: Iterable[Planned]) -> Iterable[tuple[Planned, int]]:
    """The matches of which the rules make, or have made, liveblogs, and when they begin."""
    return (
        (each, each.fixture.kickoff) for each in planned if each.outlook in COUNTED and each.fixture.kickoff is not None
    )
