"""What the polls of one endpoint came to, as one process counts it, and how the matches of a process are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.sync.post_times import PostDelays
from store.engine.durations import Durations

if TYPE_CHECKING:
    from collections.abc import Collection

    from ingest.sync.endpoint_limiter import EndpointLimiter
    from ingest.sync.followed_match import FollowedMatch
    from providers.base import Fetched


@dataclass(slots=True)
class PollCounts:
    """Counts of polls by outcome; how late polls and posts were; seconds that changes took from their response to their commit."""

    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    late: Durations = field(default_factory=Durations)
    commit: Durations = field(default_factory=Durations)
    delays: PostDelays = field(default_factory=PostDelays)

    def end(self, fetched: Fetched) -> None:
        """Count a poll that brought a response."""
        if fetched.changed:
            self.changed += 1
        elif fetched.good:
            self.unchanged += 1
        else:
            self.failed += 1


def health_of(matches: Collection[FollowedMatch], limiters: Collection[EndpointLimiter]) -> dict[str, int]:
    """How many matches are followed, failing, and silent (an alarm was raised).

    Also how many endpoints are lost, and how many have a rate limit that is too low for their matches.
    """
    return {
        "matches": len(matches),
        "failing": sum(match.failures > 0 for match in matches),
        "silent": sum(match.silent for match in matches),
        "endpoints_lost": sum(limiter.lost is not None for limiter in limiters),
        "endpoints_limited": sum(limiter.demand > 1 for limiter in limiters),
    }
