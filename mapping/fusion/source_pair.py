"""Two sources of one match over time: what is kept of them between answers, and when to look again.

Everything here is a function of what it is given: both matches, the health of both sources, and the instant (Unix seconds).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mapping.fusion.disagreements import Disagreement, SourceSigns, WhatIsExpected, can_give_whistles, next_signs
from mapping.fusion.fused_match import OTHER, FusedKey, FusedMatch, SourceName, fuse
from mapping.fusion.leading_source import DEAD, Lead, LeadRules, SourceHealth, next_lead, wrong_with
from mapping.fusion.paired_incidents import kind_class
from mapping.match.match import Match

CHANGES = 20
"""Changes of the lead that are known, the latest."""
SETTLED = 120.0
"""Seconds after which the word of a source that has taken the lead is enough: the other one is never so far ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What both sources contradict each other in, since when, and whether both have answered with it twice."""

    what: Disagreement
    since: float
    lasts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairState:
    """What is known of a match's two sources.

    `settled`: the source that leads has led for so long that its word is enough; `running`: the match is, as one of them says.
    `alone`: keys of goals that one source alone has, and since when; `held`: those of them that wait for the other one.
    `dead`: the sources that do not answer; nobody waits for them.
    `changes`: who has led since when and why, the present lead last.
    """

    keys: tuple[FusedKey, ...] = ()
    lead: Lead = field(default_factory=Lead)
    settled: bool = True
    running: bool = False
    first: SourceSigns = field(default_factory=SourceSigns)
    second: SourceSigns = field(default_factory=SourceSigns)
    differences: tuple[Difference, ...] = ()
    alone: tuple[tuple[str, float], ...] = ()
    held: tuple[str, ...] = ()
    dead: tuple[SourceName, ...] = ()
    changes: tuple[Lead, ...] = ()

    def signs(self, source: SourceName) -> SourceSigns:
        """The signs of one source."""
        return self.first if source == "first" else self.second


Health = dict[SourceName, SourceHealth]
"""How each source answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRules:
    """How a pair is treated: by which rules a source leads, and what persons have decided.

    `hold`: seconds for which a goal of one source waits for the other one; `pinned`: the source that is to lead; `named`: people
    who are the same, id in the second source → id in the first one; `kinds`: what each provider gives
    (mapping.fusion.leading_source).
    """

    lead: LeadRules
    hold: float
    pinned: SourceName | None = None
    named: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)


def fuse_pair(
    state: PairState,
    first: Match,
    second: Match,
    rules: PairRules,
    now: float,
    *,
    before: PairState | None = None,
) -> tuple[Match, PairState]:
    """What is believed of the match, and what is known of its sources from now on; who leads is decided elsewhere.

    `before`: what is known of the pair that the first one is itself made of, None where it is one source.
    """
    settled = _is_settled(state, now)
    leads = state.lead.source
    is_alone = OTHER[leads] in state.dead
    fused = fuse(
        first, second, state.keys, leads=leads, settled=settled, alone=is_alone, named=rules.named, kinds=rules.kinds
    )
    known = {each.what: each for each in state.differences}
    since = dict(state.alone)
    alone = {key: since.get(key, now) for key in _alone(fused, first, second, before)}
    waiting = [
        key for key in alone if now - alone[key] < rules.hold and _can_be_said(key, fused, second, state, before)
    ]
    after = replace(
        state,
        keys=fused.keys,
        settled=settled,
        running=first.status.running or second.status.running,
        first=next_signs(state.first, first, second, now, _what_is_expected("first", first, fused, state, rules)),
        second=next_signs(state.second, second, first, now, _what_is_expected("second", second, fused, state, rules)),
        differences=tuple(known.get(each, Difference(what=each, since=now)) for each in sorted(fused.differences)),
        alone=tuple(alone.items()),
        held=tuple(waiting),
    )
    return fused.match, after


def _what_is_expected(
    source: SourceName, own: Match, fused: FusedMatch, state: PairState, rules: PairRules
) -> WhatIsExpected:
    """What a source should have. A standby need not name each goal: it leads only where the other one gives nothing."""
    other, needed = OTHER[source], source in {"first", state.lead.source}
    return WhatIsExpected(
        score=fused.counted[other],
        goals=fused.rows[other] if needed else None,
        named=fused.rows[source],
        whistles=can_give_whistles(rules.kinds, own),
    )


def _alone(fused: FusedMatch, first: Match, second: Match, before: PairState | None) -> list[str]:
    """The goals that one source alone has now."""
    ours, theirs = ({each.key for each in source.incidents} for source in (first, second))
    confirmed = set() if before is None else ours.difference(dict(before.alone))
    several = {row.key for row in fused.keys if row.first in confirmed or (row.first in ours and row.second in theirs)}
    return [each.key for each in fused.match.incidents if kind_class(each) == "goal" and each.key not in several]


def _can_be_said(key: str, fused: FusedMatch, second: Match, state: PairState, before: PairState | None) -> bool:
    """Whether another source answers that lacks the goal now."""
    row = next(each for each in fused.keys if each.key == key)
    theirs = any(each.key == row.second for each in second.incidents)
    lacking: SourceName = "first" if theirs else "second"
    return lacking not in state.dead or (before is not None and row.first in before.held)


def look(state: PairState, health: Health, rules: PairRules, now: float) -> PairState:
    """The state with the lead and the differences as they are to be at this moment; the same where nothing is to be done.

    A standby never takes the lead of a match that does not run, as its sources are polled seldom and fail unnoticed, unless a
    person chooses; it gives it back.
    """
    lead = state.lead
    if state.running or rules.pinned is not None or lead.source == "second":
        signed = {name: _with_signs(each, state.signs(name)) for name, each in health.items()}
        lead = next_lead(lead, signed, now, rules=rules.lead, pinned=rules.pinned)
    dead = tuple(name for name, each in health.items() if wrong_with(each, rules.lead, now) in DEAD)
    lasting = tuple(replace(each, lasts=each.lasts or _lasts(each, health)) for each in state.differences)
    changes = state.changes if lead.source == state.lead.source else (*state.changes, lead)[-CHANGES:]
    return replace(state, lead=lead, dead=dead, differences=lasting, changes=changes)


def is_due(state: PairState, rules: PairRules, now: float) -> bool:
    """Whether time alone changes what is believed: a lead settles, or a goal has waited long enough for the other source."""
    waited = (now - since >= rules.hold for key, since in state.alone if key in state.held)
    return any(waited) or state.settled != _is_settled(state, now)


def _is_settled(state: PairState, now: float) -> bool:
    return now - state.lead.since >= SETTLED


def _with_signs(health: SourceHealth, signs: SourceSigns) -> SourceHealth:
    return replace(health, behind_since=signs.behind_since, implausible_since=signs.implausible_since)


def _lasts(difference: Difference, health: Health) -> bool:
    """Whether both sources have answered again since it was first seen: an answer that removes it would have come.

    The instant of a unit is a whole second, which may be that of the answer itself.
    """
    return all(each.answered_at is not None and each.answered_at > difference.since + 1 for each in health.values())


def lasting(state: PairState) -> tuple[Difference, ...]:
    """The differences that count."""
    return tuple(each for each in state.differences if each.lasts)
