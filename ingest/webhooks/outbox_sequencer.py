"""Gives committed outbox rows their delivery numbers, and reports when that does not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from store import outbox
from store.log_once import LogOnce

if TYPE_CHECKING:
    from ingest.daemon.metrics import Metrics
    from ingest.webhooks.steady_clock import SteadyClock
    from store.database import Store

STUCK_AFTER = 30.0
"""Seconds without a new number, while rows wait for one, after which it is an alarm."""


class OutboxSequencer:
    """One of possibly several processes that number; whoever comes first does it, the others find it done."""

    def __init__(self, store: Store, timing: SteadyClock, metrics: Metrics) -> None:
        self._store = store
        self._timing = timing
        self._metrics = metrics
        self._watched = -1
        self._moved = timing.steady()
        self._log = LogOnce("outbox.stuck", "outbox.moving", "error")
        self.last = 0
        """The delivery number up to which rows can be read; it only rises."""

    async def advance(self) -> bool:
        """Number what is committed; False while more of it waits."""
        found = await self._store.glance(outbox.sequence)
        if not found.complete:
            found = await self._store.write(outbox.number_committed)
        self.last = max(self.last, found.last)
        return found.complete

    async def watch(self) -> None:
        """Note what waits for a number; log once when numbers no longer rise although rows wait, and once when they do."""
        waiting, now = await self._store.read(outbox.unnumbered), self._timing.steady()
        self._metrics.outbox(self.last, waiting)
        if not waiting or self.last != self._watched:
            self._watched, self._moved = self.last, now
        if now - self._moved >= STUCK_AFTER * self._timing.speed:
            self._log.failed(waiting=waiting, number=self.last, cause="outbox rows get no delivery number")
        else:
            self._log.worked(number=self.last)
