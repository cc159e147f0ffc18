"""From event rows to incidents: goals, cards, missed penalties and substitutions, with the players' roles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mapping.match import Incident, Involved, Person, Score
from providers.heim.catalog import PERIODS, event_type
from providers.heim.clock import phases
from providers.heim.events import Event, lookup
from providers.heim.substitutions import IN, pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SCORE = re.compile(r"([0-9]{1,2}):([0-9]{1,2})", re.ASCII)
FIRST_ROLE = {"soccer.goal": "scorer", "soccer.own-goal": "scorer", "soccer.substitution": "in"}
UNSPECIFIED = "goal"
"""The kind of a goal of which nobody has said yet how it was scored."""


def incidents(events: tuple[Event, ...], names: Mapping[str, str]) -> tuple[Incident, ...]:
    """All incidents but the period markers; an `out` without its `in` waits."""
    leaving, known = pairs(events), lookup(events)
    phase = phases([(event.id, event.minute, event.kind if event.action == "match" else None) for event in events])
    return tuple(
        _incident(event, kind, phase.get(event.id), leaving.get(event.id), known)
        for event in events
        if (kind := type_of(event, names)) is not None
    )


def type_of(event: Event, names: Mapping[str, str]) -> str | None:
    """The event type of a row that is an incident of its own."""
    if event.word == ("pso", "miss"):
        return names["pso_miss"] or None
    return event_type(event.action, event.kind)


def _incident(
    event: Event, kind: str, phase: int | None, leaving: Event | None, known: Callable[[Person | None], Person | None]
) -> Incident:
    return Incident(
        key=f"incident:{event.id}",
        kind=kind,
        order=event.position,
        minute=event.minute or None,
        added=event.added,
        phase=event.period or phase,
        side=event.side,
        people=tuple(
            Involved(role=role, person=who)
            for role, person in _roles(event, kind, leaving)
            if (who := known(person)) is not None
        ),
        score=score_of(event.content) if event.action == "goal" else None,
        method=_method(event),
        created_at=event.created_at,
    )


def _method(event: Event) -> str | None:
    """How a goal was scored; of a missed kick, that it belonged to the shoot-out."""
    if event.action == "goal":
        return event.kind if event.kind not in ("", UNSPECIFIED) else None
    return "shootout" if event.action == "pso" else None


def _roles(event: Event, kind: str, leaving: Event | None) -> tuple[tuple[str, Person | None], ...]:
    """Who did what: the second person of a penalty was fouled, that of any other goal gave the pass."""
    first = (FIRST_ROLE.get(kind, "player"), event.person)
    if event.word == IN:
        return (first, ("out", leaving.person if leaving is not None else None))
    if kind == "soccer.goal":
        return (first, ("fouled" if event.kind == "penalty" else "assist", event.additional))
    return (first,)


def score_of(content: str | None) -> Score | None:
    """`"2:1"` as a score, None for anything else."""
    found = SCORE.fullmatch(content or "")
    return Score(int(found[1]), int(found[2])) if found else None


def incident_keys(events: Iterable[Event], names: Mapping[str, str]) -> Mapping[str, str]:
    """Event id → key of the incident that the row belongs to: its own, its period's or that of its substitution."""
    rows = tuple(events)
    own = {event.id: f"incident:{event.id}" for event in rows if type_of(event, names) is not None}
    halves = {leaving.id: own[entering] for entering, leaving in pairs(rows).items()}
    markers = {event.id: PERIODS[event.kind].key for event in rows if event.action == "match"}
    return {**own, **halves, **markers}
