"""What keeps a match from being followed: a fault of its own, a database that takes nothing, a provider that falls silent.

An outage of the database is nobody's fault, and is logged once for all. A running match that is silent though its provider
answers others is logged too; what a whole endpoint suffers is no match's own.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import monotonic

import structlog

from ingest.kit.quarantine import AGAIN, Quarantine
from ingest.sync import snapshot
from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.followed_match import FollowedMatch
from mapping.errors import ServiceError
from store.database import Store
from store.engine.errors import UnreadableRow, brief_reason
from store.engine.loops import LogOnce
from store.engine.unit import Unit
from store.following import follow_rows, leases

RELAPSES = 3
"""So often the store has to be lost for one match while it is there for others, until that is taken for the match's fault."""

log = structlog.get_logger()


ROW = 0.25
"""The part of the time until a match counts as silent, after which nothing but failures of its endpoint is the endpoint's."""


@dataclass(slots=True)
class MatchQuarantine:
    """What one process leaves out of what it follows. `spawn` lets a coroutine run beside the polls."""

    store: Store
    quarantine: Quarantine
    spawn: Callable[[Coroutine[None, None, None]], None]
    _waiting: dict[str, tuple[int, int, float]] = field(default_factory=dict)
    """Matches that could not be taken up: fence, joined, and when they are tried again (monotonic)."""

    def waits(self, leased: leases.LeasedMatch) -> bool:
        """Whether the match could not be taken up, and it is too early to try again."""
        fence, joined, until = self._waiting.get(leased.follow_id, (None, None, 0.0))
        return (fence, joined) == (leased.fence, leased.joined) and monotonic() < until

    async def not_taken_up(self, follow_id: str, leased: leases.LeasedMatch | None, error: Exception) -> None:
        """The match cannot be taken up; it is tried again later. Raises StoreUnavailable."""
        fence = self.put_off(follow_id, leased)
        match_id = await self.store.read(partial(follow_rows.match_id, follow_id=follow_id))
        if self.quarantine.failed("match", follow_id, error, match=match_id):
            self._save(follow_id, fence, brief_reason(error))

    def put_off(self, follow_id: str, leased: leases.LeasedMatch | None) -> int:
        """Nothing is to be done for the match now; it is looked at again later. Gives the fence of the lease."""
        fence, joined = (-1, -1) if leased is None else (leased.fence, leased.joined)
        self._waiting[follow_id] = (fence, joined, monotonic() + AGAIN)
        return fence

    def taken_up(self, match: FollowedMatch) -> None:
        """The match is followed; of its resources some may have to be fetched anew."""
        self._waiting.pop(match.id, None)
        if match.unreadable is not None:
            self.failed(match, match.unreadable)

    def failed(self, match: FollowedMatch, error: Exception) -> None:
        """Something is wrong with this match alone."""
        if self.quarantine.failed("match", match.id, error, match=match.match_id):
            self._save(match.id, match.fence, brief_reason(error))

    def well(self, match: FollowedMatch) -> None:
        """The match was polled; of its liveblogs some may be left out."""
        match.relapses, match.lost_in = 0, None
        about = {"match": match.match_id}
        changed = self.quarantine.recovered("match", match.id, **about)
        for name, cause in match.failed.items():
            changed |= self.quarantine.failed("liveblog", name, cause, liveblog=name, **about)
        for name in match.left_out.keys() - match.failed.keys():
            changed |= self.quarantine.recovered("liveblog", name, liveblog=name, **about)
        match.left_out = match.failed
        if changed:
            causes = [f"liveblog {name}: {cause}" for name, cause in match.failed.items()]
            self._save(match.id, match.fence, "; ".join(causes) or None)

    def unwritten(self, match: FollowedMatch, error: ServiceError, outage: Outage) -> bool:
        """The match could not be written; whether that is the match's own fault: others can be, again and again."""
        match.relapses += match.lost_in is not None and not (outage.lost and match.lost_in == outage.number)
        match.lost_in = outage.number if outage.lost else outage.number + 1
        if match.relapses < RELAPSES:
            return False
        self.failed(match, UnreadableRow(f"it cannot be written: {error.message}"))
        return True

    def drop(self, match: FollowedMatch) -> None:
        """The match is somebody else's now."""
        self.quarantine.forget("liveblog", match.left_out)

    def keep(self, follow_ids: Iterable[str]) -> None:
        """Only these are still this process's."""
        names = frozenset(follow_ids)
        self._waiting = {name: kept for name, kept in self._waiting.items() if name in names}
        self.quarantine.keep("match", names)

    def _save(self, follow_id: str, fence: int, cause: str | None) -> None:
        work = partial(snapshot.save_failure, follow_id=follow_id, cause=cause)
        self.spawn(self._try_to_write(partial(leases.run_fenced, work=work, follow_id=follow_id, fence=fence)))

    async def _try_to_write(self, work: Callable[[Unit], None]) -> None:
        try:
            await self.store.write(work)
        except (ServiceError, leases.Superseded):  # it is in the log already
            return
        except Exception as error:  # noqa: BLE001 -- nothing depends on it
            log.debug("match.failure_not_kept", cause=brief_reason(error))


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
