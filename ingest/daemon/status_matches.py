"""What `/status` lists of matches and endpoints: how each is, when it answered last, and how late its posts were."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers

LISTED = 200
"""Matches that are listed, those in trouble first, then those that are running."""


def match_rows(followers: Followers, clock: Callable[[], float]) -> list[dict[str, Any]]:
    """The matches that this process follows. Times are Unix seconds, `age` and `nextPoll` seconds, delays milliseconds."""
    now, steady = clock(), monotonic()
    ranked = sorted(
        followers.matches, key=lambda match: (not _troubled(match), not match.status.running, match.match_id)
    )
    return [_match(match, followers.limiters[match.endpoint].name, now, steady) for match in ranked[:LISTED]]


def last_answers(followers: Followers) -> dict[str, float]:
    """When each match had its last good answer (Unix seconds), by the id of its follow; unchanged ones are not stored."""
    return {match.id: match.good_at for match in followers.matches if match.good_at is not None}


def _troubled(match: FollowedMatch) -> bool:
    return bool(match.silent or match.failures or match.failed)


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
