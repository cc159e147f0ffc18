"""Which of two sources of a match leads: the standby takes over when the leading one fails, and gives back after a quiet time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mapping.fusion.fused_match import OTHER, SourceName


class Reason(StrEnum):
    """Why a source leads."""

    FIRST = "first"
    """It is the one that the match was made from, and well."""
    PINNED = "pinned"
    """A person has chosen it."""
    REFUSED = "refused"
    """The other one does not take the credentials."""
    FAILING = "failing"
    """The other one answers with errors."""
    SILENT = "silent"
    """The other one has not answered for too long."""
    STALLED = "stalled"
    """The other one answers and stands still, while this one goes on."""
    IMPLAUSIBLE = "implausible"
    """The other one took a step that cannot be: a score down without a correction, a clock that has stopped."""


DEAD = frozenset({Reason.REFUSED, Reason.FAILING, Reason.SILENT})
"""Troubles of a source that does not answer."""
GRAVITY: Mapping[Reason | None, int] = {None: 0, Reason.IMPLAUSIBLE: 1, Reason.STALLED: 2, **dict.fromkeys(DEAD, 3)}
"""How bad a trouble is: a source that answers is better than one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceHealth:
    """What is known of one source of a running match. Times are Unix seconds.

    `answered_at`: its last good answer; `attentive_since`: since when its process could have had one; `polled_every`: seconds
    between two of its polls. `behind_since`: since when it lacks something that the other one has, None where it does not.
    `implausible_since`: since when it says something that cannot be.
    """

    answered_at: float | None
    attentive_since: float = 0.0
    polled_every: float = 0.0
    refused: bool = False
    failing: bool = False
    behind_since: float | None = None
    implausible_since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadRules:
    """Seconds: without an answer, behind the other one, with something implausible; and well before it leads again."""

    silence: float
    stall: float
    implausible: float
    quiet_time: float

    def early(self) -> LeadRules:
        """By which a source is in danger of losing the lead: half the time has passed."""
        return replace(self, silence=self.silence / 2, stall=self.stall / 2, implausible=0.0)

    def sooner(self, seconds: float) -> LeadRules:
        """By which a source has lost the lead when its time is up, whoever looks every so many seconds."""
        return replace(self, silence=max(0.0, self.silence - seconds), stall=max(0.0, self.stall - seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The source that leads, since when (Unix seconds), and why. `well_since`: since when the first source has been well again."""

    source: SourceName = "first"
    since: float = 0.0
    reason: Reason = Reason.FIRST
    well_since: float | None = None


def wrong_with(health: SourceHealth, rules: LeadRules, now: float) -> Reason | None:
    """Why a source must not lead; None where it is well."""
    if health.refused:
        return Reason.REFUSED
    if health.failing:
        return Reason.FAILING
    if now - max(health.attentive_since, health.answered_at or 0.0) > rules.silence + health.polled_every:
        return Reason.SILENT
    if _longer(health.behind_since, rules.stall, now):
        return Reason.STALLED
    return Reason.IMPLAUSIBLE if _longer(health.implausible_since, rules.implausible, now) else None


def next_lead(
    lead: Lead,
    health: Mapping[SourceName, SourceHealth],
    now: float,
    *,
    rules: LeadRules,
    pinned: SourceName | None = None,
) -> Lead:
    """Who leads from now on: the other source where its trouble is less bad, the first one once it has been well for a while.

    `since` is when the leader changed, whatever the reason is. `pinned`: a person's choice.
    """
    if pinned is not None:
        since = lead.since if lead.source == pinned else now
        return Lead(source=pinned, since=since, reason=Reason.PINNED)
    wrong = {name: wrong_with(each, rules, now) for name, each in health.items()}
    well_since = now if lead.well_since is None else lead.well_since
    lead = replace(lead, well_since=None if wrong["first"] else well_since)
    trouble, standby = wrong[lead.source], OTHER[lead.source]
    if trouble is not None and GRAVITY[wrong[standby]] < GRAVITY[trouble]:
        return replace(lead, source=standby, since=now, reason=trouble)
    if lead.source == "second" and _longer(lead.well_since, rules.quiet_time, now):
        return replace(lead, source="first", since=now, reason=Reason.FIRST)
    return replace(lead, reason=Reason.FIRST) if lead.source == "first" else lead


def _longer(since: float | None, allowed: float, now: float) -> bool:
    return since is not None and now - since > allowed
