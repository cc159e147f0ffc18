"""The limiter of one provider endpoint: concurrency limit, rate limit and circuit breaker; and counts of what its polls came to.

It stands between the polls and the adapter, and is an adapter itself to those who poll.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from time import monotonic

from cachetools import LRUCache
from opentelemetry.trace import SpanKind

from config.sections import Polling
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.poll_slots import PollSlots
from ingest.sync.post_times import PostDelays
from mapping.errors import ProviderRefused, ServiceError, Unprocessable, UpstreamUnavailable
from mapping.match.fixture import FixtureList
from mapping.rules import breaker
from mapping.rules.breaker import Circuit, CircuitBreakerConfig, LostProviderCode
from mapping.rules.token_bucket import TokenBucket
from providers.base import CarriedBy, Endpoint, Fetched, FixtureLister, Known, ProviderAdapter, Selector
from providers.http_client import Throttled
from store.engine import spans
from store.engine.lasting import LogOnce
from store.engine.spans import Durations

ENDPOINT_ERRORS = (UpstreamUnavailable, ProviderRefused)
"""Errors that may be the endpoint's; any other one concerns a single match."""
BARE = 5.0
"""Seconds to stay away from a provider that asks for fewer requests and does not say for how long."""
RESOURCES = 3
"""Requests of a first poll, of which nothing is known yet."""
KEPT_FAILURES = 10_000
"""Matches whose last poll failed that are kept as such. Nobody says when one is followed no more."""
RENEWING = 1.0
"""Seconds until a process that may not poll for want of a lease looks again."""


class EndpointPaused(Exception):
    """The endpoint is left alone for so many `seconds`; nothing was requested."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def may_poll_always() -> bool:
    """Nobody else can follow a match: it may be polled at any time."""
    return True


async def fetch(
    adapter: ProviderAdapter, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
) -> Fetched:
    """What the adapter fetches, with what became of each resource in its span. Raises what the adapter raises."""
    with spans.child("provider.fetch", kind=SpanKind.CLIENT) as span:
        fetched = await adapter.fetch(match_id, known, text=text, hints=hints)
        for answer in fetched.answers:
            span.set_attribute(f"matchwire.resource.{answer.resource}", answer.outcome.value)
        return fetched


class EndpointLimiter:
    """A ProviderAdapter that keeps the rules of its endpoint: at most `concurrency` matches at a time, `rate` requests a second."""

    def __init__(
        self,
        adapter: ProviderAdapter,
        *,
        concurrency: int,
        rate: float,
        rule: CircuitBreakerConfig,
        lease: Callable[[], bool] = may_poll_always,
    ) -> None:
        self._adapter = adapter
        self._lease = lease
        self._rule = rule
        self._slots = PollSlots(concurrency)
        self._concurrency, self._whole_rate = concurrency, rate
        self._rate, self._part = rate, 1.0
        self._bucket = TokenBucket(rate, burst=rate)  # what was not used in the last second may come at once
        self._needed = 0.0
        self._circuit = Circuit()
        self._last_cause, self._last_refused = "", False
        self._log = LogOnce("provider.lost", "provider.recovered")
        self._rate_log = LogOnce("endpoint.rate_too_low", "endpoint.rate_sufficient")
        self._throttled: LRUCache[str, float] = LRUCache(KEPT_FAILURES)
        """Matches whose last response demanded fewer requests, and when."""
        self._recently_failed: LRUCache[str, bool] = LRUCache(KEPT_FAILURES)
        """Matches whose last poll failed, in all or in part: more likely than others to hold a slot for long."""
        self.id = adapter.id
        self.name = adapter.endpoint.key
        """What the log calls the endpoint; the daemon names the organizations that reach it."""
        self.translate = adapter.translate

    @property
    def endpoint(self) -> Endpoint:
        return self._adapter.endpoint

    @property
    def text_resource(self) -> str | None:
        return self._adapter.text_resource

    @property
    def carried_by(self) -> CarriedBy:
        return getattr(self._adapter, "carried_by", {})  # adapters of others may be older than the name

    @property
    def lost(self) -> str | None:
        """Why the endpoint is left alone, None while it is not."""
        return str(self._log.cause) if self._circuit.open else None

    @property
    def answers(self) -> bool:
        """Whether it has given this process a good answer, and nothing but failures since is not what it does now."""
        return self._circuit.good_at > -math.inf and not self._circuit.failures and not self._circuit.open

    def answered_ago(self) -> float | None:
        """Seconds since it gave this process its last good answer; None where it has given none yet."""
        return None if self._circuit.good_at == -math.inf else monotonic() - self._circuit.good_at

    def away(self, seconds: float) -> str | None:
        """Why the endpoint counts as away: it is left alone, or has failed and failed again for so long. None while it is not."""
        if self._circuit.open:
            return str(self._log.cause)
        lasting = self._circuit.failures > 1 and monotonic() - self._circuit.since >= seconds
        return self._last_cause if lasting else None

    @property
    def lost_code(self) -> LostProviderCode:
        """What kind of failure the last one was, while the endpoint counts as away."""
        return LostProviderCode.CREDENTIALS_REFUSED if self._last_refused else LostProviderCode.UNREACHABLE

    @property
    def demand(self) -> float:
        """What the matches need, as a part of what the rate limit allows; above 1 all of them are polled late. 0: no limit."""
        return self._needed / self._rate if self._rate else 0.0

    def share(self, part: float) -> None:
        """Keep to this part of the limits, above 0: other processes have the rest."""
        if part == self._part:
            return
        rate = self._whole_rate * part
        self._part, self._rate, self._bucket.rate, self._bucket.burst = part, rate, rate, max(1.0, rate)
        self._slots.resize(max(1, round(self._concurrency * part)))

    def need(self, requests: float) -> None:
        """The matches need so many requests a second: too many for the rate limit is logged once, and once when it is enough."""
        self._needed = requests
        said = {"endpoint": self.name, "needed": round(requests, 1), "rate": self._rate}
        if self.demand > 1:
            self._rate_log.failed(cause="polling.rate allows fewer requests a second than the matches need", **said)
        else:
            self._rate_log.worked(**said)

    def paused_for(self) -> float:
        """Seconds for which no match of the endpoint may be polled, 0 where it is not paused."""
        if not self._lease():
            return RENEWING
        return breaker.wait(self._circuit, monotonic())

    async def aclose(self) -> None:
        await self._adapter.aclose()

    async def resolve(self, selector: Selector) -> str:
        return await self._adapter.resolve(selector)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """List the matches of these days as soon as the rate allows, in any process. Raises what the adapter raises.

        While the endpoint is left alone this is UpstreamUnavailable. A list says nothing of matches: a pause that the provider
        demands holds for all, but no list opens the circuit or closes it, and none takes a slot from a match.
        """
        if not isinstance(self._adapter, FixtureLister):
            raise Unprocessable("the provider has no list of its matches", field="provider")
        if pause := self._bucket.reserve(monotonic(), 1):
            await asyncio.sleep(pause)
        if pause := breaker.wait(self._circuit, monotonic()):
            raise UpstreamUnavailable("the provider is left alone for a while", retry_after=pause)
        try:
            return await self._adapter.fixtures(first, last)
        except ServiceError as error:
            if (demanded := longest_pause([error])) is not None:
                self._circuit = breaker.note_pause(self._circuit, now=monotonic(), seconds=demanded)
            raise

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Fetch as soon as the limits allow. Raises EndpointPaused where it is paused, and what the adapter raises.

        Where the rate is too low for all, each match has its turn in the order of their coming.
        """
        if pause := self._bucket.reserve(monotonic(), requests_of(known)):
            await asyncio.sleep(pause)
        work = partial(self._fetch, match_id, known, text=text, hints=hints)
        return await self._slots.run(work, recently_failed=match_id in self._recently_failed)

    async def _fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        if pause := self.paused_for():
            raise EndpointPaused(pause)
        began = monotonic()
        self._circuit = breaker.start_poll(self._circuit)
        try:
            fetched = await fetch(self._adapter, match_id, known, text=text, hints=hints)
        except ServiceError as error:
            self._end(match_id, began, [error], well=not isinstance(error, ENDPOINT_ERRORS))
            raise
        except asyncio.CancelledError:  # it gave way to others, or the process stops
            self._end(match_id, began, [UpstreamUnavailable("the provider did not answer in time")], well=False)
            raise
        except BaseException:
            self._circuit = breaker.note_abandoned(self._circuit)
            raise
        errors = [answer.error for answer in fetched.failed if answer.error is not None]
        suspicious = any(isinstance(error, ENDPOINT_ERRORS) for error in errors)
        well = bool(fetched.good - {self.text_resource}) or not suspicious
        self._end(match_id, began, errors, well=well)
        return fetched

    def _end(self, match_id: str, began: float, errors: list[ServiceError], *, well: bool) -> None:
        """Record the end of a poll; `well`: the endpoint answered, whatever is wrong with this match."""
        now = monotonic()
        pause = longest_pause(errors)
        alone = pause is not None and self._circuit.good_at > min(began, self._throttled.get(match_id, began))
        self._record_match(match_id, errors, throttled_at=None if pause is None else now)
        refused = any(isinstance(error, ProviderRefused) for error in errors)
        if pause is not None and not alone:
            self._circuit = breaker.note_pause(self._circuit, now=now, seconds=pause)
        if well:
            self._circuit = breaker.note_success(self._circuit, now)
        elif alone:
            self._circuit = breaker.note_abandoned(self._circuit)
        else:
            self._circuit = breaker.note_failure(self._rule, self._circuit, began=began, now=now, refused=refused)
        self._last_cause, self._last_refused = errors[0].message if errors else "", refused
        if self._circuit.open:
            self._log.failed(endpoint=self.name, cause=self._last_cause)
        else:
            self._log.worked(endpoint=self.name)

    def _record_match(self, match_id: str, errors: list[ServiceError], *, throttled_at: float | None) -> None:
        if throttled_at is None:
            self._throttled.pop(match_id, None)
        else:
            self._throttled[match_id] = throttled_at
        if any(isinstance(error, ENDPOINT_ERRORS) for error in errors):
            self._recently_failed[match_id] = True
        else:
            self._recently_failed.pop(match_id, None)


def limiter_of(adapter: ProviderAdapter, polling: Polling, lease: Callable[[], bool]) -> EndpointLimiter:
    """The limiter that the settings ask for."""
    return EndpointLimiter(
        adapter,
        concurrency=polling.concurrency,
        rate=polling.rate,
        rule=CircuitBreakerConfig(breaker_after=polling.breaker_after, breaker_pause=polling.breaker_pause),
        lease=lease,
    )


def share_limits(
    limiters: Mapping[str, EndpointLimiter], matches: Iterable[FollowedMatch], open_matches: Mapping[str, int]
) -> None:
    """Divide each endpoint's limits by matches: this process follows `matches`, all of them together `open_matches`.

    So the limits hold for all processes together as soon as each has seen what the others have leased.
    """
    own = Counter(match.endpoint for match in matches)
    for key, limiter in limiters.items():
        limiter.share(min(1.0, max(1, own[key]) / max(1, open_matches.get(key, 0))))


def requests_of(known: Mapping[str, Known]) -> int:
    """How many requests a poll makes of a match of which so much is known."""
    return len(known) or RESOURCES


def longest_pause(errors: Iterable[ServiceError]) -> float | None:
    """The most seconds for which the provider wants no requests, None where it has said nothing of that."""
    throttled = (
        BARE if each.retry_after is None and isinstance(each, Throttled) else each.retry_after for each in errors
    )
    return max((seconds for seconds in throttled if seconds is not None), default=None)


def wait_of(errors: Iterable[ServiceError]) -> float | None:
    """Seconds to stay away: what the provider asks for, ten minutes where it refuses our credentials."""
    waits = [breaker.REFUSED if isinstance(error, ProviderRefused) else error.retry_after for error in errors]
    return max((wait for wait in waits if wait is not None), default=None)


def note_demand(limiters: Mapping[str, EndpointLimiter], polled: Iterable[tuple[FollowedMatch, float | None]]) -> None:
    """Note what the matches need of each endpoint; each with the seconds between two polls, None where it is polled no more."""
    needed = dict.fromkeys(limiters, 0.0)
    for match, wait in polled:
        if wait:
            needed[match.endpoint] += requests_of(match.known) / wait
    for key, limiter in limiters.items():
        limiter.need(needed[key])


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
