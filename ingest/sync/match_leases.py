"""Leases the matches that this process follows: heartbeats, a fair share of all matches, and an end for what was lost.

Everything here goes by a steady clock. The process counts its lease from before it requested it, the others count from
after they saw it, so no two processes ever believe that they have the lease of a match, except one that was stopped in
the middle of a poll; that one is refused when it writes (`store.following.leases.fenced`).
"""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

import structlog

from ingest.kit.quarantine import Quarantine
from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.followed_match import FollowedMatch, Lease, steady
from ingest.sync.follower import Followers
from mapping.errors import ServiceError, StoreUnavailable
from store.database import Store
from store.engine.loops import repeat
from store.following import leases
from store.following.leases import heartbeats

log = structlog.get_logger()

LEASE = 8.0
"""Seconds for which a process may count on its leases; with the look of the others every `TICK`, ten in all."""
TICK = 2.0
BATCH = 200
"""Matches that are leased at once, so that taking up thousands does not keep the process from renewing."""


@dataclass(slots=True)
class PeerMonitor:
    """Which other processes are dead, by their heartbeats. Seconds of a steady clock, so that no wall clock can mislead.

    A process is dead after `patience` seconds without a heartbeat. Of the time between two looks at most `gap` seconds
    count: after a longer one it was this process that slept, and perhaps the whole machine with all the others.
    """

    patience: float
    gap: float
    _heartbeats: dict[str, int] = field(default_factory=dict, init=False)
    _quiet: dict[str, float] = field(default_factory=dict, init=False)
    _seen: float | None = field(default=None, init=False)

    def look(self, heartbeats: Mapping[str, int], now: float) -> None:
        """Record the heartbeats that were read just before `now`."""
        passed = 0.0 if self._seen is None else min(now - self._seen, self.gap)
        self._quiet = {
            name: self._quiet.get(name, 0.0) + passed if self._heartbeats.get(name) == heartbeat else 0.0
            for name, heartbeat in heartbeats.items()
        }
        self._heartbeats, self._seen = dict(heartbeats), now

    def dead(self) -> dict[str, int]:
        """The processes that have been quiet for too long, with their last heartbeats."""
        return {name: self._heartbeats[name] for name, quiet in self._quiet.items() if quiet >= self.patience}

    def wait(self, longest: float) -> float:
        """Seconds until a process may be found dead, at most `longest`."""
        return max(0.0, min([longest, *(self.patience - quiet for quiet in self._quiet.values())]))


class MatchLeases:
    """Keeps `followers` at the matches that this process leases. `alone`: no other process can use the database (SQLite)."""

    def __init__(
        self,
        store: Store,
        followers: Followers,
        lease: Lease,
        *,
        knows: frozenset[str],
        quarantine: Quarantine,
        alone: bool = False,
    ) -> None:
        self._store = store
        self._followers = followers
        self._lease = lease
        self._knows = knows
        self._alone = alone
        self._quarantined = quarantine
        self._worker: leases.Worker | None = None
        self._peers = PeerMonitor(LEASE, gap=2 * TICK)
        self._just_leased: set[str] = set()
        self._unknown: frozenset[str] = frozenset()
        self._more = False
        self._leads = False
        self._pause = 0.0

    @property
    def owner(self) -> str | None:
        """The row of `workers` under which this process has leases and claims at this moment; None while it has none."""
        return self._worker.id if self._worker is not None and self._lease() else None

    @property
    def leads(self) -> bool:
        """Whether this process is the one that runs the jobs at this moment."""
        return self._leads and self.owner is not None

    async def start(self) -> None:
        """Lease what can be had at once. Raises StoreUnavailable."""
        await self.renew()
        while self._more:
            await self.renew()

    async def run(self) -> None:
        """Renew, lease and give back until cancelled."""
        await repeat(self._turn, self._quarantined.loop("leases"))

    async def _turn(self) -> None:
        """Others take over what is not renewed in time; the next turn may do better."""
        await asyncio.sleep(0.0 if self._more else max(self._pause, self._peers.wait(TICK)))
        try:
            await self.renew()
        except ServiceError as error:  # the lease runs out by itself; the next try may come in time
            self._followers.store_lost(error)
            await asyncio.sleep(TICK / 4)
        else:
            self._followers.store_back()

    async def stop(self) -> None:
        """Leave everything to others, at once."""
        self._lease.until = float("-inf")
        if self._worker is None:
            return
        try:
            await self._store.write(partial(leases.leave, worker_id=self._worker.id))
        except ServiceError as error:
            log.warning("lease.not_released", cause=error.message)

    async def renew(self) -> None:
        """Renew the leases, and have the followers follow what this process has leased now. Raises StoreUnavailable."""
        if self._worker is not None and not await self._store.liveness.is_locked():
            await self._give_up()
        worker = self._worker or await self._join()
        requested = self._lease.steady()
        self._just_leased.clear()
        dead = self._peers.dead()
        work = partial(leases.renew, worker=worker, dead=dead, batch=BATCH)
        found = await self._store.write(work)
        if found is None:
            self._lose()
            return
        self._lease.until = requested + LEASE
        self._peers.look(found.heartbeats, self._lease.steady())
        # one whose row somebody has locked is still there, and will be for a while
        self._pause = TICK / 4 if dead.keys() & self._peers.dead().keys() else 0.0
        self._log_unknown(found.unknown)
        self._more = found.more
        self._note_lead(found.leads)
        self._followers.keep(found.leased, besides=self._just_leased)
        for each in found.leased:
            if not self._followers.follows(each):
                await self._followers.follow(each.follow_id, leased=each)
        share_limits(self._followers.limiters, self._followers.matches, found.open_matches)

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """Somebody attached a liveblog: follow its match now, where nobody else does; who does will see it soon."""
        if self._worker is None or not self._lease():
            return
        try:
            leased = await self._store.write(partial(leases.lease, worker=self._worker, follow_id=follow_id))
            if leased is not None:
                self._just_leased.add(follow_id)
                await self._followers.follow(follow_id, leased=leased, afresh=afresh)
        except ServiceError as error:  # it is attached: the next renewal sees it
            log.warning("lease.not_just_leased", follow=follow_id, cause=error.message)
        except Exception:  # the request that attached it has succeeded, and the next renewal tries again
            log.exception("lease.not_just_leased", follow=follow_id)

    def _lose(self) -> None:
        """The others have reaped this process: it has no leases, and joins anew."""
        log.warning("lease.lost", matches=len(self._followers))
        self._lease.until, self._worker, self._more, self._leads = float("-inf"), None, True, False
        self._followers.keep(())

    async def _give_up(self) -> None:
        """Without its liveness lock the process counts as dead already, or will soon."""
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

    def _note_lead(self, leads: bool) -> None:
        """Where there may be other processes, the log says which of them runs the jobs from now on."""
        if leads and not self._leads and not self._alone:
            log.info("jobs.taken_up")
        self._leads = leads

    def _log_unknown(self, unknown: frozenset[str]) -> None:
        if unknown - self._unknown:
            log.warning("match.endpoint_missing", endpoints=sorted(unknown))
        self._unknown = unknown


def share_limits(
    limiters: Mapping[str, EndpointLimiter], matches: Iterable[FollowedMatch], open_matches: Mapping[str, int]
) -> None:
    """Divide each endpoint's limits by matches: this process follows `matches`, all of them together `open_matches`.

    So the limits hold for all processes together as soon as each has seen what the others have leased.
    """
    own = Counter(match.endpoint for match in matches)
    for key, limiter in limiters.items():
        limiter.share(min(1.0, max(1, own[key]) / max(1, open_matches.get(key, 0))))


class LeasedElsewhere:
    """Stands for the leases of a process that follows nothing: another process sees what is to be followed."""

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """Nothing to do here."""


class WorkerCount:
    """Counts when somebody wants to know, so nothing runs beside; a process that hangs counts until it was quiet for `LEASE`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._peers = PeerMonitor(LEASE, gap=LEASE)

    async def alive(self) -> int | None:
        """None while the database does not say."""
        try:
            found = await self._store.read(heartbeats)
        except StoreUnavailable:
            return None
        self._peers.look(found, steady())
        return len(found) - len(self._peers.dead())
