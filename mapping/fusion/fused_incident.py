"""One incident of two sources: what the leading one says of it, and what it lacks from the other one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mapping.fusion.paired_incidents import CAPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mapping.match import Incident

FILLED = ("phase", "side", "score", "method", "team", "detail")
"""Fields that come from the other source where the leading one has none, each by itself."""


def fused_incident(key: str, leading: Incident | None, other: Incident | None, *, dated: Incident | None) -> Incident:
    """The incident under the match's key. One of both sources has it. `dated`: the one whose time it keeps, whoever leads.

    | field | whose |
    |---|---|
    | kind, minute, order | the leading source's |
    | minute with added time | of whoever has the added time, where the leading one stands still at the end of a phase |
    | people | the leading source's, and roles that it names nobody for |
    | phase, side, score, method, team, detail | the leading source's, the other's where it has none |
    | time | the first source's, whoever leads: posts stay in their order |
    """
    one, two = (leading, other) if leading is not None else (other, None)
    if one is None:
        raise ValueError(key)
    if two is not None:
        one = _with_lacking(one, two)
    if dated is not None and dated.created_at is not None:
        one = replace(one, created_at=dated.created_at, synthesised=dated.synthesised)
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
    return tuple(sorted(incidents, key=_when))


def _when(incident: Incident) -> tuple[int, int, int, int]:
    return incident.phase or 0, incident.minute or 0, incident.added or 0, incident.order
