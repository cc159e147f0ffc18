"""One incident of two sources: what both have is the first one's, what they disagree about the leading one's."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from mapping.fusion.paired_incidents import CAPS, agree, is_shared
from mapping.match.match import Incident

FILLED = ("phase", "side", "score", "method", "team", "detail")
"""Fields that come from the other source where one has none, each by itself."""


def fused_incident(
    key: str, first: Incident | None, second: Incident | None, known: AbstractSet[str], *, second_leads: bool
) -> Incident:
    """The incident under the match's key. One of both sources has it. `known`: ids of the first one's people.

    | field | whose |
    |---|---|
    | all of a whistle, and of what both agree about | the first source's, so that nothing changes with the lead |
    | kind, where one calls it an own goal, or a red card a second yellow one | the first source's |
    | anything else | the leading source's |
    | minute with added time | of whoever has the added time, where the other one stands still at the end of a phase |
    | what it lacks: roles, phase, side, score, method, team, detail | the other source's |
    | time | the first source's: posts stay in their order |
    """
    if first is None or second is None:
        alone = first or second
        if alone is None:
            raise ValueError(key)
        return replace(alone, key=key)
    if not second_leads or is_shared(first.key) or agree(first, second, known):
        one, reviewed = _with_lacking(first, second), (second if second_leads else first).under_review
        return replace(one, key=key, under_review=reviewed)
    one = _with_lacking(second, first)
    if first.created_at is not None:
        one = replace(one, created_at=first.created_at, synthesised=first.synthesised)
    return replace(one, key=key)


def _with_lacking(one: Incident, two: Incident) -> Incident:
    roles = {each.role for each in one.people}
    more = tuple(each for each in two.people if each.role not in roles)
    lacking: dict[str, Any] = {name: getattr(two, name) for name in FILLED if getattr(one, name) is None}
    minutes: dict[str, Any] = {"minute": two.minute, "added": two.added} if _knows_better(one, two) else {}
    time: dict[str, Any] = {"created_at": two.created_at} if one.created_at is None else {}
    return replace(one, people=(*one.people, *more) if one.people else two.people, **lacking, **minutes, **time)


def _knows_better(one: Incident, two: Incident) -> bool:
    """Whether the other source alone has a minute, or the added time of one that stands still."""
    cap = CAPS.get(one.phase or two.phase or 0)
    stands_still = one.minute == cap == two.minute and not one.added
    return (one.minute is None and two.minute is not None) or bool(stands_still and two.added)


def in_order(incidents: Iterable[Incident]) -> tuple[Incident, ...]:
    """The incidents as they happened: those of one minute as their sources have them."""
    return tuple(sorted(incidents, key=lambda each: (each.phase or 0, each.minute or 0, each.added or 0, each.order)))
