"""Circuit breaker of an endpoint: pure rules from the outcomes of its polls, one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

ASK_AGAIN = 0.5
"""Seconds after which a match looks again whether the trial of another one went well."""


REFUSED = 600.0
"""Seconds after which a provider that refuses our credentials is requested again."""


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


def wait(circuit: Circuit, now: float) -> float:
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
