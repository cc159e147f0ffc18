"""Which matches this process follows: it shows that it lives, takes its share, gives back, and lets go when it was given up.

Everything here goes by a steady clock. The process counts its lease from before it asked for it, the others count from
after they saw it, so no two processes ever believe that they hold a match, except one that was stopped in the middle of
a poll; that one is refused when it writes (`store.leases.fenced`).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ingest.daemon.containment import Containment
from ingest.sync.peer_monitor import PeerMonitor
from mapping.errors import ServiceError
from store import leases

if TYPE_CHECKING:
    from collections.abc import Callable

    from ingest.sync.follower import Followers
    from store.database import Store

log = structlog.get_logger()

LEASE = 8.0
"""Seconds for which a process may count on what it holds; with the look of the others every `TICK`, ten in all."""
TICK = 2.0
BATCH = 200
"""Matches that are taken at one turn, so that taking up thousands does not keep the process from renewing."""


def steady() -> float:
    """Seconds that only grow, and, where the system can tell, also while the machine sleeps."""
    clock: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


@dataclass(slots=True)
class Lease:
    """Until when this process may poll what it holds; asked before every poll."""

    steady: Callable[[], float] = steady
    until: float = field(default=float("-inf"), init=False)

    def __call__(self) -> bool:
        return self.steady() < self.until


class MatchLeases:
    """Keeps `followers` at what this process holds. `alone`: no other process can use the database (SQLite)."""

    def __init__(
        self,
        store: Store,
        followers: Followers,
        lease: Lease,
        *,
        knows: frozenset[str],
        alone: bool = False,
        containment: Containment | None = None,
    ) -> None:
        self._store = store
        self._followers = followers
        self._lease = lease
        self._knows = knows
        self._alone = alone
        self._contained = containment or Containment()
        self._worker: leases.Worker | None = None
        self._watch = PeerMonitor(LEASE, gap=2 * TICK)
        self._claimed: set[str] = set()
        self._unknown: frozenset[str] = frozenset()
        self._more = False

    @property
    def owner(self) -> str | None:
        """The row of `workers` under which this process may hold things at this moment; None while it may not."""
        return self._worker.id if self._worker is not None and self._lease() else None

    async def start(self) -> None:
        """Take what can be had at once. Raises StoreUnavailable."""
        await self.turn()
        while self._more:
            await self.turn()

    async def run(self) -> None:
        """Renew, take and give back until cancelled."""
        while True:
            await asyncio.sleep(0.0 if self._more else self._watch.wait(TICK))
            try:
                await self.turn()
            except ServiceError as error:  # the lease runs out by itself; the next turn may come in time
                self._followers.store_lost(error)
                await asyncio.sleep(TICK / 4)
            except Exception as error:  # noqa: BLE001 -- others take over what is not renewed; the next turn may do better
                self._contained.failed("loop", "leases", error, loop="leases")
                await asyncio.sleep(TICK / 4)
            else:
                self._followers.store_back()
                self._contained.recovered("loop", "leases", loop="leases")

    async def stop(self) -> None:
        """Leave everything to others, at once."""
        self._lease.until = float("-inf")
        if self._worker is None:
            return
        try:
            await self._store.write(partial(leases.leave, worker_id=self._worker.id))
        except ServiceError as error:
            log.warning("lease.not_released", cause=error.message)

    async def turn(self) -> None:
        """One turn: renew, and have the followers follow what this process holds now. Raises StoreUnavailable."""
        if self._worker is not None and not await self._store.liveness.is_locked():
            await self._give_up()
        worker = self._worker or await self._join()
        asked = self._lease.steady()
        self._claimed.clear()
        work = partial(leases.turn, worker=worker, dead=self._watch.dead(), batch=BATCH)
        found = await self._store.write(work)
        if found is None:
            self._lose()
            return
        self._lease.until = asked + LEASE
        self._watch.look(found.beats, self._lease.steady())
        self._tell_unknown(found.unknown)
        self._more = found.more
        self._followers.keep(found.held, spare=self._claimed)
        for each in found.held:
            if not self._followers.follows(each):
                await self._followers.follow(each.follow_id, held=each)

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """Somebody attached a liveblog: follow its match now, where nobody else does; who does will see it soon."""
        if self._worker is None or not self._lease():
            return
        try:
            held = await self._store.write(partial(leases.claim, worker=self._worker, follow_id=follow_id))
            if held is not None:
                self._claimed.add(follow_id)
                await self._followers.follow(follow_id, held=held, afresh=afresh)
        except ServiceError as error:  # it is attached: the next turn sees it
            log.warning("lease.not_claimed", follow=follow_id, cause=error.message)
        except Exception:
            log.exception("lease.not_claimed", follow=follow_id)

    def _lose(self) -> None:
        """The others have given this process up: it holds nothing, and joins anew."""
        log.warning("lease.lost", matches=len(self._followers))
        self._lease.until, self._worker, self._more = float("-inf"), None, True
        self._followers.keep(())

    async def _give_up(self) -> None:
        """Without its sign of life the process counts as dead already, or will soon."""
        worker = self._worker
        self._lose()
        if worker is not None:
            await self._store.write(partial(leases.leave, worker_id=worker.id))

    async def _join(self) -> leases.Worker:
        worker = leases.Worker(id=secrets.token_hex(8), knows=self._knows)
        lock = secrets.randbits(63)
        await self._store.liveness.acquire(lock)
        await self._store.write(partial(leases.join, worker=worker, alone=self._alone, lock=lock))
        self._worker = worker
        return worker

    def _tell_unknown(self, unknown: frozenset[str]) -> None:
        if unknown - self._unknown:
            log.warning("match.endpoint_missing", endpoints=sorted(unknown))
        self._unknown = unknown


class LeasedElsewhere:
    """The followers of a process that follows nothing: another process sees what is to be followed."""

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """Nothing to do here."""
