"""The bulkhead: what is slow, and what belongs to one organization, cannot take all places of the process."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass
from functools import partial

from ingest.kit.rate_limiter import FairQueue

GRADES = (0.1, 1.0)
"""Seconds from which on work is of the next grade: 0 is quick, 2 is slow."""
UNKNOWN = 1
"""The grade of what has never been timed."""
SHARES = (1.0, 7 / 8, 3 / 4)
"""The part of all places that a grade and the slower ones may fill together: what is slow is limited first."""


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
