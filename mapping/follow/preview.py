"""What rules make of the days ahead, for those who write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mapping.follow.cost import FullestHours
from mapping.follow.plan import Planned, WhyNot
from mapping.follow.rule import FollowRule


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOutlook:
    """A provider as one or several organizations reach it: the zone of its days, what rules cost there, why its list fails."""

    name: str
    timezone: str
    hours: FullestHours
    allowed: float
    """Requests a second; 0 for any number."""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class RulePreview:
    """The rules, what becomes of the matches of each, and the endpoints by organization and provider."""

    rules: Sequence[FollowRule]
    planned: Sequence[Planned]
    endpoints: Mapping[tuple[str, str], EndpointOutlook]


FAILED = "FAILED"
"""The reason of a match whose creation fails; the word says why."""


def reason_text(reason: str, word: str) -> str:
    """Why a match got no liveblog, in English: the name of a WhyNot, or FAILED.

    >>> reason_text("STATUS", "Sp"), reason_text("FAILED", "the match is away")
    ('the list says Sp, which is not known', 'the match is away')
    """
    return WhyNot[reason].format(word=word) if reason in WhyNot.__members__ else word
