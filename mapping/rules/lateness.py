"""Says why a post was late: where the time went between the provider's instant of the event and its publication."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

NOTHING = 0.5
"""Seconds below which nobody was late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """Where the seconds went. What is not known is None; none of them is below 0.

    `provider`: its answers did not say it yet; `between`: between two answers, where it may have said it at any time; `waited`:
    for another answer that says the same; `written`: from then until readers could have it. `total`: from the provider's own
    time until then, below 0 where its clock is ahead.
    """

    provider: float | None
    between: float | None
    waited: float
    written: float | None
    total: float | None
    followed: bool = True
    """Whether there was an answer before the one that said it."""


class Whose(StrEnum):
    """Whose time it was that a post took."""

    PROVIDER = "provider"
    POLLING = "polling"
    CONFIRMATION = "confirmation"
    US = "us"
    NOBODY = "nobody"
    CLOCK = "clock"
    BEFORE = "before"


ANSWERS = {
    Whose.PROVIDER: "provider",
    Whose.POLLING: "provider or us, between two polls",
    Whose.CONFIRMATION: "confirmation",
    Whose.US: "us",
    Whose.NOBODY: f"nobody: nothing took {NOTHING} s",
    Whose.CLOCK: "nobody: the provider's clock is {ahead:.3f} s ahead of ours",
    Whose.BEFORE: "nobody: it was said before the match was followed",
}
"""How the one line begins."""


def lateness(*, said: int | None, unsaid: int | None, answered: int, believed: int, committed: int | None) -> Lateness:
    """Where the time went between these instants (milliseconds)."""
    silent = None if said is None or unsaid is None else max(0, min(unsaid, answered) - said)
    began = max((each for each in (said, unsaid) if each is not None), default=None)
    return Lateness(
        provider=None if silent is None else silent / 1000,
        between=None if began is None else max(0, answered - began) / 1000,
        waited=max(0, believed - answered) / 1000,
        written=None if committed is None else max(0, committed - believed) / 1000,
        total=None if said is None or committed is None else (committed - said) / 1000,
        followed=unsaid is not None,
    )


def whose(found: Lateness) -> Whose:
    """Who took the longest part, where any part took long."""
    if found.total is not None and found.total < 0:
        return Whose.CLOCK
    parts = (
        (found.provider, Whose.PROVIDER),
        (found.between, Whose.POLLING if found.followed else Whose.BEFORE),
        (found.waited, Whose.CONFIRMATION),
        (found.written, Whose.US),
    )
    seconds, owner = max(((each or 0.0, who) for each, who in parts), key=lambda part: part[0])
    return owner if seconds >= NOTHING else Whose.NOBODY


def verdict(found: Lateness) -> str:
    """Whose time it was, in one line that begins with the answer and goes on with all parts."""
    between = ("between two polls", "it may have been said at any time in them")
    polls = between if found.followed else ("before the first answer", "nobody had looked")
    parts = (
        ("provider", found.provider, "its answers did not say it yet"),
        (polls[0], found.between, polls[1]),
        ("confirmation", found.waited, "until it counted"),
        ("us", found.written, "to write it"),
    )
    details = "; ".join(f"{who} {seconds:.3f} s: {what}" for who, seconds, what in parts if seconds is not None)
    return f"{ANSWERS[whose(found)].format(ahead=-(found.total or 0.0))} ({details})"


def iso_instant(at: int | None) -> str | None:
    """The instant (Unix milliseconds) in ISO 8601, UTC, with milliseconds; None where there is none."""
    if at is None:
        return None
    exact = datetime.fromtimestamp(at // 1000, UTC).replace(microsecond=at % 1000 * 1000)
    return exact.isoformat(timespec="milliseconds").replace("+00:00", "Z")
