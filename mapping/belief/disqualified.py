"""Who stood on the podium and is disqualified: the posts of the end and of the podium name the next ones, and say why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.match.match import Involved

if TYPE_CHECKING:
    from collections.abc import Collection

    from mapping.match.match import Incident, Match

DISQUALIFIED = "disqualified"
"""The role of somebody who has lost a place on the podium, and the variant of the sentences that say so."""
PODIUM = frozenset({"first", "second", "third", DISQUALIFIED})


def with_disqualified(before: Match, answer: Match) -> Match:
    """The answer, in which incidents that named somebody on the podium `before` name them as disqualified, where they are."""
    ranking = answer.race.ranking if answer.race is not None else ()
    out = {place.person.ext_id for place in ranking if place.disqualified and place.person is not None}
    if not out:
        return answer
    lost = {each.key: [who for who in each.people if _has_lost(who, out)] for each in before.incidents}
    named = [_naming(each, lost.get(each.key, ())) for each in answer.incidents]
    return replace(answer, incidents=tuple(named))


def _has_lost(who: Involved, out: Collection[str]) -> bool:
    return who.role in PODIUM and who.person.ext_id in out


def _naming(incident: Incident, lost: Collection[Involved]) -> Incident:
    """The incident with the first of these people besides those whom it names itself."""
    there = {who.person.ext_id for who in incident.people}
    added = [
        Involved(role=DISQUALIFIED, person=who.person, team=who.team) for who in lost if who.person.ext_id not in there
    ]
    return replace(incident, people=(*incident.people, *added[:1]), method=DISQUALIFIED) if added else incident
