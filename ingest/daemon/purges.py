"""Deleting what is old: in small units with pauses, so that whoever writes gets in, and only for so long at a time."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING

from store import delivery_log, outbox, sync, webhooks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ingest.webhooks.single_flight import KeyedJobs
    from store.database import Store

    Unfinished = Callable[[], Awaitable[bool]]
    """Deletes a little in one unit; whether there may be more."""

PAUSE = 0.02
"""Least seconds between two units."""
LONGEST = 6.0
"""Seconds of one kind of purge; what is left then is for the next run. All of a job together stay below its limit."""


async def in_batches(unit: Unfinished, *, longest: float = LONGEST, pause: float = PAUSE) -> bool:
    """Run `unit` until it is finished, `longest` seconds at most; whether it is. At least half of the time is pauses."""
    ends = time.monotonic() + longest
    while (began := time.monotonic()) < ends:
        if not await unit():
            return True
        await asyncio.sleep(max(pause, time.monotonic() - began))
    return False


async def run_again(jobs: KeyedJobs, key: str, purge: Callable[[], Awaitable[bool]]) -> None:
    """The job `key`: a run of `purge`, and another one soon where that did not finish."""
    if not await purge():
        jobs.ask(key)


class Purging:
    """The purges of one process."""

    def __init__(self, store: Store, *, longest: float = LONGEST) -> None:
        self._store = store
        self._longest = longest
        self._outbox = 0
        """Where in the outbox the next run goes on: the last one was not finished."""

    async def deliveries(self, before: float) -> bool:
        """Forget rounds and rows of the outbox older than `before`, and logs of subscriptions that ended; whether that is all."""
        kinds = (partial(self._rounds, before), partial(self._rows, before), self._ended)
        return all([await in_batches(unit, longest=self._longest) for unit in kinds])

    async def bodies(self) -> bool:
        """Give back the room that the last bodies of closed matches take; whether that is all."""
        return await in_batches(self._bodies, longest=self._longest)

    async def _rounds(self, before: float) -> bool:
        return await self._store.write(partial(delivery_log.purge, before=before)) > 0

    async def _rows(self, before: float) -> bool:
        found = await self._store.write(partial(outbox.purge, before=before, after=self._outbox))
        self._outbox = found or 0
        return found is not None

    async def _ended(self) -> bool:
        return await self._store.write(webhooks.forget_ended)

    async def _bodies(self) -> bool:
        closed = await self._store.read(sync.closed_with_bodies)
        return bool(closed) and await self._store.write(partial(sync.forget_bodies, follow_ids=closed)) > 0
