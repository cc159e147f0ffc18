"""What scored, and which parts are over, read off score and clock: in sports whose providers report no more than these.

A step is known by the score after it, so a score that is corrected takes back exactly the steps above it. What was before the
match was believed first is one score, and no steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mapping.belief.goals import covers
from mapping.match.match import PERIOD_KEY, Incident, Match, Score, SideName, Status
from mapping.sports import sport_of
from mapping.sports.base import STEP, Sport, Steps

SCORE_KEY = "score:"
"""Prefix of the key of an incident that is a step of the score."""
NOTHING = Score(0, 0)


def with_steps(before: Match, answer: Match) -> Match:
    """The answer with the steps of the score and the ends of parts, those that are known and those that are new."""
    sport = sport_of(answer)
    if sport.steps is None:
        return answer
    found = sorted([*_scored(sport.steps, before, answer), *_ended(sport, sport.steps, before, answer)], key=_place)
    first = len(answer.incidents)
    return replace(
        answer, incidents=(*answer.incidents, *(replace(each, order=first + at) for at, each in enumerate(found)))
    )


def _place(each: Incident) -> tuple[int, bool, int]:
    return each.phase or 0, each.marks_period, 0 if each.score is None else each.score.total


def _scored(steps: Steps, before: Match, answer: Match) -> Sequence[Incident]:
    """The steps up to the score; without one all that are known, as nothing says that they are wrong."""
    known = [each for each in before.incidents if each.key.startswith(SCORE_KEY)]
    score = answer.score
    if score is None:
        return known
    kept = [each for each in known if _is_within(each, score)]
    since = _last_score(kept, known, before.score)
    new = _since(steps, kept, since, answer) if since is not None and covers(score, since) else ()
    return [*kept, *new]


def _is_within(step: Incident, score: Score) -> bool:
    return step.score is not None and covers(score, step.score)


def _last_score(kept: Sequence[Incident], known: Sequence[Incident], before: Score | None) -> Score | None:
    """The score after the last step, or before the first that is known; without any the one that was believed."""
    if kept or not known:
        return kept[-1].score if kept else before
    after, points = known[0].score or NOTHING, _points(known[0])
    return Score(after.home - points.home, after.away - points.away)


def _points(step: Incident) -> Score:
    """The points of a step, from its `detail`."""
    home, _, away = (step.detail or "0:0").partition(":")
    return Score(int(home), int(away))


def _since(steps: Steps, kept: Sequence[Incident], since: Score, answer: Match) -> Iterator[Incident]:
    """From one score to another: one step. Where both sides have scored in between, nobody knows who was first, nor what.

    Nor does anybody know what points were that a try brings too, once the other side has them or the part has ended: a try that
    was returned, or no try at all.
    """
    score = answer.score or NOTHING
    phase = _phase_of(score, answer)
    points = Score(score.home - since.home, score.away - since.away)
    if not points.total:
        return
    side: SideName | None = "away" if not points.home else "home" if not points.away else None
    last = kept[-1] if kept else None
    tries = last is not None and _points(last).total == steps.converted
    converts = last is not None and tries and last.side == side
    kinds = {} if side is None else {**steps.points, **(steps.conversions if converts else {})}
    unsure = points.total in steps.points.keys() & steps.conversions.keys()
    if last is not None and tries and unsure and (last.side != side or last.phase != phase):
        kinds = {}
    kind, method = kinds.get(points.total, (steps.other, STEP))
    yield Incident(
        key=f"{SCORE_KEY}{score.home}:{score.away}",
        kind=kind,
        order=0,
        side=side,
        phase=phase,
        score=score,
        method=method,
        detail=str(points),
        synthesised=True,
    )


def _phase_of(score: Score, answer: Match) -> int | None:
    """The part in which the score came about: the first of those that are over after which it stands so, else the present one."""
    over = [(number, _after_parts(answer, number)) for number in range(1, _over(answer) + 1)]
    return next((number for number, after in over if after == score), answer.clock.phase or None)


def _ended(sport: Sport, steps: Steps, before: Match, answer: Match) -> Iterator[Incident]:
    """The parts that are over, of which each was not when the match was believed first."""
    known = {each.key: each for each in before.incidents if each.marks_period}
    regular = sport.timing.num_regular_phases if sport.timing is not None else 0
    for number in range(1, min(_over(answer), regular) + 1):
        kind = steps.half_time if number * 2 == regular else steps.part_end
        key = f"{PERIOD_KEY}{kind}:{number}"
        if key in known or number > _over(before):
            score = _after_parts(answer, number)
            made = Incident(key=key, kind=kind, order=0, phase=number, score=score, method=STEP, synthesised=True)
            yield known.get(key, made) if score is None else made


def _over(match: Match) -> int:
    """How many parts are over."""
    over = match.clock.in_break or match.status is Status.FINISHED
    return match.clock.phase if over else match.clock.phase - 1


def _after_parts(match: Match, number: int) -> Score | None:
    """The score after so many parts, of which the match has the points within each."""
    within = {each.title: each.score for each in match.periods}
    parts = [within.get(str(each)) for each in range(1, number + 1)]
    known = [each for each in parts if each is not None]
    if len(known) < number:
        return None
    return Score(sum(each.home for each in known), sum(each.away for each in known))
