"""Shares places and turns fairly: what is slow, or one organization, cannot take all of them.

The queue lets organizations take turns; the rate limiter shares a host's rate out among them, the bulkhead the places.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Generic, TypeVar

from ingest.kit.steady_clock import EARLY
from mapping.rules.pacing import TokenBucket

GRADES = (0.1, 1.0)
"""Seconds from which on work is of the next grade: 0 is quick, 2 is slow."""
UNKNOWN = 1
"""The grade of what has never been timed."""
SHARES = (1.0, 7 / 8, 3 / 4)
"""The part of all places that a grade and the slower ones may fill together: what is slow is limited first."""


T = TypeVar("T")


def grade_of(seconds: float | None) -> int:
    """The grade of work that is expected to take `seconds`; None where nobody knows."""
    return UNKNOWN if seconds is None else bisect_right(GRADES, seconds)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What a holder has to give back."""

    organization: str
    key: str
    grade: int


def limits_of(places: int) -> tuple[int, ...]:
    """How many of so many places each grade may fill together with the slower ones; one at least."""
    return tuple(max(1, int(places * share)) for share in SHARES)


class Compartment:
    """Places, of which the slower grades may fill a part only: the `limits`."""

    def __init__(self, limits: tuple[int, ...]) -> None:
        self._limits = limits
        self._claimed = [0] * len(limits)

    @property
    def taken(self) -> int:
        """Places that are taken."""
        return self._claimed[0]

    def free(self, grade: int) -> bool:
        """Whether a place of this grade can be taken."""
        for each in range(grade + 1):  # noqa: SIM110 -- half of the time that `all` takes
            if self._claimed[each] >= self._limits[each]:
                return False
        return True

    def count(self, grade: int, step: int) -> None:
        """Take a place of this grade (`step` 1), or give it back (-1). It counts for all faster grades too."""
        for each in range(grade + 1):
            self._claimed[each] += step


class Bulkhead:
    """Places for work of any organization, given in turn where several wait (see FairQueue).

    An organization never holds more than `per_organization` of all `places`. Both are divided by grade: a burst of slow
    work leaves places that only faster work can take.
    """

    def __init__(self, places: int, per_organization: int) -> None:
        self._share = limits_of(per_organization)
        self._all = Compartment(limits_of(places))
        self._organizations: dict[str, Compartment] = {}
        self._waiting: tuple[FairQueue[tuple[Place, asyncio.Future[None]]], ...] = tuple(FairQueue() for _ in SHARES)
        self.waiting = 0
        """How many wait for a place."""
        self._turn = 0
        """The grade that is served first: none starves where the slower ones are within their limits."""

    @property
    def taken(self) -> int:
        """Places that are taken."""
        return self._all.taken

    async def acquire(self, organization: str, key: str, seconds: float | None = None) -> Place:
        """Wait for a place for work that is expected to take `seconds` (None: unknown); `release` gives it back.

        Those who wait are served in turn: organization by organization, and key by key within each.
        """
        place = Place(organization, key, grade_of(seconds))
        if self._free(place.grade, organization):  # who waits cannot take it: he would have it
            self._take(place)
            return place
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue = self._waiting[place.grade]
        queue.add(organization, key, (place, granted))
        self.waiting += 1
        try:
            await granted
        except asyncio.CancelledError:
            if granted.cancelled():
                queue.remove(organization, key, (place, granted))
            else:  # granted in the moment in which the caller gave up
                self.release(place)
            raise
        finally:
            self.waiting -= 1
        return place

    def release(self, place: Place) -> None:
        """Give a place back, once, and let those go on who can now."""
        organization = self._organizations[place.organization]
        organization.count(place.grade, -1)
        if not organization.taken:
            del self._organizations[place.organization]
        self._all.count(place.grade, -1)
        while self._grant():
            pass

    def _grant(self) -> bool:
        """Give one who waits a place; False where nobody can have one."""
        for offset in range(len(SHARES)):
            grade = (self._turn + offset) % len(SHARES)
            if not self._all.free(grade):
                continue
            found = self._waiting[grade].take(partial(self._free, grade))
            if found is not None:
                place, granted = found
                if not granted.done():  # else cancelled a moment ago
                    self._turn = grade + 1
                    self._take(place)
                    granted.set_result(None)
                return True
        return False

    def _free(self, grade: int, organization: str) -> bool:
        own = self._organizations.get(organization)
        return self._all.free(grade) and (own is None or own.free(grade))

    def _take(self, place: Place) -> None:
        if place.organization not in self._organizations:
            self._organizations[place.organization] = Compartment(self._share)
        self._organizations[place.organization].count(place.grade, 1)
        self._all.count(place.grade, 1)


def anybody(_: str) -> bool:
    """Every organization may be served."""
    return True


class FairQueue(Generic[T]):
    """Round robin: the next item is one of the organization, and there of the key, that was served longest ago.

    However much one organization has queued, another one waits for one item of each organization before it. Adding and
    taking are O(1); only organizations that may not be served at the moment are passed over one by one.
    """

    def __init__(self) -> None:
        self._organizations: OrderedDict[str, OrderedDict[str, deque[T]]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._organizations)

    def add(self, organization: str, key: str, item: T) -> None:
        """Queue `item`. Items of the same key are taken in the order in which they were added."""
        self._organizations.setdefault(organization, OrderedDict()).setdefault(key, deque()).append(item)

    def take(self, may: Callable[[str], bool] = anybody) -> T | None:
        """The next item of an organization that `may` be served; None where nothing is queued for any of them."""
        organization = next(filter(may, self._organizations), None)
        if organization is None:
            return None
        keys = self._organizations[organization]
        key = next(iter(keys))
        item = keys[key].popleft()
        keys.move_to_end(key)
        self._organizations.move_to_end(organization)
        self._forget(organization, key)
        return item

    def remove(self, organization: str, key: str, item: T) -> None:
        """Take `item` out, if it is still there."""
        keys = self._organizations.get(organization)
        items = keys.get(key) if keys else None
        if items and item in items:
            items.remove(item)
            self._forget(organization, key)

    def _forget(self, organization: str, key: str) -> None:
        """Keep nothing of a key, or of an organization, that has nothing queued."""
        keys = self._organizations[organization]
        if not keys[key]:
            del keys[key]
        if not keys:
            del self._organizations[organization]


@dataclass(slots=True)
class _Host:
    """Its bucket, and who waits for the next token."""

    bucket: TokenBucket
    waiting: FairQueue[asyncio.Future[None]] = field(default_factory=FairQueue)
    timer: asyncio.TimerHandle | None = None


class FairRateLimiter:
    """For each host `rate` requests a second, `burst` of them (at least one) at once after a rest. A `rate` of 0: no limit.

    Organizations that wait for the same host are served in turn, and so are the receivers of each (see FairQueue).
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._hosts: dict[str, _Host] = {}

    async def acquire(self, host: str, organization: str = "", receiver: str = "") -> None:
        """Wait until a request to `host` may begin. A caller who gives up uses nothing."""
        if not self._rate:
            return
        if (known := self._hosts.get(host)) is None:
            known = self._hosts[host] = _Host(TokenBucket(self._rate, self._burst))
        if not known.waiting and known.bucket.take(monotonic()):
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        known.waiting.add(organization, receiver, granted)
        self._schedule(known)
        try:
            await granted
        finally:
            known.waiting.remove(organization, receiver, granted)

    def forget(self) -> None:
        """Drop hosts whose bucket is full again."""
        now = monotonic()
        self._hosts = {
            host: known for host, known in self._hosts.items() if known.waiting or known.bucket.level(now) < self._burst
        }

    def _schedule(self, known: _Host) -> None:
        if known.timer is None and known.waiting:
            known.timer = asyncio.get_running_loop().call_later(known.bucket.wait(monotonic()), self._serve, known)

    def _serve(self, known: _Host) -> None:
        """Let those begin for whom there is a token, and see to the next one."""
        known.timer = None
        while known.bucket.wait(monotonic()) <= EARLY and (granted := known.waiting.take()) is not None:
            if not granted.done():
                known.bucket.reserve(monotonic(), 1.0)
                granted.set_result(None)
        self._schedule(known)
