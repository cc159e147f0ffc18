"""What `/status` shows: this process, its matches and endpoints, what waits, and the alarms of all processes."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from time import monotonic
from typing import Any

from sqlalchemy import Connection

from ingest.kit.process import Role
from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from ingest.sync.match_leases import WorkerCount
from mapping.errors import StoreUnavailable
from mapping.follow.preview import reason_text
from store.alarms import alarms
from store.alarms.alarms import Alarm
from store.database import Store
from store.following.rules import MissedMatch, list_missed
from store.webhooks import delivery_log
from store.webhooks.outbox import sequence

RECENT = 86_400.0
"""Seconds for which alarms are shown that have ended."""


LISTED = 200
"""Matches that are listed, those in trouble first, then those that are running; and of those without a liveblog the latest."""


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
        """Make the report; what only the database knows is missing while it is away."""
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
            return {"webhooks": None, "alarms": [], "missing": []}


def _stored(conn: Connection, now: float) -> dict[str, Any]:
    waiting = delivery_log.backlog(conn, through=sequence(conn).last)
    webhooks = asdict(waiting) | {"oldest": None if waiting.oldest is None else max(0, round(now - waiting.oldest))}
    listed = alarms.list_alarms(conn, ended_since=now - RECENT)
    missing = [_missing(each) for each in list_missed(conn)[:LISTED]]
    return {"webhooks": webhooks, "alarms": [_alarm_row(alarm) for alarm in listed], "missing": missing}


def _missing(each: MissedMatch) -> dict[str, Any]:
    """A match without the liveblog that a rule should have made."""
    return {
        "organization": each.organization_id,
        "rule": each.rule,
        "provider": each.provider,
        "match": each.match_id,
        "teams": each.title,
        "kickoff": each.kickoff,
        "reason": reason_text(each.reason, each.word),
        "since": each.since,
    }


def _alarm_row(alarm: Alarm) -> dict[str, Any]:
    ended = None if alarm.ended_at is None else int(alarm.ended_at)
    return {"kind": alarm.kind, "message": alarm.message, "beganAt": int(alarm.began_at), "endedAt": ended}


def match_rows(followers: Followers, clock: Callable[[], float]) -> list[dict[str, Any]]:
    """The matches that this process follows. Times are Unix seconds, `age` and `nextPoll` seconds, delays milliseconds."""
    now, steady = clock(), monotonic()
    ranked = sorted(
        followers.matches,
        key=lambda match: (
            not (match.silent or match.failures or match.failed),
            not match.status.running,
            match.match_id,
        ),
    )
    return [_match(match, followers.limiters[match.endpoint].name, now, steady) for match in ranked[:LISTED]]


def last_answers(followers: Followers) -> dict[str, float]:
    """When each match had its last good answer (Unix seconds), by the id of its follow; unchanged ones are not stored."""
    return {match.id: match.good_at for match in followers.matches if match.good_at is not None}


def _match(match: FollowedMatch, endpoint: str, now: float, steady: float) -> dict[str, Any]:
    return {
        "match": match.match_id,
        "endpoint": endpoint,
        "status": match.status.value,
        "silent": match.silent,
        "failures": match.failures,
        "pending": match.pending,
        "standingStill": len(match.failed),
        "lastGood": None if match.good_at is None else int(match.good_at),
        "age": None if match.good_at is None else max(0, round(now - match.good_at)),
        "lastChange": None if match.changed_at is None else int(match.changed_at),
        "nextPoll": None if match.busy else max(0, round(match.due - steady)),
        **match.delays.report(),
    }


def endpoint_rows(followers: Followers, clock: Callable[[], float]) -> list[dict[str, Any]]:
    """The endpoints of this process, and how they answer."""
    now = clock()
    return [_endpoint(key, limiter, followers, now) for key, limiter in followers.limiters.items()]


def _endpoint(key: str, limiter: EndpointLimiter, followers: Followers, now: float) -> dict[str, Any]:
    age = limiter.answered_ago()
    return {
        "name": limiter.name,
        "state": "ok" if limiter.lost is None else "lost",
        "cause": limiter.lost,
        "demand": round(limiter.demand, 3),
        "matches": sum(match.endpoint == key for match in followers.matches),
        "lastGood": None if age is None else int(now - age),
        "age": None if age is None else round(age),
        **followers.pollers[key].counts.delays.report(),
    }
