"""A match of several sources, as a chain of pairs: each standby is the second source of a pair; those before it are the first.

So there is one rule, that of two sources, and it is applied as often as a match has standbys: keys, lead and differences are
known of each pair. A source's place is 0 for the first one, and for a standby its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mapping.fusion.disagreements import Disagreement
from mapping.fusion.fused_match import SourceName
from mapping.fusion.leading_source import Lead, SourceHealth
from mapping.fusion.source_pair import PairRules, PairState, fuse_pair, is_due, lasting, look
from mapping.match.match import Match

States = Sequence[PairState]


class Leading(NamedTuple):
    """The place of the source that leads all others, since when and why."""

    place: int
    lead: Lead


class PlacedDifference(NamedTuple):
    """What two sources contradict each other in: `before` is the place of the one that led those before `standby`'s."""

    before: int
    standby: int
    what: Disagreement
    since: float


def fuse_sources(
    states: States, first: Match, others: Iterable[Match], rules: Iterable[PairRules], now: float
) -> tuple[Match, tuple[PairState, ...]]:
    """What is believed of the match, and what is known of each pair from now on; who leads is decided elsewhere."""
    match = first
    after: list[PairState] = []
    for state, other, rule in zip(states, others, rules, strict=True):
        before = after[-1] if after else None
        match, known = fuse_pair(state, match, _as_far_as(match, other), rule, now, before=before)
        after.append(known)
    return match, tuple(after)


def _as_far_as(match: Match, other: Match) -> Match:
    """The match of a source; one of which nothing is known is no further and no less far than the others have it."""
    return other if other.sides or other.incidents else replace(other, status=match.status, clock=match.clock)


def look_at_sources(
    states: States, health: Sequence[SourceHealth], rules: Iterable[PairRules], now: float
) -> tuple[PairState, ...]:
    """The states with the leads as they are to be at this moment; `health`: how each source answers, by its place.

    One lead changes at a time: what a new leader brings may be what the sources after it were missing.
    """
    leader, changed = health[0], False
    found: list[PairState] = []
    for state, own, rule in zip(states, health[1:], rules, strict=True):
        after = state if changed else look(state, {"first": leader, "second": own}, rule, now)
        changed = changed or after.lead.source != state.lead.source
        leader = own if after.lead.source == "second" else leader
        found.append(after)
    return tuple(found)


def any_due(states: States, rules: Iterable[PairRules], now: float) -> bool:
    """Whether time alone changes what is believed."""
    return any(is_due(state, rule, now) for state, rule in zip(states, rules, strict=True))


def leader_of(states: States) -> int:
    """The place of the source that leads: the last one that leads those before it."""
    return max((place for place, state in enumerate(states, 1) if state.lead.source == "second"), default=0)


def who_leads(states: States) -> Leading:
    """Who leads, since when and why."""
    place = leader_of(states)
    lead = states[max(place, 1) - 1].lead
    return Leading(place, replace(lead, since=max(each.lead.since for each in states[max(place, 1) - 1 :])))


def lead_changes(states: States) -> list[Leading]:
    """Who has led since when and why, the present leader last."""
    steps = [(place, lead) for place, state in enumerate(states, 1) for lead in state.changes]
    sources: dict[int, SourceName] = {}
    found: list[Leading] = []
    before = 0
    for place, lead in sorted(steps, key=lambda step: step[1].since):
        sources[place] = lead.source
        now = max((each for each, source in sources.items() if source == "second"), default=0)
        if now != before:
            found.append(Leading(now, lead))
        before = now
    return found


def does_answer(states: States, place: int) -> bool:
    """Whether the source at this place answered at the last look."""
    return "first" not in states[0].dead if place == 0 else "second" not in states[place - 1].dead


def is_running(states: States) -> bool:
    """Whether the match runs, as one of its sources says."""
    return any(state.running for state in states)


def held_goals(states: States) -> frozenset[str]:
    """Keys of the goals that one source alone has, and that wait for another one."""
    return frozenset(states[-1].held) if states else frozenset()


def lasting_differences(states: States) -> list[PlacedDifference]:
    """The differences that count, of all pairs."""
    return [
        PlacedDifference(leader_of(states[: place - 1]), place, each.what, each.since)
        for place, state in enumerate(states, 1)
        for each in lasting(state)
    ]


def pins(standbys: int, place: int | None) -> list[SourceName | None]:
    """What is pinned of each pair so that the source at this place leads; None: whichever is well."""
    if place is None:
        return [None] * standbys
    return ["first" if each > place else "second" if each == place else None for each in range(1, standbys + 1)]


def pinned_place(pinned: Sequence[SourceName | None]) -> int | None:
    """The place of the source that a person has chosen, by what is pinned of each pair."""
    chosen = max((place for place, each in enumerate(pinned, 1) if each == "second"), default=0)
    return chosen if chosen or "first" in pinned else None
