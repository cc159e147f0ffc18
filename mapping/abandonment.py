"""The last post of a match that was abandoned, which no feed sends as such."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.match import PERIOD_KEY, Incident, Status
from mapping.sports import sport_of
from mapping.wording import ABANDONED

if TYPE_CHECKING:
    from mapping.match import Match


def with_abandonment(answer: Match) -> Match:
    """The match with a last post that says that it was abandoned, where its sport has one; it goes with that status."""
    end = next((kind.id for kind in sport_of(answer).kinds if ABANDONED in kind.variants), None)
    if answer.status is not Status.ABANDONED or end is None:
        return answer
    if end in {each.kind for each in answer.incidents}:
        return replace(answer, incidents=tuple([_abandoned(each, end) for each in answer.incidents]))
    post = Incident(key=f"{PERIOD_KEY}{end}", kind=end, order=len(answer.incidents), method=ABANDONED, synthesised=True)
    return replace(answer, incidents=(*answer.incidents, post))


def _abandoned(incident: Incident, end: str) -> Incident:
    """The end that the feed has sent, unless it says itself how it came about."""
    return replace(incident, method=ABANDONED) if incident.kind == end and incident.method is None else incident
