"""Rate limiter: turns at so many a second, so that a backlog does not become a storm."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic

from ingest.webhooks.fair_queue import FairQueue


@dataclass(slots=True)
class _Host:
    """When its last turn was (`monotonic`), and who waits for the next one."""

    last: float = 0.0
    waiting: FairQueue[asyncio.Future[None]] = field(default_factory=FairQueue)
    timer: asyncio.TimerHandle | None = None


class FairRateLimiter:
    """For each host `rate` turns a second, `burst` of them at once after a rest. A `rate` of 0 means no limit.

    Organizations that wait for the same host are served in turn, and so are the receivers of each (see FairQueue).
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._step = 1 / rate if rate else 0.0
        self._credit = burst * self._step
        self._hosts: dict[str, _Host] = {}

    async def turn(self, host: str, organization: str = "", receiver: str = "") -> None:
        """Wait for a turn of `host`. A caller who gives up uses none."""
        if not self._step:
            return
        known = self._hosts.setdefault(host, _Host())
        if not known.waiting and self._due(known) <= monotonic():
            known.last = self._due(known)
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        known.waiting.add(organization, receiver, granted)
        self._watch(known)
        try:
            await granted
        finally:
            known.waiting.remove(organization, receiver, granted)

    def forget(self) -> None:
        """Drop what is cached of hosts that have rested."""
        rested = monotonic() - self._credit
        self._hosts = {host: known for host, known in self._hosts.items() if known.waiting or known.last > rested}

    def _due(self, known: _Host) -> float:
        """When the next turn is."""
        return max(known.last, monotonic() - self._credit) + self._step

    def _watch(self, known: _Host) -> None:
        if known.timer is None and known.waiting:
            delay = max(self._due(known) - monotonic(), 0.0)
            known.timer = asyncio.get_running_loop().call_later(delay, self._serve, known)

    def _serve(self, known: _Host) -> None:
        """Give the turns that are due, and see to the next one."""
        known.timer = None
        while self._due(known) <= monotonic() and (granted := known.waiting.take()) is not None:
            if not granted.done():
                known.last = self._due(known)
                granted.set_result(None)
        self._watch(known)
