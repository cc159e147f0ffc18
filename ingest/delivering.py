"""Webhook deliveries of this process: notices what changed and lets each receiver's lane deliver it."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import structlog

from ingest.horizon import Horizon
from ingest.jobs import InProcess
from ingest.lane import LEASE, Lane
from ingest.metrics import Metrics
from ingest.posting import CONNECT, Limits
from ingest.rates import Rates
from ingest.settling import Recorder
from ingest.timing import Timing
from mapping.errors import ServiceError
from mapping.rules import delivery as rules
from store import deliveries, deliverylog, outbox, webhooks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ingest.guarded import Guard
    from ingest.posting import Outcome
    from store.database import Store
    from store.webhooks import Subscription

log = structlog.get_logger()

TICK = 1.0
SETTLING = 0.02
"""Seconds before a look is repeated: what changes in between is found together."""
LOOK_BEHIND = 10
"""Ticks after which all subscriptions are looked at, also those that another process held."""
NEWS = 500
"""Rows that are read once for all lanes; of a larger backlog each reads its own."""
READING = 3
"""Lanes that read from the store at a time."""
IDLE = 120.0
"""Seconds after which a receiver's connections are closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How to deliver: `connections` and `rate` (requests a second) of one receiver, `room` of the process."""

    plan: rules.Plan = rules.PLAN
    limits: Limits = field(default_factory=Limits)
    connections: int = 4
    rate: float = 50.0
    room: int = 512
    keep: float = 7 * rules.DAY
    """Seconds for which the log and the outbox are kept."""


class Delivering:
    """Lanes for the receivers that this process holds; started like the followers, woken after commits."""

    def __init__(
        self,
        store: Store,
        guard: Guard,
        rhythm: Rhythm,
        *,
        timing: Timing | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.store = store
        self.timing = timing or Timing()
        self.plan, self.limits, self.connections = rhythm.plan, rhythm.limits, rhythm.connections
        self.stopping = False
        self.metrics = metrics or Metrics()
        self._rhythm = rhythm
        self._guard = guard
        self._owner = secrets.token_hex(8)
        self._horizon = Horizon(store)
        self._seen: int | None = None
        self._ticks = 0
        self._lanes: dict[str, Lane] = {}
        self._clients: dict[str, httpx.AsyncClient] = {}
        self._jobs = InProcess(self._drain)
        self.recorder = Recorder(store)
        self.reading = asyncio.Semaphore(READING)
        self._rates = Rates(rhythm.rate, rhythm.rate)
        # Receivers that fail share a room of their own, so that those that hang take no place from the others.
        self._room = {False: asyncio.Semaphore(rhythm.room), True: asyncio.Semaphore(max(rhythm.room // 4, 1))}
        self._woken = asyncio.Event()

    @property
    def horizon(self) -> int:
        return self._horizon.value

    def wake(self) -> None:
        """Something may have changed; costs nothing when called often."""
        self._woken.set()

    async def run(self, *, alone: bool = False) -> None:
        """Notice and deliver until cancelled. `alone`: no other process can hold a receiver (SQLite)."""
        if alone:
            await self.store.write(deliveries.release)
        due = self.timing.steady()
        while True:
            try:
                settled = await self._notice()
                if self.timing.steady() >= due:
                    due = self.timing.steady() + TICK * self.timing.speed
                    await self._tick()
            except ServiceError as error:
                log.warning("webhooks.look_failed", cause=error.message)
                settled = True
            await asyncio.sleep(SETTLING)
            if settled:
                await self._wait(TICK)
            self._woken.clear()

    async def stop(self, grace: float = 10.0) -> None:
        """Let rounds under way end within `grace` seconds, then leave the receivers to others."""
        self.stopping = True
        for lane in self._lanes.values():
            lane.wake()
        await self._jobs.stop(grace)
        await self.recorder.stop()
        try:
            await self.store.write(partial(deliveries.release, owner=self._owner))
        except ServiceError as error:
            log.warning("webhooks.release_failed", cause=error.message)
        for client in self._clients.values():
            await client.aclose()
        self._guard.close()

    async def purge(self) -> None:
        """Forget what is older than the log is kept."""
        before = self.timing.now() - self._rhythm.keep
        while await self.store.write(partial(deliverylog.purge, before=before)):
            pass
        await self.store.write(partial(outbox.purge, before=before))

    @asynccontextmanager
    async def turn(self, host: str, *, failing: bool) -> AsyncIterator[None]:
        """Waits for this host's next turn, and for room in the process."""
        await self._rates.turn(host)
        async with self._room[failing]:
            yield

    def observe(self, outcome: Outcome) -> None:
        """Counts a round."""
        self.metrics.round(outcome)

    async def _notice(self) -> bool:
        """Ask for the receivers of what is new; False when more of it is about to be settled."""
        settled = await self._horizon.advance()
        if self._seen is None:  # as this process found it
            self._seen = self.horizon
            self._ask(await self.store.read(partial(webhooks.behind, through=self.horizon)))
        elif self.horizon > self._seen:
            await self._spread(self._seen, self.horizon)
            self._seen = self.horizon
        return settled

    async def _spread(self, after: int, through: int) -> None:
        """Read what is new once, hand it to the lanes that are abreast, and let the others read for themselves."""
        rows = await self.store.read(partial(outbox.news, after=after, through=through, limit=NEWS))
        whole = sum(map(len, rows.values())) < NEWS
        if whole:
            for lane in self._lanes.values():
                lane.offer(rows.get(lane.organization, ()), after=after, through=through)
        owners = await self.store.read(webhooks.active) if rows else {}
        self._ask([each for each, owner in owners.items() if owner in rows or not whole])

    async def _tick(self) -> None:
        now = self.timing.now()
        far = rules.far(self.plan, now)
        self._ask(await self.store.read(partial(webhooks.waiting_for, now=now, far=far)), due=True)
        self._ticks += 1
        if self._ticks % LOOK_BEHIND == 1:
            self._ask(await self.store.read(partial(webhooks.behind, through=self.horizon)))
            self.metrics.webhooks(await self.store.read(partial(deliverylog.backlog, through=self.horizon)), now)
            await self._rest()

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    def _ask(self, ids: list[str], *, due: bool = False) -> None:
        for each in ids:
            if each in self._lanes:
                self._lanes[each].wake(due=due)
            self._jobs.ask(each)

    async def _drain(self, webhook_id: str) -> None:
        lane = self._lanes.get(webhook_id)
        if lane is None or not lane.holds:
            claim = partial(deliveries.claim, webhook_id=webhook_id, owner=self._owner, lease=LEASE)
            held = await self.store.write(claim)
            if held is None:
                await self._drop(webhook_id)
                return
            lane = self._lanes[webhook_id] = Lane(held, self._client(held), urlsplit(held.url).netloc, self)
        await lane.drain()

    def _client(self, held: Subscription) -> httpx.AsyncClient:
        """The receiver's own connections, kept from one claim to the next."""
        if held.id not in self._clients:
            timeout = httpx.Timeout(self.limits.one_try, connect=min(CONNECT, self.limits.one_try))
            self._clients[held.id] = self._guard.client(connections=self.connections, timeout=timeout)
        return self._clients[held.id]

    async def _rest(self) -> None:
        """Close the connections of receivers that have had nothing for a while."""
        before = self.timing.steady() - IDLE * self.timing.speed
        for webhook_id in [key for key, lane in self._lanes.items() if not lane.busy and lane.used < before]:
            await self._drop(webhook_id)
        self._rates.forget()

    async def _drop(self, webhook_id: str) -> None:
        self._lanes.pop(webhook_id, None)
        client = self._clients.pop(webhook_id, None)
        if client is not None:
            await client.aclose()
