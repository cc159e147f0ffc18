"""When to look at a match again: pure rules from its state, its kick-off and the provider's cache.

Beside them what slows an endpoint down: the circuit breaker, the token bucket of a rate limit, and `Retry-After`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from enum import StrEnum
from hashlib import sha256
from math import inf

from mapping.match.match import Status

STALLED_AFTER = 8 * 3600
"""Seconds after kick-off, or after the last change where that is later, at which a running match counts as stalled.

Its provider never ended it. The scheduled kick-off alone says nothing: a race lasts 24 hours, rain delays a match for a day.
"""

JUST_AFTER = 0.05
"""Seconds after the expiry of a cache at which a fresh response can be expected."""


ASK_AGAIN = 0.5
"""Seconds after which a match looks again whether the trial of another one went well."""
REFUSED = 600.0
"""Seconds after which a provider that refuses our credentials is requested again."""


_SECONDS = re.compile(r"[+-]?[0-9]{1,12}", re.ASCII)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitBreakerConfig:
    """`breaker_after` failures in a row open the circuit, if the row lasts `lasting` seconds; then nothing for `breaker_pause`.

    The row has to last, so that a few broken matches that happen to be polled one after the other take nobody with them.
    `refused`: the pause where the provider refuses our credentials.
    """

    breaker_after: int
    breaker_pause: float
    refused: float = REFUSED
    lasting: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """What is known of an endpoint. All instants are monotonic seconds.

    `until`: no poll before; `open`: it counts as lost; `trial`: the one poll that is allowed then is under way;
    `good_at`: the last good response; `failures`: those in a row since then, the first of them at `since`.
    """

    open: bool = False
    trial: bool = False
    until: float = -inf
    good_at: float = -inf
    failures: int = 0
    since: float = 0.0


def pause_left(circuit: Circuit, now: float) -> float:
    """Seconds until a match of the endpoint may be polled, 0 for now."""
    if now < circuit.until:
        return circuit.until - now
    return ASK_AGAIN if circuit.trial else 0.0


def start_poll(circuit: Circuit) -> Circuit:
    """A poll starts; while the circuit is open it is the trial."""
    return replace(circuit, trial=True) if circuit.open else circuit


def note_success(circuit: Circuit, now: float) -> Circuit:
    """A good response closes the circuit; a pause that the provider requested stays."""
    return Circuit(good_at=now, until=-inf if circuit.open else circuit.until)


def note_failure(
    rule: CircuitBreakerConfig, circuit: Circuit, *, began: float, now: float, refused: bool = False
) -> Circuit:
    """A poll that started at `began` failed now.

    It says nothing of the endpoint where a poll of another match succeeded in the meantime.
    """
    pause = rule.refused if refused else rule.breaker_pause
    if circuit.open:
        return replace(circuit, trial=False, until=max(circuit.until, now + pause)) if circuit.trial else circuit
    if began < circuit.good_at:
        return circuit
    since = circuit.since if circuit.failures else now
    row = replace(circuit, failures=circuit.failures + 1, since=since)
    if row.failures < rule.breaker_after or (rule.breaker_after > 1 and now - since < rule.lasting):
        return row
    return replace(row, open=True, until=max(circuit.until, now + pause))


def note_abandoned(circuit: Circuit) -> Circuit:
    """A poll ended without any response of the provider (we stopped it): if it was the trial, another may try."""
    return replace(circuit, trial=False)


def note_pause(circuit: Circuit, *, now: float, seconds: float) -> Circuit:
    """The provider asks for a pause: that holds for all of the endpoint, from 1 s to 1 h."""
    return replace(circuit, until=max(circuit.until, now + min(max(seconds, 1.0), 3600.0)))


class LostProviderCode(StrEnum):
    """What kind of failure it is; the alarm's `cause` says it in words, which may change."""

    CREDENTIALS_REFUSED = "credentials_refused"
    UNREACHABLE = "unreachable"


@dataclass(slots=True)
class TokenBucket:
    """Gains `rate` tokens a second and holds `burst` of them at most; it begins full. A `rate` of 0 means no limit.

    `now` is in seconds of a clock that does not go back, the same one in all calls.
    """

    rate: float
    burst: float
    _level: float = field(default=0.0, init=False)
    _at: float = field(default=-inf, init=False)

    def level(self, now: float) -> float:
        """The tokens in it; less than 0 where more was reserved than there was."""
        if not self.rate:
            return self.burst
        self._level, self._at = min(self.burst, self._level + (now - self._at) * self.rate), now
        return self._level

    def wait(self, now: float, tokens: float = 1.0) -> float:
        """Seconds until so many tokens are in it."""
        return max(0.0, tokens - self.level(now)) / self.rate if self.rate else 0.0

    def take(self, now: float) -> bool:
        """Take one token, if there is one."""
        if self.rate and self.level(now) < 1:
            return False
        self._level -= 1
        return True

    def reserve(self, now: float, tokens: float) -> float:
        """Take so many tokens in any case. Seconds until those that were taken before are made up for."""
        wait = self.wait(now, 0.0)
        self._level -= tokens
        return wait


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Seconds from `now` (Unix) that the header asks to wait, negative for a date that is past; None for nonsense.

    The bounds are the caller's: a server may ask for any time at all.
    """
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
