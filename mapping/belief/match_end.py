"""How a match comes to its end: the last post of an abandoned one, the wait for a result, and what is decided off the pitch.

A score by decision is none of play: it stands on the board, and what was played stays beside it. Two providers have a word for
it. Of the others it is known by the score itself: once a match is over, one side is given two or three goals to none, which
neither goals that come late nor goals that are taken back can make of what was played. Who stood on the podium and is
disqualified is named by the posts of the end and of the podium, which name the next ones and say why.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mapping.belief.goals import LAST_PHASES, SHOOTOUT, covers, goals_of
from mapping.documents.state import ENDED
from mapping.match.match import PERIOD_KEY, Decided, Incident, Involved, Match, Score, Status
from mapping.sports import sport_of

GIVEN = frozenset({2, 3})
"""Goals to none by which matches are awarded."""
DISQUALIFIED = "disqualified"
"""The role of somebody who has lost a place on the podium, and the variant of the sentences that say so."""
PODIUM = frozenset({"first", "second", "third", DISQUALIFIED})


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
