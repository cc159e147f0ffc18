"""What `/status` shows: this process, its matches and endpoints, what waits, and the alarms of all processes."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

from sqlalchemy import Connection

from ingest.daemon.status_matches import endpoint_rows, match_rows
from ingest.kit.roles import Role
from ingest.sync.follower import Followers
from ingest.sync.worker_count import WorkerCount
from mapping.errors import StoreUnavailable
from store.alarms import alarms
from store.alarms.alarms import Alarm
from store.database import Store
from store.webhooks import delivery_log
from store.webhooks.outbox import sequence

RECENT = 86_400.0
"""Seconds for which alarms are shown that have ended."""


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """Makes the report of one process. `workers`: None where one process does everything."""

    store: Store
    followers: Followers
    workers: WorkerCount | None
    role: Role
    clock: Callable[[], float]
    started_at: float = field(default_factory=time.time)

    async def make(self) -> dict[str, Any]:
        """The report; what only the store knows is missing while it is away."""
        process = {
            "version": version("matchwire"),
            "role": str(self.role),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "startedAt": int(self.started_at),
        }
        return {
            "process": process,
            "workers": 1 if self.workers is None else await self.workers.alive(),
            "matches": self.followers.health() if self.role.works else None,
            "followed": match_rows(self.followers, self.clock) if self.role.works else [],
            "endpoints": endpoint_rows(self.followers, self.clock) if self.role.works else [],
            **await self._stored(),
        }

    async def _stored(self) -> dict[str, Any]:
        now = self.clock()
        try:
            return await self.store.read(partial(_stored, now=now))
        except StoreUnavailable:
            return {"webhooks": None, "alarms": []}


def _stored(conn: Connection, now: float) -> dict[str, Any]:
    waiting = delivery_log.backlog(conn, through=sequence(conn).last)
    webhooks = asdict(waiting) | {"oldest": None if waiting.oldest is None else max(0, round(now - waiting.oldest))}
    listed = alarms.list_alarms(conn, ended_since=now - RECENT)
    return {"webhooks": webhooks, "alarms": [_shown(alarm) for alarm in listed]}


def _shown(alarm: Alarm) -> dict[str, Any]:
    ended = None if alarm.ended_at is None else int(alarm.ended_at)
    return {"kind": alarm.kind, "message": alarm.message, "beganAt": int(alarm.began_at), "endedAt": ended}
