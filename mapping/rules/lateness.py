"""Why a post was late: where the time went between what the provider says happened and what readers could have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    )


def verdict(found: Lateness) -> str:
    """Whose time it was, in one line: the provider's, that between two polls, that of a confirmation, or ours."""
    parts = (
        ("provider", found.provider, "its answers did not say it yet"),
        ("between two polls", found.between, "it may have been said at any time in them"),
        ("confirmation", found.waited, "until it counted"),
        ("us", found.written, "to write it"),
    )
    spent = [(name, seconds, what) for name, seconds, what in parts if seconds is not None]
    name, seconds, _ = max(spent, key=lambda part: part[1])
    details = "; ".join(f"{who} {each:.3f} s: {what}" for who, each, what in spent)
    if found.total is not None and found.total < 0:
        return f"nobody: the provider's clock is {-found.total:.3f} s ahead of ours ({details})"
    if seconds < NOTHING:
        return f"nobody: nothing took {NOTHING} s ({details})"
    return f"{name} ({details})"


def percentiles(samples: Sequence[int]) -> dict[str, int] | None:
    """The median, 95th and 99th percentile of the samples and how many there are; None for none."""
    if not samples:
        return None
    ranked = sorted(samples)
    return {
        **{f"p{part}": ranked[min(len(ranked) - 1, -(-len(ranked) * part // 100) - 1)] for part in (50, 95, 99)},
        "count": len(ranked),
    }


def iso_instant(at: int | None) -> str | None:
    """The instant (Unix milliseconds) in ISO 8601, UTC, with milliseconds; None for none."""
    if at is None:
        return None
    exact = datetime.fromtimestamp(at // 1000, UTC).replace(microsecond=at % 1000 * 1000)
    return exact.isoformat(timespec="milliseconds").replace("+00:00", "Z")
