"""Writes down what the lanes have done: what ends while a write is under way goes into the next one together."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

import structlog

from mapping.errors import StoreUnavailable
from store import deliveries

if TYPE_CHECKING:
    from store.database import Store
    from store.deliveries import Settlement
    from store.webhooks import Subscription

    Waiting = tuple[Settlement, asyncio.Future[Subscription | None]]

log = structlog.get_logger()

TOGETHER = 256
"""Receivers recorded in one unit, at most."""
GATHERING = 0.01
"""Seconds that the first of them waits for others: most of a record's cost is that of its transaction."""
LONGEST_WAIT = 5.0


class Recorder:
    """One writer for all lanes of a process; each lane waits for its own record."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    async def settle(self, settlement: Settlement) -> Subscription | None:
        """The receiver as it is once this is committed, however long that takes; None when it is no longer ours."""
        future: asyncio.Future[Subscription | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((settlement, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="record deliveries")
        return await future

    async def stop(self) -> None:
        """Give up what could not be written: it has not happened, and is delivered again."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

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
        settled = await self._patiently([settlement for settlement, _ in batch])
        for settlement, future in batch:
            if not future.done():
                future.set_result(settled.get(settlement.held.id))

    async def _alone(self, one: Waiting) -> None:
        try:
            await self._write([one])
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to the lane
            if not one[1].done():
                one[1].set_exception(error)

    async def _patiently(self, settlements: list[Settlement]) -> dict[str, Subscription]:
        wait = 0.1
        while True:
            try:
                return await self._store.write(partial(deliveries.settle, settlements=settlements))
            except StoreUnavailable:
                await asyncio.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT)
