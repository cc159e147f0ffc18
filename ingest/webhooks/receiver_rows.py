"""Reads, claims and records the rows of many receivers at a time, and gives the outbox its delivery numbers.

Ten thousand receivers may begin together; what ends during a write goes into the next one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import structlog
from sqlalchemy import Connection

from ingest.kit.steady_clock import SteadyClock
from ingest.webhooks.attempt import DeliveryMetrics
from mapping.errors import StoreUnavailable
from store.database import Store
from store.engine.loops import LogOnce
from store.engine.unit import Unit
from store.webhooks import deliveries, outbox
from store.webhooks.deliveries import AttemptRecord, DeliveredBefore, Locked, RecordResult
from store.webhooks.outbox import OutboxRow, OutboxSpan
from store.webhooks.webhooks import Subscription

BATCH = 100
"""Rows of the outbox, or deliveries that wait, which a receiver reads at a time."""
TOGETHER = 200
"""Receivers of one unit, or one read: so few that whoever writes beside them waits some milliseconds."""
KeyT = TypeVar("KeyT")
ResultT = TypeVar("ResultT")


log = structlog.get_logger()
RECORDED_TOGETHER = 256
"""Receivers recorded in one unit, at most."""
GATHERING = 0.01
"""Seconds that the first of them waits for others: most of a record's cost is that of its transaction."""
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
"""Seconds before a write is tried again; each further wait is twice as long."""


T = TypeVar("T")
STUCK_AFTER = 30.0
"""Seconds without a new number, while rows wait for one, after which it is an alarm."""


class ReceiverRows:
    """One unit or read at a time of each kind, so that a crowd of receivers takes no more turns from others than one does."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._claims = Batcher[tuple[str, str], "Subscription | Locked"](self._claim, most=TOGETHER)
        self._renewals = Batcher[tuple[str, int], "Subscription"](self._renew, most=TOGETHER)
        self._news = Batcher[OutboxSpan, "list[OutboxRow]"](self._read_news, most=TOGETHER)
        self._histories = Batcher[tuple[str, int], "DeliveredBefore"](self._read_histories, most=TOGETHER)

    async def claim(self, webhook_id: str, owner: str) -> Subscription | None:
        """The receiver, claimed for `owner`; None when it is gone, disabled, or claimed by a living process.

        Raises UnreadableRow, StoreUnavailable.
        """
        found = await self._claims.result((webhook_id, owner))
        if found is Locked.ROW:  # by somebody who is about to let go of it; nobody else waits for that
            return await self._store.write(partial(deliveries.claim, webhook_id=webhook_id, owner=owner))
        return found

    async def renew(self, claimed: Subscription) -> Subscription | None:
        """The receiver as it is now; None where it is not to be delivered to under this claim any more. Raises as `claim`."""
        return await self._renewals.result((claimed.id, claimed.fence))

    async def delivered_before(self, claimed: Subscription) -> DeliveredBefore:
        """What the log holds of the receiver. Raises StoreUnavailable."""
        return await self._histories.result((claimed.id, claimed.cursor)) or DeliveredBefore()

    async def news(self, organization_id: str, *, after: int, through: int) -> list[OutboxRow]:
        """`outbox.rows_of`, the first `BATCH`; those who want the same at a time share a query. Raises StoreUnavailable."""
        return await self._news.result(OutboxSpan(organization_id, after, through)) or []

    async def _claim(self, keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Subscription | Locked | Exception]:
        found: dict[tuple[str, str], Subscription | Locked | Exception] = {}
        for owner in {owner for _, owner in keys}:
            ids = [webhook_id for webhook_id, of in keys if of == owner]
            result = await self._store.write(partial(deliveries.claim_all, webhook_ids=ids, owner=owner))
            found.update({(webhook_id, owner): claimed for webhook_id, claimed in result.claimed.items()})
            found.update({(webhook_id, owner): Locked.ROW for webhook_id in result.locked})
        return found

    async def _renew(self, keys: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Subscription | Exception]:
        return await self._store.read(partial(deliveries.still_claimed, claims=keys))

    async def _read_news(self, wanted: Sequence[OutboxSpan]) -> Mapping[OutboxSpan, list[OutboxRow]]:
        return await self._store.read(partial(outbox.rows_of_all, wanted=set(wanted), limit=BATCH))

    async def _read_histories(self, keys: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], DeliveredBefore]:
        return await self._store.read(partial(deliveries.delivered_before, cursors=keys))


class Batcher(Generic[KeyT, ResultT]):
    """`run` gives the results of up to `most` keys; a caller who is alone does not wait for others.

    While a run is under way callers gather, and each further one takes the next of them, in the order in which they came.
    """

    def __init__(
        self, run: Callable[[Sequence[KeyT]], Awaitable[Mapping[KeyT, ResultT | Exception]]], *, most: int
    ) -> None:
        self._run = run
        self._most = most
        self._waiting: list[tuple[KeyT, asyncio.Future[ResultT | Exception | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def result(self, key: KeyT) -> ResultT | None:
        """The result for `key`, None where the run gives none. Raises what the run raised, or gave as the result of `key`."""
        future: asyncio.Future[ResultT | Exception | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((key, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run_all(), name="batch")
        found = await future
        if isinstance(found, Exception):
            raise found
        return found

    async def _run_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            wanted = [each for each in batch if not each[1].done()]  # a caller who was cancelled wants nothing
            if wanted:
                found = await self._found([key for key, _ in wanted])
                for key, future in wanted:
                    if not future.done():
                        future.set_result(found.get(key))

    async def _found(self, keys: Sequence[KeyT]) -> Mapping[KeyT, ResultT | Exception]:
        try:
            return await self._run(keys)
        except Exception as error:  # noqa: BLE001 -- it is its callers' matter
            return dict.fromkeys(keys, error)


class CursorTracker:
    """The low watermark: rows are taken up by number and acknowledged in any order; the cursor never passes one that is not."""

    def __init__(self, cursor: int) -> None:
        self.fed = cursor
        """The number up to which rows have been looked at."""
        self.newest = cursor
        """The last row that was taken up."""
        self._open: deque[int] = deque()
        self._acknowledged: set[int] = set()

    @property
    def cursor(self) -> int:
        """Everything up to here is acknowledged."""
        return self._open[0] - 1 if self._open else self.fed

    def take(self, number: int) -> None:
        self._open.append(number)
        self.fed = self.newest = number

    def cursor_with(self, numbers: Collection[int]) -> int:
        """The cursor as it will be once these are acknowledged too."""
        for each in self._open:
            if each not in self._acknowledged and each not in numbers:
                return each - 1
        return self.fed

    def acknowledge(self, numbers: Collection[int]) -> None:
        self._acknowledged.update(numbers)
        while self._open and self._open[0] in self._acknowledged:
            self._acknowledged.discard(self._open.popleft())


@dataclass(slots=True, eq=False)
class Waiting:
    """A record that is to be written. `wait`: seconds before the next try, where its row is locked."""

    record: AttemptRecord
    done: asyncio.Future[Subscription | None]
    wait: float = FIRST_WAIT


class AttemptWriter:
    """One writer for all receivers of a process; each receiver waits for its own record.

    A receiver whose row somebody has locked waits by itself: its record goes into a later unit.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    async def record(self, record: AttemptRecord) -> Subscription | None:
        """The receiver as it is once this is committed, however long that takes; None when it is no longer ours."""
        waiting = Waiting(record, asyncio.get_running_loop().create_future())
        self._add(waiting)
        return await waiting.done

    async def stop(self) -> None:
        """Give up what could not be written: it has not happened, and is delivered again."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _add(self, waiting: Waiting) -> None:
        if waiting.done.done() or self._stopped:
            return
        self._waiting.append(waiting)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="record deliveries")

    async def _run(self) -> None:
        while self._waiting:
            if len(self._waiting) < RECORDED_TOGETHER:
                await asyncio.sleep(GATHERING)
            batch, self._waiting = self._waiting[:RECORDED_TOGETHER], self._waiting[RECORDED_TOGETHER:]
            try:
                await self._write(batch)
            except Exception:  # of one of them: the others shall not suffer for it
                log.exception("webhooks.record_failed", receivers=len(batch))
                for each in batch:
                    await self._alone(each)

    async def _write(self, batch: list[Waiting]) -> None:
        result = await self._until_written([each.record for each in batch])
        for each in batch:
            id_ = each.record.claimed.id
            if id_ in result.locked:
                self._later(each)
            elif not each.done.done():
                each.done.set_result(result.recorded.get(id_))

    def _later(self, waiting: Waiting) -> None:
        """Try it again in a while, and log once that it takes long."""
        wait, waiting.wait = waiting.wait, min(waiting.wait * 2, LONGEST_WAIT)
        if wait < waiting.wait == LONGEST_WAIT:
            log.warning("webhook.row_locked", receiver=waiting.record.claimed.id)
        asyncio.get_running_loop().call_later(wait, self._add, waiting)

    async def _alone(self, one: Waiting) -> None:
        try:
            await self._write([one])
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to the receiver
            if not one.done.done():
                one.done.set_exception(error)

    async def _until_written(self, records: list[AttemptRecord]) -> RecordResult:
        wait = FIRST_WAIT
        while True:
            try:
                return await self._store.write(partial(deliveries.record_attempts, records=records))
            except StoreUnavailable:
                await asyncio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)


class OutboxSequencer:
    """One of possibly several processes that number; whoever comes first does it, the others find it done."""

    def __init__(self, store: Store, timing: SteadyClock, metrics: DeliveryMetrics) -> None:
        self._store = store
        self._timing = timing
        self._metrics = metrics
        self._watched = -1
        self._moved = timing.steady()
        self._log = LogOnce("outbox.stuck", "outbox.moving", "error")
        self.last = 0
        """The delivery number up to which rows can be read; it only rises."""

    async def advance(self, look: Callable[[Connection, int], T]) -> tuple[outbox.Sequence, T]:
        """Number what is committed, if anything is, and `look` at it in the same unit: it gets the last number."""

        def known(conn: Connection) -> tuple[outbox.Sequence, T] | None:
            found = outbox.sequence(conn)
            return (found, look(conn, found.last)) if found.complete else None

        def number(unit: Unit) -> tuple[outbox.Sequence, T]:
            found = outbox.number_committed(unit)
            return found, look(unit.conn, found.last)

        glanced = await self._store.read_for_write(known)
        found, seen = await self._store.write(number) if glanced is None else glanced
        self.last = max(self.last, found.last)
        return found, seen

    def watch(self, waiting: int) -> None:
        """Note how many rows wait for a number; log once when numbers no longer rise although some do, and once when they rise."""
        now = self._timing.steady()
        self._metrics.outbox(self.last, waiting)
        if not waiting or self.last != self._watched:
            self._watched, self._moved = self.last, now
        if now - self._moved >= STUCK_AFTER * self._timing.speed:
            self._log.failed(waiting=waiting, number=self.last, cause="outbox rows get no delivery number")
        else:
            self._log.worked(number=self.last)
