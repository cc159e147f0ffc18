"""A score by decision, which is none of play: it stands on the board, and what was played stays beside it.

Two providers have a word for it. Of the others it is known by the score itself: once a match is over, one side is given two or
three goals to none, which neither goals that come late nor goals that are taken back can make of what was played.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mapping.belief.goals import covers, goals_of
from mapping.belief.match_end import with_end
from mapping.match.match import Decided, Score, Status
from mapping.sports import sport_of

if TYPE_CHECKING:
    from mapping.match.match import Match

GIVEN = frozenset({2, 3})
"""Goals to none by which matches are awarded."""


def is_awarded(was: Match | None, answer: Match) -> bool:
    """Whether the score of the answer is one by decision; `was`: the match that is believed, None at first sight."""
    if answer.score is None or not answer.status.over or sport_of(answer).timing is None:
        return False
    if answer.decided is Decided.AWARD:
        return True
    if was is not None and was.award is not None:
        return answer.score != was.score
    ended, pitch = (Status.FINISHED, _named(answer)) if was is None else (was.status, was.score)
    return pitch is not None and _is_given(answer.score, pitch, _named(answer), ended)


def _is_given(score: Score, pitch: Score, named: Score, ended: Status) -> bool:
    """Whether nobody can have played the score: of a match that was broken off none that its goals do not make."""
    if score in {pitch, named} or max(score.home, score.away) not in GIVEN or min(score.home, score.away):
        return False
    goes_on = covers(score, pitch) or covers(pitch, score)
    return ended is Status.ABANDONED or (ended is Status.FINISHED and not goes_on)


def with_award(was: Match | None, answer: Match) -> Match:
    """The answer with its score as the award, beside the score on the pitch and all that was played, also where its rows went."""
    award, named, known = answer.score or Score(0, 0), _named(answer), {each.key for each in answer.incidents}
    begun = was if was is not None and was.status.rank and was.incidents else None
    kept = () if begun is None else tuple(each for each in begun.incidents if each.key not in known)
    texts = () if begun is None else begun.comments
    said, gone = {each.key for each in answer.comments}, {each.key for each in kept}
    pitch = begun.score if begun is not None else named if named.total else None
    parts = [each if each.score != award or pitch is None else replace(each, score=pitch) for each in answer.periods]
    match = replace(
        answer,
        status=Status.FINISHED,
        decided=Decided.AWARD,
        award=award,
        winner=award.ahead,
        score=pitch,
        periods=tuple(parts) if begun is None else begun.periods,
        incidents=(*answer.incidents, *kept),
        comments=(*answer.comments, *(each for each in texts if each.incident_key in gone and each.key not in said)),
    )
    return with_end(match, Decided.AWARD) if match.incidents else match


def _named(match: Match) -> Score:
    """The goals that have rows."""
    return Score(len(goals_of(match, "home")), len(goals_of(match, "away")))
