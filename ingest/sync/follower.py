"""Following matches: one heap of due times, one sleeper, one poll at a time per match, and when the next one is due."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Container, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from functools import partial
from heapq import heappop, heappush
from itertools import count
from time import monotonic

import structlog

from config.sections import Limits, Polling
from ingest.kit.quarantine import AGAIN, Quarantine
from ingest.kit.steady_clock import EARLY
from ingest.sync import followed_match
from ingest.sync.apply_match import WritingRules
from ingest.sync.endpoint_limiter import RESOURCES, EndpointPaused, limiter_of, may_poll_always, wait_of
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.liveblog_sync import NewId
from ingest.sync.match_failures import MatchQuarantine, Outage, SilenceWatch
from ingest.sync.poll import Poller, Record, record_nothing
from ingest.sync.standby_sources import StandbyRules
from mapping.errors import ServiceError, StoreUnavailable
from mapping.posts.withdrawal_notes import WithdrawalRules
from mapping.rules import pacing
from providers.base import Fetched, ProviderAdapter
from store.database import Store
from store.engine import spans
from store.engine.loops import repeat
from store.following import leases
from store.timeline.timeline import PostTimeline

log = structlog.get_logger()

TAKE_UP = 1.0
"""Seconds over which the first polls of matches that were taken up together are spread."""
PACE = {each.name for each in fields(pacing.PollIntervals)}
"""The settings of `[polling]` that say when a match is polled."""


class Followers:
    """Polls the matches that liveblogs are attached to, and keeps those liveblogs in line with them."""

    def __init__(
        self,
        store: Store,
        adapters: Mapping[str, ProviderAdapter],
        polling: Polling,
        limits: Limits,
        *,
        clock: Callable[[], float],
        new_id: NewId,
        quarantine: Quarantine,
        record: Record = record_nothing,
        lease: Callable[[], bool] = may_poll_always,
        serves: Callable[[str, str], bool] = followed_match.everybody,
        withdrawals: WithdrawalRules | None = None,
        standby: StandbyRules | None = None,
        timeline: PostTimeline | None = None,
    ) -> None:
        self._store = store
        self._serves = serves
        self._pace = pacing.PollIntervals(**polling.model_dump(include=PACE))
        self._clock = clock
        self._set = 0.0
        """By how many seconds the wall clock has been set since the start."""
        self._outage = Outage()
        self.limiters = {key: limiter_of(adapter, polling, lease) for key, adapter in adapters.items()}
        self._silence = SilenceWatch(self.limiters, clock, polling.silence_alarm)
        timeline = PostTimeline(store, clock) if timeline is None else timeline
        rules = partial(WritingRules, new_id, withdrawals=withdrawals, standby=standby)
        self.pollers = {
            key: Poller(limiter, store, clock, record, limits, rules(partial(serves, key)), timeline)
            for key, limiter in self.limiters.items()
        }
        self._report = quarantine.loop("polls")
        self.left_out = MatchQuarantine(store, quarantine, self._spawn)
        self.refused = 0
        """How many writes were refused because another process had taken the match over."""
        self._matches: dict[str, FollowedMatch] = {}
        self._heap: list[tuple[float, int, str]] = []
        self._sequence = count()
        self._woken = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._matches)

    @property
    def matches(self) -> tuple[FollowedMatch, ...]:
        return tuple(self._matches.values())

    @property
    def unwritten(self) -> int:
        """Of how many matches the last answers could not be written."""
        return len(self._outage.matches)

    def follows(self, leased: leases.LeasedMatch) -> bool:
        """Whether the match is followed under this lease, and with all liveblogs that have joined it.

        So is one that cannot be taken up, until it is to be tried again.
        """
        match = self._matches.get(leased.follow_id)
        followed = match is not None and (match.fence, match.joined) == (leased.fence, leased.joined)
        return followed or self.left_out.waits(leased)

    def keep(self, leased: Iterable[leases.LeasedMatch], *, besides: Container[str] = frozenset()) -> None:
        """Drop every match whose lease is gone, or was lost in between, except those `besides`."""
        fences = {each.follow_id: each.fence for each in leased}
        for match in self.matches:
            if fences.get(match.id) != match.fence and match.id not in besides:
                self.left_out.drop(self._matches.pop(match.id))
        self.left_out.keep(fences.keys() | self._matches.keys())

    async def follow(self, follow_id: str, *, leased: leases.LeasedMatch | None = None, afresh: bool = False) -> None:
        """Take up a match; `afresh`: another liveblog joined it, so fetch everything, whatever is known, and soon.

        `leased`: the lease under which it is written, by default the one that the match has now. A match that cannot be
        taken up is left out; without its endpoint, and while it serves nobody, it is not polled. Raises StoreUnavailable.
        """
        try:
            stored = await self._store.read(partial(followed_match.load, follow_id=follow_id, serves=self._serves))
            row = stored.row
            if row.endpoint not in self.limiters:
                log.warning("match.endpoint_missing", match=row.match_id, endpoint=row.endpoint)
                return
            if not stored.needed:
                self._matches.pop(follow_id, None)
                self.left_out.put_off(follow_id, leased)
                return
            fence = row.fence if leased is None else leased.fence
            match = self._matches.get(follow_id)
            if match is None or match.fence != fence:  # what is known of one under the same lease is kept
                match = self._matches[follow_id] = followed_match.take_up(stored)
            match.joined_by(stored, fence, afresh=afresh)
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self._matches.pop(follow_id, None)
            await self.left_out.not_taken_up(follow_id, leased, error)
            return
        self.left_out.taken_up(match)
        self.schedule(match, pacing.phase(match.match_id, min(self._pace.live, TAKE_UP)))

    def schedule(self, match: FollowedMatch, wait: float) -> None:
        """Plan the next poll in `wait` seconds, whatever was planned before."""
        match.due = monotonic() + wait
        heappush(self._heap, (match.due, next(self._sequence), match.id))
        self._woken.set()

    async def run(self) -> None:
        """Drive the polls until cancelled; `stop` then sees to those under way."""
        await repeat(self._turn, self._report)

    async def _turn(self) -> None:
        await self._sleep()
        self._begin_due()

    def _begin_due(self) -> None:
        while self._heap and self._heap[0][0] <= monotonic() + EARLY:
            due, _, follow_id = heappop(self._heap)
            match = self._matches.get(follow_id)
            if match is not None and match.due == due and not match.busy:
                self._unless_faulty(match, partial(self._begin_poll, match))

    def _begin_poll(self, match: FollowedMatch) -> None:
        if pause := self.limiters[match.endpoint].paused_for():
            self._postpone(match, pause)
            return
        match.busy = True
        self._spawn(self.poll(match))

    async def stop(self, grace: float = 8.0) -> None:
        """Let polls that are under way finish within `grace` seconds, then cancel what is left."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def poll(self, match: FollowedMatch) -> None:
        """Poll once and plan the next poll, whatever happens: no match is ever forgotten."""
        names = {"matchwire.endpoint": self.limiters[match.endpoint].name, "matchwire.match": match.match_id}
        with spans.beginning("poll", attributes=names) as span:
            await self._poll(match)
            span.set_attribute("matchwire.state", match.status.value)
            spans.mark(span, failed=match.failures > 0)

    async def _poll(self, match: FollowedMatch) -> None:
        fetched: Fetched | None = None
        retry_after: float | None = None
        try:
            fetched = await self.pollers[match.endpoint].poll(match)
            retry_after = self._account(match, fetched)
        except EndpointPaused as paused:
            self._postpone(match, paused.seconds)
            return
        except leases.Superseded:
            self._supersede(match)
        except StoreUnavailable as error:
            match.failures += 1
            match.known = {}  # it may be written, and the provider may go back to what was known before
            self._not_written(match, error)
        except ServiceError as error:
            self._fail(match, error)
            retry_after = wait_of([error])
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self.left_out.failed(match, error)
            match.failures += 1
            match.known = {}  # so that whatever is stored of it is written anew
        else:
            self.left_out.well(match)
        finally:
            match.busy = False
        self._unless_faulty(match, partial(self._plan, match, fetched, retry_after))

    def _unless_faulty(self, match: FollowedMatch, step: Callable[[], None]) -> None:
        """Take the step; a match for which it fails is left out for a while, and not forgotten."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self.left_out.failed(match, error)
            self.schedule(match, AGAIN)

    async def watch_silence(self) -> None:
        """Mark each running match that has had no good answer for too long; not while the store is lost."""
        if not self._outage.lost:
            self._silence.look(self._matches.values())

    async def watch_rates(self) -> None:
        """Compare what the matches need with what the rate limits of their endpoints allow."""
        needed = dict.fromkeys(self.limiters, 0.0)
        for match in self._matches.values():
            if wait := self.interval(match):
                needed[match.endpoint] += (len(match.known) or RESOURCES) / wait
        for key, limiter in self.limiters.items():
            limiter.need(needed[key])

    def store_lost(self, error: ServiceError) -> None:
        """Somebody could not write."""
        self._outage.began(error.message)

    def store_back(self) -> None:
        """Somebody could write: what could not be written is fetched again soon."""
        if self._outage.lost:
            self._silence.begin_anew()
        for follow_id in self._outage.ended():
            match = self._matches.get(follow_id)
            if match is not None:
                match.failures = 0
                if not match.busy:
                    self.hurry(match)

    def clock_set(self, seconds: float) -> None:
        """The wall clock was set by so many seconds: nothing that is cached gets older or younger by that.

        Nobody knows which of the two was right, the old clock or the new one, so a match is polled as soon as it is
        due by either of them; plans that are too late by the new one are made anew.
        """
        self._set += seconds
        self._silence.clock_set(seconds)
        for match in self._matches.values():
            match.clock_set(seconds)
            wait = self.interval(match)
            if wait is not None and not match.busy and not match.failures and match.due > monotonic() + wait:
                self.schedule(match, pacing.phase(match.match_id, wait))

    def health(self) -> dict[str, int]:
        """How many matches are followed, failing, and silent (an alarm was raised).

        Also how many endpoints are lost, and how many have a rate limit that is too low for their matches.
        """
        return {
            "matches": len(self),
            "failing": sum(match.failures > 0 for match in self.matches),
            "silent": sum(match.silent for match in self.matches),
            "endpoints_lost": sum(limiter.lost is not None for limiter in self.limiters.values()),
            "endpoints_limited": sum(limiter.demand > 1 for limiter in self.limiters.values()),
        }

    async def _sleep(self) -> None:
        """Wait until a poll is due or one is scheduled."""
        self._woken.clear()
        wait = self._heap[0][0] - monotonic() if self._heap else None
        if wait is not None and wait <= EARLY:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._woken.wait()

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _plan(self, match: FollowedMatch, fetched: Fetched | None, retry_after: float | None) -> None:
        if self._matches.get(match.id) is not match:  # dropped while it was polled
            return
        pace, wait = self._pace, self.interval(match)
        if match.afresh:
            wait = 0.0
        elif wait is None:
            self._spawn(self._close(match))
            return
        hurried, match.hurried = match.hurried, False
        if match.failures:
            jitter = random.random()  # noqa: S311 -- spreads load, guards nothing
            wait = pacing.backoff(pace, wait, failures=match.failures, jitter=jitter, retry_after=retry_after)
        elif fetched is not None:
            wait = pacing.align(pace, wait, fetched.fresh_for)
            wait = pacing.phase(match.match_id, wait) if hurried else wait
        self.schedule(match, wait)

    def interval(self, match: FollowedMatch) -> float | None:
        """Seconds between two polls of the match as it is; None where it is polled no more."""
        return followed_match.interval(match, self._pace, self._clock(), self._set)

    def _account(self, match: FollowedMatch, fetched: Fetched) -> float | None:
        """Record how a poll went; returns for how long the provider wants no requests. Text that fails holds up nothing."""
        if match.id in self._outage.matches:  # what could not be written then was new, so it was written now
            self.store_back()
        if fetched.good:
            self._silence.end(match)
            if self._silence.is_back(
                match.endpoint
            ):  # its matches are polled soon, however long each would have stayed away
                for other in self._matches.values():
                    if other.endpoint == match.endpoint and other.failures and not other.busy:
                        self.hurry(other)
        text = self.limiters[match.endpoint].text_resource
        if errors := [each.error for each in fetched.failed if each.error is not None and each.resource != text]:
            self._fail(match, errors[0])
            return wait_of(errors)
        if match.logged:
            log.info("provider.recovered", match=match.match_id, endpoint=match.endpoint, failures=match.failures)
        match.failures, match.logged, match.unknown_since, match.refused = 0, False, None, False
        return None

    def hurry(self, match: FollowedMatch) -> None:
        """Poll the match soon, whatever was planned."""
        self.schedule(match, pacing.phase(match.match_id, self._pace.live))

    def _fail(self, match: FollowedMatch, error: ServiceError) -> None:
        """Log a match that fails twice in a row, once; where all of the endpoint is lost, its limiter logs that once."""
        match.failures += 1
        match.failed_with(error, self._clock())
        self._silence.failed(match.endpoint)
        if match.failures > 1 and not match.logged and self.limiters[match.endpoint].lost is None:
            match.logged = True
            log.warning("provider.lost", match=match.match_id, endpoint=match.endpoint, cause=error.message)

    def _not_written(self, match: FollowedMatch, error: ServiceError) -> None:
        """The store is lost, unless it is so for this match alone."""
        if not self.left_out.unwritten(match, error, self._outage):
            self._outage.matches.add(match.id)
            self.store_lost(error)

    def _supersede(self, match: FollowedMatch) -> None:
        """Drop a match that another process follows by now; nothing was written."""
        self.refused += 1
        if self._matches.get(match.id) is match:
            del self._matches[match.id]
        log.warning("match.superseded", match=match.match_id, fence=match.fence)

    def _postpone(self, match: FollowedMatch, pause: float) -> None:
        """Poll again once the endpoint is no longer paused, not all matches at once."""
        self.schedule(match, pause + pacing.phase(match.match_id, self._pace.live))

    async def _close(self, match: FollowedMatch) -> None:
        """Settle what is open at the end of the window and stop following; try again later where that fails."""
        try:
            await self.pollers[match.endpoint].close(match)
        except leases.Superseded:
            self._supersede(match)
            return
        except StoreUnavailable as error:
            self._not_written(match, error)
        except ServiceError as error:
            log.warning("match.closing_failed", match=match.match_id, cause=error.message)
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this match
            self.left_out.failed(match, error)
        else:
            self._matches.pop(match.id, None)
            log.info("match.closed", match=match.match_id)
            return
        self.schedule(match, self._pace.backoff_max)
