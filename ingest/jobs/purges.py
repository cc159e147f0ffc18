"""Deletes what is old, in small units with pauses, so that others can write meanwhile, and for a bounded time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

import structlog

from ingest.jobs.jobs import Jobs
from store.database import Store
from store.engine.unit import Unit
from store.files.storage import FileStore
from store.following import closing
from store.media import uploads
from store.webhooks import delivery_log, outbox, webhooks

Unfinished = Callable[[], Awaitable[object]]
"""Deletes a little in one unit; something true where there may be more, such as how many rows went."""


log = structlog.get_logger()

PAUSE = 0.02
"""Least seconds between two units."""
BATCH = 500
"""Uploads that one step compares with files."""
LOOKED = 100
"""Uploads of which one step looks whether they are used; of more PostgreSQL would rather go through the whole table."""
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


async def run_again(jobs: Jobs, key: str, purge: Callable[[], Awaitable[bool]]) -> None:
    """The job `key`: a run of `purge`, and another one soon where that did not finish."""
    if not await purge():
        jobs.request(key)


class Purging:
    """The purges of one process."""

    def __init__(self, store: Store, *, longest: float = LONGEST) -> None:
        self._store = store
        self._longest = longest
        self._outbox = 0
        """Where in the outbox the next run goes on: the last one was not finished."""

    async def deliveries(self, before: float) -> bool:
        """Forget rounds and rows of the outbox older than `before`, and logs of subscriptions that ended; whether that is all."""
        rounds = await self.steps([partial(delivery_log.purge, before=before)])
        rows = await in_batches(partial(self._rows, before), longest=self._longest)
        return await self.steps([webhooks.forget_ended]) and rounds and rows

    async def bodies(self) -> bool:
        """Give back the room that the last bodies of closed matches take; whether that is all."""
        return await in_batches(self._bodies, longest=self._longest)

    async def steps(self, steps: Sequence[Callable[[Unit], object]]) -> bool:
        """Run units of which each deletes a little and says whether there may be more; whether that is all."""
        return all([await in_batches(partial(self._store.write, step), longest=self._longest) for step in steps])

    async def _rows(self, before: float) -> bool:
        found = await self._store.write(partial(outbox.purge, before=before, after=self._outbox))
        self._outbox = found or 0
        return found is not None

    async def _bodies(self) -> bool:
        closed = await self._store.read(closing.closed_with_bodies)
        return bool(closed) and await self._store.write(partial(closing.forget_bodies, follow_ids=closed)) > 0


class UploadPurge:
    """Deletes uploads that nothing refers to, and what a process that died left: files without a row, rows without a file.

    `upload_kept`: seconds for which all of them stay. `clock` gives Unix seconds.
    """

    def __init__(
        self,
        store: Store,
        files: FileStore,
        *,
        upload_kept: float,
        clock: Callable[[], float],
        longest: float = LONGEST,
    ) -> None:
        self._store = store
        self._files = files
        self._upload_kept = upload_kept
        self._clock = clock
        self._longest = longest
        self._after = ""
        """The key after which the comparison goes on."""
        self._looked = ""
        """The key after which the look for what nothing refers to goes on."""

    async def run(self) -> bool:
        """Purge; whether that is all. Raises StoreUnavailable where the database or the storage is away."""
        before = int(self._clock() - self._upload_kept)
        await self._files.discard_unfinished(before)
        steps = (partial(self._delete_unused, before), partial(self._strays, before))
        return all([await in_batches(step, longest=self._longest) for step in steps])

    async def _delete_unused(self, before: int) -> bool:
        """Rows go first: a file without a row is found by its age, a row without a file could be referred to."""
        work = partial(uploads.unreferenced_keys, before=before, limit=LOOKED, after=self._looked)
        keys, after = await self._store.read(work)
        forgotten = await self._store.write(partial(uploads.forget, keys=keys)) if keys else []
        for key in forgotten:
            await self._files.delete(key)
        self._looked = after or ""
        return after is not None

    async def _strays(self, before: int) -> bool:
        """Compare the next files of the storage with the rows."""
        found = {file.key: file.stored_at for file in await self._files.keys(self._after, BATCH)}
        until = max(found) if len(found) == BATCH else None
        # Rows are read after the files: what came in between has a row, and is too young.
        rows = await self._store.read(partial(uploads.between, after=self._after, until=until))
        for key in _old_without(rows, found, before):
            await self._files.delete(key)
        if lost := _old_without(found, rows, before):
            forgotten = await self._store.write(partial(uploads.forget, keys=lost))
            if len(lost) > len(forgotten):
                log.warning("uploads.lost", uploads=len(lost) - len(forgotten))
        self._after = until or ""
        return until is not None


def _old_without(others: Mapping[str, float], ours: Mapping[str, float], before: int) -> list[str]:
    """The keys of `ours` from before that time that `others` has not."""
    return [key for key, since in ours.items() if key not in others and since < before]
