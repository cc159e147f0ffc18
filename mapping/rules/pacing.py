"""When to look at a match again: pure rules from its state, its kick-off and the provider's cache."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from mapping.match import Status

OVERLONG = 8 * 3600
"""Seconds after kick-off at which a match that was never ended by its provider is no longer looked at as a live one."""

JUST_AFTER = 0.05
"""Seconds after the expiry of a cache at which a fresh answer can be expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The intervals of `[polling]`, in seconds; config/default.toml explains each."""

    live: float = 5.0
    pause: float = 15.0
    far: float = 900.0
    before: float = 60.0
    before_window: float = 3600.0
    after: float = 30.0
    after_growth: float = 1.5
    after_max: float = 3600.0
    after_window: float = 172_800.0
    backoff_max: float = 300.0
    refused: float = 600.0
    honour_max_age: bool = False


def interval(
    pace: Pace, status: Status, *, now: float, kickoff: float | None, over_since: float | None, pending: bool
) -> float | None:
    """Seconds until the next poll of a match in this state; None once the window after the end is over.

    `pending`: something waits to be confirmed, so that the live interval holds, after the end too.
    """
    overlong = kickoff is not None and now - kickoff > OVERLONG
    if pending or (status in {Status.LIVE, Status.SHOOTOUT} and not overlong):
        return pace.live
    if status.running:
        return pace.before if overlong else pace.pause
    if status.over:
        return _after(pace, max(0.0, now - (now if over_since is None else over_since)))
    if status is Status.POSTPONED or kickoff is None:
        return pace.far
    return _before(pace, kickoff - now)


def _before(pace: Pace, ahead: float) -> float:
    """Rarely while kick-off is far, more often in the window before it, at the live interval once it is due."""
    if ahead > pace.before_window:
        return min(pace.far, ahead - pace.before_window)
    if ahead > 0:
        return max(min(pace.before, ahead), pace.live)
    return pace.live if -ahead < pace.before_window else pace.before


def _after(pace: Pace, elapsed: float) -> float | None:
    """Each interval is `after_growth` times the one before: the k-th starts after a geometric sum, hence linear in time."""
    if elapsed >= pace.after_window:
        return None
    return min(pace.after + elapsed * (pace.after_growth - 1), pace.after_max)


def align(pace: Pace, wait: float, fresh_for: float | None) -> float:
    """Meet the provider's cache just after it expires, without stretching the interval (unless `honour_max_age`)."""
    if fresh_for is None:
        return wait
    expiry = fresh_for + JUST_AFTER
    if pace.honour_max_age:
        return max(wait, expiry)
    return expiry if wait / 2 <= expiry <= wait else wait


def backoff(pace: Pace, wait: float, *, failures: int, jitter: float, retry_after: float | None = None) -> float:
    """Seconds to stay away after so many failures in a row; `jitter` in [0, 1) spreads matches that fail together."""
    doubled = min(pace.backoff_max, wait * 2.0 ** min(failures - 1, 16))
    spread = max(wait, doubled) * (0.75 + 0.5 * jitter)
    return spread if retry_after is None else max(spread, min(max(retry_after, 1.0), 3600.0))


def phase(match_id: str, wait: float) -> float:
    """Where in an interval a match is polled first, so that matches that start together do not ask together."""
    return int.from_bytes(sha256(match_id.encode()).digest()[:4], "big") / 2**32 * wait
