"""Gives committed outbox rows their delivery numbers, and reports when that does not go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from ingest.kit.steady_clock import SteadyClock
from ingest.webhooks.attempt import DeliveryMetrics
from store.database import Store
from store.engine.lasting import LogOnce
from store.engine.unit import Unit
from store.webhooks import outbox
from store.webhooks.outbox import Sequence

T = TypeVar("T")

STUCK_AFTER = 30.0
"""Seconds without a new number, while rows wait for one, after which it is an alarm."""


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

    async def advance(self, look: Callable[[Connection, int], T]) -> tuple[Sequence, T]:
        """Number what is committed, if anything is, and `look` at it in the same unit: it gets the last number."""

        def known(conn: Connection) -> tuple[Sequence, T] | None:
            found = outbox.sequence(conn)
            return (found, look(conn, found.last)) if found.complete else None

        def number(unit: Unit) -> tuple[Sequence, T]:
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
