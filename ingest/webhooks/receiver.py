"""The worker of one receiver: its own queue and its own few connections; it knows nothing of other receivers.

What is new is delivered in the order of the outbox, liveblog by liveblog; what failed waits in the store for its next
round. A delivery counts as done only once it is recorded, so a process that dies repeats it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import structlog

from config.sections import Webhooks
from ingest.kit.bulkhead import Bulkhead, FairRateLimiter
from ingest.kit.steady_clock import SteadyClock
from ingest.webhooks.attempt import RoundOutcome, make_round
from ingest.webhooks.receiver_rows import BATCH, AttemptWriter, CursorTracker, ReceiverRows
from mapping.rules import webhook_delivery as rules
from mapping.rules.webhook_delivery import Health, Verdict
from store.database import Store
from store.webhooks import deliveries
from store.webhooks.deliveries import AttemptRecord, Delivery, Round
from store.webhooks.outbox import OutboxRow
from store.webhooks.webhooks import Subscription

if TYPE_CHECKING:
    from ingest.webhooks.attempt import ReceiverClient

log = structlog.get_logger()


class ReceiverContext(Protocol):
    """What the receivers of a process have in common."""

    store: Store
    timing: SteadyClock
    plan: rules.Plan
    limits: Webhooks
    connections: int
    rows: ReceiverRows
    recorder: AttemptWriter
    rates: FairRateLimiter
    """Requests a second to a host."""
    bulkhead: Bulkhead
    """Rounds under way at a time."""
    reading: asyncio.Semaphore
    """Receivers that read from the store at a time, so that the API finds connections too."""
    stopping: bool

    @property
    def owner(self) -> str | None:
        """The name under which this process may deliver at this moment; None while it counts as dead."""

    @property
    def newest(self) -> int:
        """The delivery number up to which rows may be read."""

    def observe(self, webhook_id: str, outcome: RoundOutcome) -> None:
        """Counts a round."""


class ReceiverWorker:
    """The deliveries to one receiver, while this process has claimed it."""

    def __init__(self, claimed: Subscription, client: ReceiverClient, host: str, shared: ReceiverContext) -> None:
        self.claimed: Subscription | None = claimed
        """The receiver as it was claimed; None once another process has it."""
        self._over = False
        self._broken: BaseException | None = None
        self._client = client
        self._host = host
        self._shared = shared
        self._id = claimed.id
        self.organization = claimed.organization_id
        self._health = Health(failures=claimed.failures, since=claimed.failing_since)
        self._cursor = CursorTracker(claimed.cursor)
        self._tried: frozenset[int] | None = None
        self._expected: float | None = None
        """Seconds that a round is likely to take; None before the first one."""
        self._written = claimed.cursor
        self._queues: dict[str, deque[Delivery]] = {}
        self._ready: deque[str] = deque()
        self._queued = 0
        self._waiting: set[int] = set()
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._woken = asyncio.Event()
        self._draining = False
        self._due = True
        self._reading = False
        self._unrecorded: list[Round] = []
        self._recording = asyncio.Lock()
        self.used = shared.timing.steady()
        """When it last had something to do, by the steady clock."""

    @property
    def is_claimed(self) -> bool:
        """Whether the receiver is still ours, as far as this process knows."""
        return self.claimed is not None and not self._over and self.claimed.owner == self._shared.owner

    @property
    def busy(self) -> bool:
        return bool(self._tasks)

    def wake(self, *, due: bool = False) -> bool:
        """Something new may be there; `due`: rounds that wait in the store may begin. Whether it is being drained."""
        self._due = self._due or due
        self._woken.set()
        return self._draining and self.is_claimed

    def offer(self, rows: Sequence[OutboxRow], *, after: int, through: int) -> None:
        """All of the organization's rows with `after` < number ≤ `through`: a receiver that was abreast takes them as they are."""
        if self._reading or self._cursor.fed != after or self._queued > BATCH:
            return  # it reads them when it gets there
        for row in rows:
            self._take(row)
        self._cursor.fed = through

    async def drain(self) -> None:
        """Deliver until nothing is left that may go out now, or the receiver is somebody else's.

        Raises what a delivery raised, after which the receiver is given up.
        """
        self.used = self._shared.timing.steady()
        self._draining = True
        try:
            await self._look_again()
            while self.claimed is not None:
                self._woken.clear()
                if self.is_claimed and not self._shared.stopping:
                    await self._feed()
                    self._start()
                if not self._tasks and not self._woken.is_set():
                    break
                await self._woken.wait()
            self._draining = False
            if self._broken is not None:
                raise self._broken
            await self._finish()
        finally:
            self._draining = False
            await self._abandon()

    async def _look_again(self) -> None:
        """What is kept of a receiver that has rested may be old: a secret was rotated, or it was disabled, paused, claimed anew."""
        if self.claimed is None:
            return
        renewed = await self._shared.rows.renew(self.claimed)
        if renewed is None:
            self._over = True
            self.claimed = None
        else:
            self.claimed = replace(self.claimed, secrets=renewed.secrets)

    async def _feed(self) -> None:
        """Take up new rows and due rounds while there is room and something may be there."""
        claimed, shared = self.claimed, self._shared
        abreast = self._cursor.fed >= shared.newest and self._tried is not None
        if claimed is None or self._queued >= BATCH or (abreast and not self._due):
            return
        self._reading = True
        try:
            if self._tried is None:
                before = await shared.rows.delivered_before(claimed)
                self._tried, self._expected = before.tried, before.took
                self._due = before.waits  # what comes to wait later is found by the tick
            if self._cursor.fed < shared.newest:
                await self._feed_new(claimed, shared.newest)
            if self._due:
                await self._feed_due(claimed)
        finally:
            self._reading = False

    async def _feed_due(self, claimed: Subscription) -> None:
        self._due = False
        now = self._shared.timing.now()
        far, busy = rules.far(self._shared.plan, now), tuple(self._waiting)
        work = partial(deliveries.due, webhook_id=claimed.id, now=now, far=far, limit=BATCH, without=busy)
        async with self._shared.reading:
            found = await self._shared.store.read(work)
        for each in found:
            self._waiting.add(each.id or 0)
            self._put(each.game_id if each.kind == "replay" else f"{each.kind} {each.id}", each)
        self._due = self._due or len(found) == BATCH

    async def _feed_new(self, claimed: Subscription, through: int) -> None:
        after = self._cursor.fed
        rows = await self._shared.rows.news(claimed.organization_id, after=after, through=through)
        for row in rows:
            self._take(row)
        if len(rows) < BATCH:  # what is left through this number belongs to others
            self._cursor.fed = through

    def _take(self, row: OutboxRow) -> None:
        self._cursor.take(row.number)
        if self._tried and row.number in self._tried:
            self._cursor.acknowledge((row.number,))
            return
        self._put(
            row.game_id, Delivery(number=row.number, game_id=row.game_id, local_id=row.local_id, version=row.version)
        )

    def _put(self, key: str, delivery: Delivery) -> None:
        """Behind what is queued under the same key: one at a time of these, in order."""
        if key not in self._queues:
            self._queues[key] = deque()
            self._ready.append(key)
        self._queues[key].append(delivery)
        self._queued += 1

    def _start(self) -> None:
        # One that has never answered is tried with one round first: it may be a slow one.
        width = 1 if self._expected is None else self._shared.connections
        while self._ready and len(self._tasks) < width:
            key = self._ready.popleft()
            delivery = self._queues[key].popleft()
            self._queued -= 1
            task = asyncio.create_task(self._deliver(delivery), name=f"deliver to {self._host}")
            self._tasks[task] = key
            task.add_done_callback(self._on_end)

    def _on_end(self, task: asyncio.Task[None]) -> None:
        key = self._tasks.pop(task)
        if self._queues[key]:
            self._ready.append(key)
        else:
            del self._queues[key]
        if not task.cancelled() and (error := task.exception()) is not None:
            self.claimed = None  # what it could not record is found again in the store
            self._broken = error
        self._woken.set()

    async def _deliver(self, delivery: Delivery) -> None:
        shared, outcome = self._shared, None
        await shared.rates.acquire(self._host, self.organization, self._id)
        place = await shared.bulkhead.acquire(self.organization, self._id, self._expected)
        try:
            if self.claimed is not None and not shared.stopping:
                secrets = self.claimed.signing(shared.timing.now())
                outcome = await make_round(
                    self._client,
                    self.claimed.id,
                    delivery,
                    secrets,
                    plan=shared.plan,
                    limits=shared.limits,
                    may_continue=lambda: self.is_claimed,
                )
        finally:
            shared.bulkhead.release(place)
        if outcome is None:
            self._over = True  # what was not delivered is found again in the store
            return
        self._expected = rules.expected_seconds(self._expected, outcome.took)
        shared.observe(self._id, outcome)
        await self._record(self._round(delivery, outcome))

    def _round(self, delivery: Delivery, outcome: RoundOutcome) -> Round:
        """What is to be recorded; the receiver's health is noted on the way."""
        now, plan = self._shared.timing.now(), self._shared.plan
        success, next_at = outcome.result is Verdict.TAKEN, None
        if delivery.kind != "ping":
            self._note(rules.after(plan, self._health, success=success, now=now))
            if not success:
                next_at = rules.next_round(plan, rounds=delivery.rounds + 1, now=now, retry_after=outcome.retry_after)
        return Round(
            delivery=delivery,
            tries=outcome.tries,
            at=now,
            took_ms=round(outcome.took * 1000),
            success=success,
            status_code=outcome.status,
            message=outcome.message,
            next_at=next_at,
        )

    async def _record(self, done: Round) -> None:
        """Record how it went, as often as it takes: until then the delivery has not happened.

        What ends while a write is under way goes into the next one together.
        """
        self._unrecorded.append(done)
        async with self._recording:
            if done not in self._unrecorded:
                return
            batch, self._unrecorded = tuple(self._unrecorded), []
            await self._write(batch)

    async def _write(self, batch: tuple[Round, ...]) -> None:
        if self.claimed is None:
            return
        new = frozenset(each.delivery.number for each in batch if each.delivery.id is None)
        cursor = self._cursor.cursor_with(new)
        after = await self._shared.recorder.record(
            AttemptRecord(claimed=self.claimed, rounds=batch, cursor=cursor, health=self._health)
        )
        self.claimed = None if self._health.disabled else after
        self._written = cursor
        self._cursor.acknowledge(new)
        self._waiting.difference_update(each.delivery.id or 0 for each in batch)

    def _note(self, health: Health) -> None:
        """Log once that a receiver is down, and once that it is back."""
        before, self._health = self._health, health
        if not before.failures and health.failures:
            log.warning("webhook.failing", host=self._host)
        elif before.failures and not health.failures:
            log.info("webhook.recovered", host=self._host, failures=before.failures)
        if health.disabled and not before.disabled:
            log.error("webhook.disabled", host=self._host, failures=health.failures)

    async def _finish(self) -> None:
        """Leave the cursor in the store where it has come to."""
        if self._written < self._cursor.newest <= self._cursor.cursor:
            await self._write(())

    async def _abandon(self) -> None:
        """The receiver was taken away, the database, or the process ends: what is under way is not recorded any more."""
        tasks = list(self._tasks)
        self._over = self._over or bool(tasks)  # so that it is found again in the store
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
