"""How a webhook delivery is retried, and when a subscription is given up: the interface's state machine as pure functions.

A *round* is a first try and up to three quick ones; the interface calls it a delivery attempt. Times are Unix seconds of
a clock that does not jump, durations are seconds. Beside them: which versions of a liveblog belong together, as a restored
database goes on far ahead of all that was ever given.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

DAY = 86_400.0


SPAN = 100_000
"""Versions that a restored liveblog has before it could reach those of a restore a second later."""


class Verdict(Enum):
    """What one try of a delivery came to."""

    TAKEN = "taken"
    PASSING = "passing"
    """Network error, time-out, 5xx, or an address that may not be called: may be over in a moment."""
    REFUSED = "refused"
    """Any other response: the round is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The numbers of the interface; tests may choose others."""

    quick: int = 3
    quick_min: float = 0.1
    quick_max: float = 0.9
    gap: float = 600.0
    longest_gap: float = 3600.0
    """Longest that a receiver may put the next round off by `Retry-After`."""
    rounds: int = 12
    failures: int = 10
    worn_after: float = 7 * DAY


PLAN = Plan()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Failed rounds in a row, and when the first and the latest of them ended."""

    failures: int = 0
    since: float | None = None
    latest: float | None = None
    disabled: bool = False


def verdict(status: int | None) -> Verdict:
    """What an answer with this status means; None stands for a network error or a time-out."""
    if status is None or 500 <= status <= 599:
        return Verdict.PASSING
    return Verdict.TAKEN if 200 <= status <= 299 else Verdict.REFUSED


def quick_pause(plan: Plan, result: Verdict, *, tries: int, left: float, jitter: float) -> float | None:
    """Seconds until the next quick try after `tries` in this round; None when the round is over.

    `left`: what is left of the round's time; `jitter` in [0, 1) spreads receivers that fail together.
    """
    if result is not Verdict.PASSING or tries > plan.quick:
        return None
    pause = plan.quick_min + (plan.quick_max - plan.quick_min) * jitter
    return pause if pause < left else None


def next_round(plan: Plan, *, rounds: int, now: float, retry_after: float | None = None) -> float | None:
    """When to try again after the `rounds`-th round failed at `now`; None when the message is given up.

    `retry_after` is what a 429 or 503 demanded: it may put the round off, never bring it forward.
    """
    if rounds >= plan.rounds:
        return None
    return now + max(plan.gap, min(retry_after or 0.0, plan.longest_gap))


def after(plan: Plan, health: Health, *, success: bool, now: float) -> Health:
    """The health after one more round; ten failures in a row over at least seven days disable a subscription.

    A clock that went backwards shortens the span and never lengthens it.
    """
    if success:
        return Health()
    since = now if health.since is None else min(health.since, now)
    failures = health.failures + 1
    worn_out = failures >= plan.failures and now - since >= plan.worn_after
    return Health(failures=failures, since=since, latest=now, disabled=worn_out)


def expected_seconds(before: float | None, took: float) -> float:
    """Seconds that the next round is likely to take, after one that `took` so long; `before` it so many, None: unknown."""
    return took if before is None else (before + took) / 2


def far(plan: Plan, now: float) -> float:
    """Later than any plan puts a round.

    What is planned for later still was planned by a clock that has been set back since, and is due.
    """
    return now + plan.longest_gap


def first_after_restore(at: int) -> int:
    """The version, and the delivery number, with which a database goes on that is restored at `at` (Unix seconds)."""
    return at * SPAN


def known_since(since: int, version: int) -> int:
    """The version after which a reader that has `since` wants to know what changed; 0 where it has to begin anew.

    That is so for a version of the future, and for one of before a restore.
    With version 9, `since` 5 stays 5, and 12 becomes 0.
    """
    return since if since <= version and since // SPAN == version // SPAN else 0
