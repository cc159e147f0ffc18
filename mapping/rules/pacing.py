"""When to look at a match again: pure rules from its state, its kick-off and the provider's cache."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from mapping.match.match import Status

STALLED_AFTER = 8 * 3600
"""Seconds after kick-off, or after the last change where that is later, at which a running match counts as stalled.

Its provider never ended it. The scheduled kick-off alone says nothing: a race lasts 24 hours, rain delays a match for a day.
"""

JUST_AFTER = 0.05
"""Seconds after the expiry of a cache at which a fresh response can be expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollIntervals:
    """The intervals of `[polling]`, in seconds; config/default.toml explains each."""

    live: float
    pause: float
    far: float
    before: float
    before_window: float
    after: float
    after_growth: float
    after_max: float
    after_window: float
    backoff_max: float
    honour_max_age: bool


def interval(
    pace: PollIntervals, status: Status, *, now: float, kickoff: float | None, changed_at: float | None, pending: bool
) -> float | None:
    """Seconds until the next poll of a match in this state; None once the window after the end is over.

    `kickoff` is the scheduled one as the provider says it now, `changed_at` when a response last brought something new
    (Unix seconds). `pending`: something waits to be confirmed, so that the live interval holds, after the end too, unless
    nobody has confirmed it in all that window: then the provider does not answer any more.
    """
    quiet = quiet_for(now, changed_at)
    if pending and not (status.over and quiet >= max(pace.after_window, pace.after_max)):
        return pace.live
    if status.over:
        return _after(pace, quiet)
    if status.running:
        stalled = quiet_for(now, kickoff, changed_at) > STALLED_AFTER
        return pace.before if stalled else pace.pause if status is Status.BREAK else pace.live
    if status is Status.POSTPONED or kickoff is None:
        return pace.far
    return _before(pace, kickoff - now, quiet_for(now, kickoff, changed_at))


def quiet_for(now: float, *instants: float | None) -> float:
    """Seconds since the latest of these Unix seconds; 0 where none is known, or the latest is still to come."""
    return max(0.0, now - max((each for each in instants if each is not None), default=now))


def _before(pace: PollIntervals, ahead: float, quiet: float) -> float:
    """Rarely while kick-off is far, more often in the window before it, at the live interval once it is due.

    One that is late keeps the live interval as long as its provider says something about it.
    """
    if ahead > pace.before_window:
        return min(pace.far, ahead - pace.before_window)
    if ahead > 0:
        return max(min(pace.before, ahead), pace.live)
    return pace.live if quiet < pace.before_window else pace.before


def _after(pace: PollIntervals, elapsed: float) -> float | None:
    """Each interval is `after_growth` times the one before: the k-th starts after a geometric sum, hence linear in time."""
    if elapsed >= pace.after_window:
        return None
    return min(pace.after + elapsed * (pace.after_growth - 1), pace.after_max)


def align(pace: PollIntervals, wait: float, fresh_for: float | None) -> float:
    """Meet the provider's cache just after it expires, without stretching the interval (unless `honour_max_age`)."""
    if fresh_for is None:
        return wait
    expiry = fresh_for + JUST_AFTER
    if pace.honour_max_age:
        return max(wait, expiry)
    return expiry if wait / 2 <= expiry <= wait else wait


def backoff(
    pace: PollIntervals, wait: float, *, failures: int, jitter: float, retry_after: float | None = None
) -> float:
    """Seconds to stay away after so many failures in a row; `jitter` in [0, 1) spreads matches that fail together."""
    doubled = min(pace.backoff_max, wait * 2.0 ** min(failures - 1, 16))
    spread = max(wait, doubled) * (0.75 + 0.5 * jitter)
    return spread if retry_after is None else max(spread, min(max(retry_after, 1.0), 3600.0))


def phase(match_id: str, wait: float) -> float:
    """Where in an interval a match is polled first, so that matches that start together are not polled together."""
    return int.from_bytes(sha256(match_id.encode()).digest()[:4], "big") / 2**32 * wait
