"""How a match comes to its end: the last post of one that was abandoned, which no feed sends, and the wait for a result."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.belief.goals import LAST_PHASES, SHOOTOUT
from mapping.documents.state import ENDED
from mapping.match.match import PERIOD_KEY, Decided, Incident, Status
from mapping.sports import sport_of

if TYPE_CHECKING:
    from mapping.match.match import Match, Score


def with_abandonment(answer: Match) -> Match:
    """The match with a last post that says that it was abandoned, where its sport has one; it goes with that status."""
    return with_end(answer, Decided.ABANDONED) if answer.status is Status.ABANDONED else answer


def with_end(match: Match, how: Decided) -> Match:
    """The match with a last post, where its sport has one that says how it ended."""
    end = next((kind.id for kind in sport_of(match).kinds if how in kind.variants), None)
    if end is None:
        return match
    method = how if how is Decided.ABANDONED else None
    if end in {each.kind for each in match.incidents}:
        return replace(match, incidents=tuple([_ended(each, end, method) for each in match.incidents]))
    post = Incident(key=f"{PERIOD_KEY}{end}", kind=end, order=len(match.incidents), method=method, synthesised=True)
    return replace(match, incidents=(*match.incidents, post))


def _ended(incident: Incident, end: str, method: Decided | None) -> Incident:
    """The end that the feed has sent, unless it says itself how it came about; an abandonment is no end of a match that went on."""
    if incident.kind != end or incident.method not in {None, Decided.ABANDONED}:
        return incident
    return replace(incident, method=method)


def until_result(before: Match | None, answer: Match) -> Match:
    """The answer as one of a match that goes on, where it is flagged as over and its result is still to come.

    Volunteers set the flag first, and a half-time score alone is no result. Nobody knows its minute then; what is over already
    stays so.
    """
    if answer.status is not Status.FINISHED or answer.decided is not Decided.UNKNOWN:
        return answer
    if before is not None and before.status.over:
        return replace(answer, decided=before.decided, winner=before.winner)
    sport, was = sport_of(answer), before if before is not None and before.status.running else None
    status, clock = Status.LIVE, answer.clock
    if was is not None and was.clock.phase >= clock.phase:
        status, clock = was.status, was.clock
    return replace(
        answer,
        status=status,
        clock=replace(clock, phase_started_at=None),
        score=answer.score or (_sent_in_parts(answer) if was is None else was.score),
        winner=None,
        incidents=tuple([each for each in answer.incidents if sport.kind(each.kind).enters != ENDED]),
    )


def _sent_in_parts(answer: Match) -> Score | None:
    """The furthest score that stands beside a goal or a part of the match."""
    goals = [each.score for each in answer.incidents if each.score is not None and each.method != SHOOTOUT]
    parts = [part.score for part in answer.periods if part.title in LAST_PHASES]
    return max((*goals, *parts), key=lambda score: score.total, default=None)
