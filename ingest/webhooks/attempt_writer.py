"""Attempt writer: records the rounds of many receivers in one transaction; what ends during a write goes into the next one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial

import structlog

from mapping.errors import StoreUnavailable
from store.database import Store
from store.webhooks import deliveries
from store.webhooks.deliveries import AttemptRecord, RecordResult
from store.webhooks.webhooks import Subscription

log = structlog.get_logger()

TOGETHER = 256
"""Receivers recorded in one unit, at most."""
GATHERING = 0.01
"""Seconds that the first of them waits for others: most of a record's cost is that of its transaction."""
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0
"""Seconds before a write is tried again; each further wait is twice as long."""


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
            if len(self._waiting) < TOGETHER:
                await asyncio.sleep(GATHERING)
            batch, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
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
