"""The limiter of one provider endpoint: concurrency limit, rate limit and circuit breaker.

It stands between the polls and the adapter, and is an adapter itself to those who poll. Where others wait for a slot, a poll
that takes far longer than is usual there gives way; matches that failed recently never have more than half of the slots
together, so that those that hang cannot make the others wait for a slot at all.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from time import monotonic
from typing import TypeVar

from cachetools import LRUCache
from opentelemetry.trace import SpanKind

from config.sections import Polling
from ingest.kit.steady_clock import EARLY
from mapping.errors import ProviderRefused, ServiceError, Unprocessable, UpstreamUnavailable
from mapping.match.fixture import FixtureList
from mapping.rules import pacing
from mapping.rules.pacing import Circuit, CircuitBreakerConfig, LostProviderCode, TokenBucket
from providers.base import CarriedBy, Endpoint, Fetched, FixtureLister, Known, ProviderAdapter, Selector
from providers.http_client import Throttled
from store.engine import spans
from store.engine.loops import LogOnce

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


T = TypeVar("T")
SHORTEST = 0.25
"""Seconds that every poll may take, however fast the others are."""
FACTOR = 4.0
STEP = 1.1
"""How fast the estimate of the usual length follows: up or down by a tenth a poll, which makes it the median."""


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
        return pacing.pause_left(self._circuit, monotonic())

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
        if pause := pacing.pause_left(self._circuit, monotonic()):
            raise UpstreamUnavailable("the provider is left alone for a while", retry_after=pause)
        try:
            return await self._adapter.fixtures(first, last)
        except ServiceError as error:
            if (demanded := longest_pause([error])) is not None:
                self._circuit = pacing.note_pause(self._circuit, now=monotonic(), seconds=demanded)
            raise

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Fetch as soon as the limits allow. Raises EndpointPaused where it is paused, and what the adapter raises.

        Where the rate is too low for all, each match has its turn in the order of their coming.
        """
        if pause := self._bucket.reserve(monotonic(), len(known) or RESOURCES):
            await asyncio.sleep(pause)
        work = partial(self._fetch, match_id, known, text=text, hints=hints)
        return await self._slots.run(work, recently_failed=match_id in self._recently_failed)

    async def _fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        if pause := self.paused_for():
            raise EndpointPaused(pause)
        began = monotonic()
        self._circuit = pacing.start_poll(self._circuit)
        try:
            fetched = await fetch(self._adapter, match_id, known, text=text, hints=hints)
        except ServiceError as error:
            self._end(match_id, began, [error], well=not isinstance(error, ENDPOINT_ERRORS))
            raise
        except asyncio.CancelledError:  # it gave way to others, or the process stops
            self._end(match_id, began, [UpstreamUnavailable("the provider did not answer in time")], well=False)
            raise
        except BaseException:
            self._circuit = pacing.note_abandoned(self._circuit)
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
        self._throttled.pop(match_id, None)
        self._recently_failed.pop(match_id, None)
        if pause is not None:
            self._throttled[match_id] = now
        if any(isinstance(error, ENDPOINT_ERRORS) for error in errors):
            self._recently_failed[match_id] = True
        refused = any(isinstance(error, ProviderRefused) for error in errors)
        if pause is not None and not alone:
            self._circuit = pacing.note_pause(self._circuit, now=now, seconds=pause)
        if well:
            self._circuit = pacing.note_success(self._circuit, now)
        elif alone:
            self._circuit = pacing.note_abandoned(self._circuit)
        else:
            self._circuit = pacing.note_failure(self._rule, self._circuit, began=began, now=now, refused=refused)
        self._last_cause, self._last_refused = errors[0].message if errors else "", refused
        if self._circuit.open:
            self._log.failed(endpoint=self.name, cause=self._last_cause)
        else:
            self._log.worked(endpoint=self.name)


def limiter_of(adapter: ProviderAdapter, polling: Polling, lease: Callable[[], bool]) -> EndpointLimiter:
    """The limiter that the settings ask for."""
    return EndpointLimiter(
        adapter,
        concurrency=polling.concurrency,
        rate=polling.rate,
        rule=CircuitBreakerConfig(breaker_after=polling.breaker_after, breaker_pause=polling.breaker_pause),
        lease=lease,
    )


def longest_pause(errors: Iterable[ServiceError]) -> float | None:
    """The most seconds for which the provider wants no requests, None where it has said nothing of that."""
    throttled = (
        BARE if each.retry_after is None and isinstance(each, Throttled) else each.retry_after for each in errors
    )
    return max((seconds for seconds in throttled if seconds is not None), default=None)


def wait_of(errors: Iterable[ServiceError]) -> float | None:
    """Seconds to stay away: what the provider asks for, ten minutes where it refuses our credentials."""
    waits = [pacing.REFUSED if isinstance(error, ProviderRefused) else error.retry_after for error in errors]
    return max((wait for wait in waits if wait is not None), default=None)


@dataclass(frozen=True, slots=True)
class Running:
    """A poll that has a slot, since `began` (the loop's clock)."""

    began: float
    recently_failed: bool


class PollSlots:
    """`size` polls at a time, in the order of their coming; those that failed recently let others pass once they have half.

    No poll gives way while there is room, nor where all are slow: what is usual is the median of all polls.
    """

    def __init__(self, size: int) -> None:
        self._size = self._free = size
        self._share = max(1, size // 2)
        """Slots that polls of matches that failed recently may still take."""
        self._waiting: dict[asyncio.Future[None], bool] = {}
        """Whether the match failed recently, of each poll that waits, in their order; the future is done once it has a slot."""
        self._running: dict[asyncio.Timeout, Running] = {}
        self._leaving = 0
        self._timer: asyncio.TimerHandle | None = None
        self._usual = SHORTEST / FACTOR

    def resize(self, size: int) -> None:
        """From now on so many at a time; polls under way end as they would."""
        more, halves = size - self._size, max(1, size // 2) - max(1, self._size // 2)
        self._size, self._free, self._share = size, self._free + more, self._share + halves
        for _ in range(more):  # nothing for fewer
            self._grant()

    @property
    def patience(self) -> float:
        """Seconds after which a poll gives way if another one waits."""
        return max(SHORTEST, FACTOR * self._usual)

    async def run(self, work: Callable[[], Awaitable[T]], *, recently_failed: bool = False) -> T:
        """Acquire a slot and keep it for the work. Raises UpstreamUnavailable where it was taken away."""
        loop = asyncio.get_running_loop()
        await self._acquire(loop, recently_failed=recently_failed)
        began, limit = loop.time(), asyncio.timeout(None)
        try:
            async with limit:
                self._running[limit] = Running(began, recently_failed)
                if self._waiting:
                    self._watch(loop)
                return await work()
        except TimeoutError:
            raise UpstreamUnavailable("the provider did not answer in time, and others waited") from None
        finally:
            self._leaving -= self._running.pop(limit, None) is None
            self._usual *= STEP if loop.time() - began > self._usual else 1 / STEP
            self._release(recently_failed=recently_failed)

    async def _acquire(self, loop: asyncio.AbstractEventLoop, *, recently_failed: bool) -> None:
        if self._free > 0 and (self._share > 0 or not recently_failed):
            self._take(recently_failed=recently_failed)
            return
        granted: asyncio.Future[None] = loop.create_future()
        self._waiting[granted] = recently_failed
        self._watch(loop)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.cancelled():
                del self._waiting[granted]
            else:
                self._release(recently_failed=recently_failed)
            raise

    def _take(self, *, recently_failed: bool) -> None:
        self._free -= 1
        self._share -= recently_failed

    def _release(self, *, recently_failed: bool) -> None:
        """Give a slot back."""
        self._free += 1
        self._share += recently_failed
        self._grant()

    def _grant(self) -> None:
        """Give a free slot to the first that waits and may have it."""
        if not self._waiting or self._free <= 0:
            return
        allowed = (each for each, recently_failed in self._waiting.items() if self._share > 0 or not recently_failed)
        if (granted := next((each for each in allowed if not each.done()), None)) is not None:
            self._take(recently_failed=self._waiting.pop(granted))
            granted.set_result(None)

    def _longest(self) -> tuple[asyncio.Timeout, Running] | None:
        """The poll that has run the longest of those for whose slot another one waits."""
        if len(self._waiting) <= self._leaving:
            return None
        anybody = not all(self._waiting.values())
        return next(((limit, each) for limit, each in self._running.items() if anybody or each.recently_failed), None)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """See to it that the longest poll is looked at as soon as it may have to give way."""
        if self._timer is None and (longest := self._longest()) is not None:
            self._timer = loop.call_at(longest[1].began + self.patience, self._give_way, loop)

    def _give_way(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        longest = self._longest()
        if longest is not None and longest[1].began + self.patience <= loop.time() + EARLY:
            limit = longest[0]
            del self._running[limit]
            self._leaving += 1
            limit.reschedule(loop.time())
        self._watch(loop)
