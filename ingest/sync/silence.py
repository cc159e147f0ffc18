"""Which running matches are silent though their provider answers others: what a whole endpoint suffers is no match's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import structlog

from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.followed_match import FollowedMatch

log = structlog.get_logger()

ROW = 0.25
"""The part of the time until a match counts as silent, after which nothing but failures of its endpoint is the endpoint's."""


class SilenceWatch:
    """Watches the matches of a process. Times are Unix seconds of `clock`; `alarm` is `polling.silence_alarm`."""

    def __init__(self, limiters: Mapping[str, EndpointLimiter], clock: Callable[[], float], alarm: float) -> None:
        self._limiters = limiters
        self._clock = clock
        self._alarm = alarm
        self._attentive_since = clock()
        """Since when this process has been able to poll and to write; silence before that is no provider's fault."""
        self._away: dict[str, float] = {}
        """Endpoint → when it was seen last that it gave nobody a good answer."""
        self._lost: set[str] = set()

    def begin_anew(self) -> None:
        """The process could not poll or write until now."""
        self._attentive_since = self._clock()

    def clock_set(self, seconds: float) -> None:
        """The wall clock was set by so many seconds: nothing was silent for longer or shorter by that."""
        self._attentive_since += seconds
        self._away = {key: at + seconds for key, at in self._away.items()}

    def look(self, matches: Iterable[FollowedMatch]) -> None:
        """Mark each running match that has had no good answer for too long, while its endpoint answered others; logged once."""
        now = self._clock()
        for key, limiter in self._limiters.items():
            if limiter.away(self._alarm * ROW):
                self._away[key] = now
        for match in matches:
            since = max(self._attentive_since, self._away.get(match.endpoint, 0.0))
            quiet = now - max(since, match.good_at or since)
            if match.status.running and quiet > self._alarm and not match.silent:
                match.silent = True
                log.error("match.silent", match=match.match_id, endpoint=match.endpoint, seconds=round(quiet))

    def end(self, match: FollowedMatch) -> None:
        """The match had a good answer."""
        if match.silent:
            match.silent = False
            log.info("match.silence_ended", match=match.match_id, endpoint=match.endpoint)

    def failed(self, endpoint: str) -> None:
        """A poll failed: the endpoint may be lost."""
        if self._limiters[endpoint].lost is not None:
            self._lost.add(endpoint)

    def is_back(self, endpoint: str) -> bool:
        """Whether the endpoint was lost and answers now; true once."""
        back = endpoint in self._lost and self._limiters[endpoint].lost is None
        if back:
            self._lost.remove(endpoint)
        return back
