"""One endpoint's limiter: how many of its matches are asked at a time, how fast, and when the whole endpoint is left alone.

A limiter stands between the polls and the adapter, and is one itself to those who poll.
"""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

import structlog

from ingest.sync.poll_slots import PollSlots
from mapping.errors import ProviderRefused, ServiceError, UpstreamUnavailable
from mapping.rules import breaker
from mapping.rules.breaker import Circuit, CircuitBreakerConfig
from mapping.rules.token_bucket import TokenBucket
from providers.http_client import Throttled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from providers.base import Endpoint, Fetched, Known, ProviderAdapter, Selector

log = structlog.get_logger()

TELLING = (UpstreamUnavailable, ProviderRefused)
"""Errors that may be the endpoint's; any other one is an answer about a single match."""
BARE = 5.0
"""Seconds to stay away from a provider that asks for fewer requests and does not say for how long."""
RESOURCES = 3
"""Requests of a poll about which nothing is known yet."""


RENEWING = 1.0
"""Seconds until a process that may not poll for want of a lease looks again."""


class EndpointPaused(Exception):
    """The endpoint is left alone for so many `seconds`: nothing was asked."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def unleased() -> bool:
    """Nobody else can follow a match: it may be polled at any time."""
    return True


class EndpointLimiter:
    """A ProviderAdapter that keeps the rules of its endpoint: at most `concurrency` matches at a time, `rate` requests a second."""

    def __init__(
        self,
        adapter: ProviderAdapter,
        *,
        concurrency: int = 8,
        rate: float = 0.0,
        rule: CircuitBreakerConfig | None = None,
        lease: Callable[[], bool] = unleased,
    ) -> None:
        self._adapter = adapter
        self._lease = lease
        self._rule = rule or CircuitBreakerConfig()
        self._slots = PollSlots(concurrency)
        self._bucket = TokenBucket(rate, burst=rate)  # what was not used in the last second may come at once
        self._circuit = Circuit()
        self._cause = ""
        self._throttled: dict[str, float] = {}
        """Matches whose last answer asked for distance, and when."""
        self._suspects: set[str] = set()
        """Matches whose last poll failed, in all or in part: more likely than others to hold a slot for long."""
        self.id = adapter.id
        self.translate = adapter.translate

    @property
    def endpoint(self) -> Endpoint:
        return self._adapter.endpoint

    @property
    def text_resource(self) -> str | None:
        return self._adapter.text_resource

    @property
    def lost(self) -> str | None:
        """Why the endpoint is left alone, None while it is not."""
        return self._cause if self._circuit.open else None

    def hold(self) -> float:
        """Seconds for which no match of the endpoint is to be asked for, 0 for none."""
        if not self._lease():
            return RENEWING
        return breaker.wait(self._circuit, monotonic())

    async def aclose(self) -> None:
        await self._adapter.aclose()

    async def resolve(self, selector: Selector) -> str:
        return await self._adapter.resolve(selector)

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Fetch in turn. Raises EndpointPaused where the endpoint is left alone, and what the adapter raises."""
        if pause := self._bucket.reserve(monotonic(), len(known) or RESOURCES):
            await asyncio.sleep(pause)
        ask = partial(self._ask, match_id, known, text=text, hints=hints)
        return await self._slots.run(ask, suspect=match_id in self._suspects)

    async def _ask(self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]) -> Fetched:
        if held := self.hold():
            raise EndpointPaused(held)
        began = monotonic()
        self._circuit = breaker.asked(self._circuit)
        try:
            fetched = await self._adapter.fetch(match_id, known, text=text, hints=hints)
        except ServiceError as error:
            self._book(match_id, began, [error], well=not isinstance(error, TELLING))
            raise
        except asyncio.CancelledError:  # it gave way to others, or the process stops
            self._book(match_id, began, [UpstreamUnavailable("the provider did not answer in time")], well=False)
            raise
        except BaseException:
            self._circuit = breaker.gave_up(self._circuit)
            raise
        errors = [answer.error for answer in fetched.failed if answer.error is not None]
        well = not errors or bool(fetched.good - {self.text_resource}) or not any(map(tells, errors))
        self._book(match_id, began, errors, well=well)
        return fetched

    def _book(self, match_id: str, began: float, errors: list[ServiceError], *, well: bool) -> None:
        """Note the end of a poll; `well`: the endpoint answered, whatever is wrong with this match."""
        now, was_open = monotonic(), self._circuit.open
        distance = (
            max((wait for wait in map(distance_of, errors) if wait is not None), default=None) if errors else None
        )
        alone = self._circuit.good_at > min(began, self._throttled.get(match_id, began))
        if distance is None:
            self._throttled.pop(match_id, None)
        else:
            self._throttled[match_id] = now
        if any(map(tells, errors)):
            self._suspects.add(match_id)
        else:
            self._suspects.discard(match_id)
        if distance is not None and not alone:
            self._circuit = breaker.kept_away(self._circuit, now=now, seconds=distance)
        if well:
            self._circuit = breaker.answered(self._circuit, now)
        elif not (distance is not None and alone):
            refused = any(isinstance(error, ProviderRefused) for error in errors)
            self._circuit = breaker.failed(self._rule, self._circuit, began=began, now=now, refused=refused)
        else:
            self._circuit = breaker.gave_up(self._circuit)
        if self._circuit.open and not was_open:
            self._cause = errors[0].message
            log.warning("provider.lost", endpoint=self.endpoint.key, cause=self._cause)
        elif was_open and not self._circuit.open:
            log.info("provider.recovered", endpoint=self.endpoint.key)


def tells(error: ServiceError) -> bool:
    """Whether the error may be the endpoint's."""
    return isinstance(error, TELLING)


def distance_of(error: ServiceError) -> float | None:
    """Seconds for which the provider asks us to stay away, None where it does not."""
    if error.retry_after is None and isinstance(error, Throttled):
        return BARE
    return error.retry_after
