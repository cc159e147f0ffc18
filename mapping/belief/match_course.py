"""How a match ends, and how it is rescheduled: a step back to before the start is believed as a whole, or not at all.

A match that was broken off, called off, ended or started by mistake is scheduled once more: score, incidents, clock and state
of the first try go together, after as many good answers as the state needs. What contradicts it is rows of play or a score on
the same day; on another day they are what the provider has left of the first try.

A score by decision is none of play: it stands on the board, and what was played stays beside it. Two providers have a word for
it. Of the others it is known by the score itself: once a match is over, one side is given two or three goals to none, which
neither goals that come late nor goals that are taken back can make of what was played. Who stood on the podium and is
disqualified is named by the posts of the end and of the podium, which name the next ones and say why.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field, replace

from mapping.belief.goals import LAST_PHASES, SHOOTOUT, covers, goals_of
from mapping.documents.state import ENDED
from mapping.match.identity import NOT_BEGUN, MatchIdentity, is_another_day
from mapping.match.match import PERIOD_KEY, Clock, Decided, Incident, Involved, Match, PeriodScore, Score, Status
from mapping.sports import sport_of

EARLY = 3600
"""Seconds before its kick-off from which on something may belong to a try."""
CALLED_OFF = frozenset({Status.ABANDONED, Status.CANCELLED, Status.POSTPONED})


GIVEN = frozenset({2, 3})
"""Goals to none by which matches are awarded."""
DISQUALIFIED = "disqualified"
"""The role of somebody who has lost a place on the podium, and the variant of the sentences that say so."""
PODIUM = frozenset({"first", "second", "third", DISQUALIFIED})


@dataclass(frozen=True, slots=True)
class EarlierTry:
    """A try that the provider took back, of which answers may still have rows: `keys` are those of its incidents.

    The others are what was believed of it. The rows count again where it is that try which goes on.
    """

    kickoff: int | None = None
    score: Score | None = None
    clock: Clock = field(default_factory=Clock)
    periods: tuple[PeriodScore, ...] = ()
    keys: tuple[str, ...] = ()

    @classmethod
    def of(cls, match: Match) -> EarlierTry:
        return cls(
            match.kickoff, match.score, match.clock, match.periods, tuple([each.key for each in match.incidents])
        )


def is_set_again(before: Match, answer: Match) -> bool:
    """Whether the answer says that a match that had begun, or was called off, is still to begin, or has another try.

    What was played stays with a match that is postponed, until it has another day.
    """
    if is_before_start(before):
        return False
    if is_before_start(answer):
        return True
    held_up = answer.clock.stopped or answer.status is Status.POSTPONED
    revoked = before.status in CALLED_OFF and answer.status is not before.status
    return (held_up or revoked) and has_another_day(before, answer)


def is_before_start(match: Match) -> bool:
    """Whether nothing of it counts as played: one that is postponed during play has begun."""
    return match.status in NOT_BEGUN and not (match.status is Status.POSTPONED and match.clock.phase)


def has_another_day(before: Match, answer: Match) -> bool:
    """Whether the kick-off has moved so far that it is no correction."""
    return is_another_day(MatchIdentity.of(before), MatchIdentity.of(answer))


def can_be_set_again(before: Match, answer: Match) -> bool:
    """Whether nothing in the answer contradicts that the match is still to begin: neither rows or parts of play nor a score.

    On another day what is left of the first try contradicts nothing, nor does what nobody could read. Of a match that was
    broken off only its end counts: that it had begun is no news.
    """
    if has_another_day(before, answer):
        return True
    scored = answer.score is not None and answer.score.total > 0
    unreadable = _unreadable_marks(before, answer)
    if before.status in CALLED_OFF:
        unreadable = [each for each in unreadable if sport_of(before).kind(each.kind).enters == ENDED]
    return not (scored or answer.clock.phase or _has_rows_of_play(answer) or unreadable)


def has_unreadable_mark(before: Match, answer: Match) -> bool:
    """Whether what began or ended the match may be in the answer in a form that nobody could read."""
    return bool(_unreadable_marks(before, answer))


def _unreadable_marks(before: Match, answer: Match) -> Sequence[Incident]:
    said = {each.key for each in answer.incidents}
    return [
        each
        for each in before.incidents
        if each.marks_period and each.key not in said and each.key in answer.unreadable
    ]


def _has_rows_of_play(answer: Match) -> bool:
    """Whether the answer has an incident that the provider sent, so that the match has begun whatever its state says."""
    return any(not each.synthesised and _is_of_play(each) for each in answer.incidents)


def _is_of_play(incident: Incident) -> bool:
    """Whether it cannot be before the start, as the weather can."""
    return bool(incident.marks_period or incident.minute or incident.lap or incident.score)


def as_it_goes_on(before: Match, answer: Match) -> Match:
    """The answer with the state that is believed: what else it says counts, but takes nothing back of what the state implies.

    Without any row of play nothing of the incidents is taken back either. `before`: the match with the scores as sent.
    """
    further = before.score is None or (answer.score is not None and covers(answer.score, before.score))
    return replace(
        answer,
        status=before.status,
        clock=before.clock,
        score=answer.score if further else before.score,
        shootout=before.shootout,
        periods=before.periods,
        winner=before.winner,
        decided=before.decided,
        points=before.points,
        serving=before.serving,
        race=before.race,
        incidents=_incidents(before, answer),
    )


def _incidents(before: Match, answer: Match) -> tuple[Incident, ...]:
    if not _has_rows_of_play(answer):
        return before.incidents
    known = {each.key for each in answer.incidents}
    return (*answer.incidents, *(each for each in before.incidents if each.synthesised and each.key not in known))


def without_earlier_try(before: Match, answer: Match, earlier: EarlierTry | None) -> tuple[Match, EarlierTry | None]:
    """The answer without what it still has of an earlier try, and that try as long as there may be something of it.

    At its kick-off a match may turn out to be the same try, which goes on: then everything of it counts again.
    """
    if earlier is None:
        return answer, None
    waits = not is_before_start(before) and not is_before_start(answer)
    if not waits and _is_left_over(answer, earlier):
        return _not_begun(answer), earlier
    if not waits and not is_before_start(answer) and _goes_on(answer, earlier):
        return answer, None
    cleared = without_try(answer, earlier)
    stays = is_before_start(answer) or cleared.incidents != answer.incidents
    return cleared, earlier if stays else None


def without_try(answer: Match, earlier: EarlierTry) -> Match:
    """The answer without incidents of that try and the texts on them; a match that has not begun has no score either."""
    if is_before_start(answer) or _is_left_over(answer, earlier):
        return _not_begun(answer)
    keys = set(earlier.keys)
    left = {each.key for each in answer.incidents if each.key in keys and not _is_of_now(answer, each)}
    return _without(answer, left) if left else answer


def _is_left_over(answer: Match, earlier: EarlierTry) -> bool:
    """Whether a match with another kick-off has still the state of the try before, and nothing that is new."""
    if not _is_of_another_day(answer, earlier):
        return False
    new = any(_is_new(answer, each, earlier) for each in answer.incidents)
    begins = _is_recent(answer, answer.clock.phase_started_at) or answer.clock.phase < earlier.clock.phase
    scored = answer.score not in (None, earlier.score) or not set(answer.periods) <= set(earlier.periods)
    return not (new or begins or scored)


def _is_new(answer: Match, incident: Incident, earlier: EarlierTry) -> bool:
    """Whether an incident cannot be of the earlier try; what only the state implies says nothing."""
    if incident.created_at is None:
        return not incident.synthesised and incident.key not in earlier.keys
    return _is_recent(answer, incident.created_at)


def _is_of_another_day(answer: Match, earlier: EarlierTry) -> bool:
    return has_another_day(replace(answer, kickoff=earlier.kickoff), answer)


def _is_of_now(answer: Match, incident: Incident) -> bool:
    """Whether an incident with a key of the first try is of this one: its key says its place, or it came in its time."""
    if incident.created_at is None:
        return incident.synthesised
    return _is_recent(answer, incident.created_at)


def _is_recent(answer: Match, created_at: int | None) -> bool:
    return created_at is not None and answer.kickoff is not None and created_at > answer.kickoff - EARLY


def _goes_on(answer: Match, earlier: EarlierTry) -> bool:
    """Whether the match has its first kick-off again, or begins later than in its first phase or with the goals it had."""
    scored = bool(earlier.score and earlier.score.total and answer.score and covers(answer.score, earlier.score))
    return scored or answer.clock.phase > 1 or not _is_of_another_day(answer, earlier)


def _not_begun(answer: Match) -> Match:
    """The answer as that of a match that is still to begin, whatever of an earlier try it has."""
    scored = answer.score is not None and answer.score.total > 0
    return replace(
        _without(answer, {each.key for each in answer.incidents}),
        status=answer.status if answer.status in NOT_BEGUN else Status.SCHEDULED,
        clock=Clock(),
        score=None if scored else answer.score,
        shootout=None,
        periods=(),
        winner=None,
        decided=None,
        points=None,
        serving=None,
    )


def _without(answer: Match, keys: Container[str]) -> Match:
    """The answer without these incidents and the texts on them."""
    return replace(
        answer,
        incidents=tuple([each for each in answer.incidents if each.key not in keys]),
        comments=tuple([each for each in answer.comments if each.incident_key not in keys]),
    )


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
        return replace(match, incidents=tuple([_end_incident(each, end, method) for each in match.incidents]))
    post = Incident(key=f"{PERIOD_KEY}{end}", kind=end, order=len(match.incidents), method=method, synthesised=True)
    return replace(match, incidents=(*match.incidents, post))


def _end_incident(incident: Incident, end: str, method: Decided | None) -> Incident:
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
    ended, pitch = (Status.FINISHED, _counted_goals(answer)) if was is None else (was.status, was.score)
    return pitch is not None and _is_given(answer.score, pitch, _counted_goals(answer), ended)


def _is_given(score: Score, pitch: Score, named: Score, ended: Status) -> bool:
    """Whether nobody can have played the score: of a match that was broken off none that its goals do not make."""
    if score in {pitch, named} or max(score.home, score.away) not in GIVEN or min(score.home, score.away):
        return False
    goes_on = covers(score, pitch) or covers(pitch, score)
    return ended is Status.ABANDONED or (ended is Status.FINISHED and not goes_on)


def with_award(was: Match | None, answer: Match) -> Match:
    """The answer with its score as the award, beside the score on the pitch and all that was played, also where its rows went."""
    award, named, known = answer.score or Score(0, 0), _counted_goals(answer), {each.key for each in answer.incidents}
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


def _counted_goals(match: Match) -> Score:
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
