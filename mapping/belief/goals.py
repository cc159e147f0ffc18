"""Makes score and goals agree, which providers send in different resources and at different times.

The score is never below the newest goal. A score that falls says how many goals it has lost, not which: so many are under
review, until their rows go or the score is back. In sports whose providers send no more than score and clock, what scored and which
parts are over is read off these: a step is known by the score after it, so a score that is corrected takes back the steps above it.
The games of a set get their order from the answers before one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TypeVar

from mapping.match.match import OPPONENT, PERIOD_KEY, Incident, Match, PeriodScore, Score, SideName, Status
from mapping.sports import sport_of
from mapping.sports.base import STEP, Sport, Steps
from mapping.sports.soccer import OWN_GOAL

LAST_PHASES = {"half-time": 1, "full-time": 2, "extra-time": 4}
"""Title of a part's score → the last phase whose goals it counts."""
T = TypeVar("T")

SHOOTOUT = "shootout"
"""The method of a kick of the shoot-out, whose score is the tally."""


SCORE_KEY = "score:"
"""Prefix of the key of an incident that is a step of the score."""
NOTHING = Score(0, 0)


GAME = "game:"
"""Prefix of the key of an incident that is a game of a set."""
SET, UNORDERED = "set", "unordered"
"""Methods of games: it wins a set; its place among those beside it is not known, so its score is one that may have been."""
SETS_THAT_WIN = 2
"""The fewest sets that win a match."""


@dataclass(frozen=True, slots=True)
class SentScores:
    """The scores as the provider's rows of scores have them, where its goals are further on."""

    score: Score | None
    periods: tuple[PeriodScore, ...]


def with_goals(match: Match) -> Match:
    """The match with scores that are as far on as its goals: each resource may be the first to know of a goal."""
    goals = [each for each in _goals(match) if not each.under_review]
    if not goals:
        return match
    periods = tuple([_period_with_goals(each, goals) for each in match.periods])
    score = None if match.score is None else _further(match.score, goals)
    return match if (score, periods) == (match.score, match.periods) else replace(match, score=score, periods=periods)


def sent_scores(sent: Match, shown: Match) -> SentScores | None:
    """The scores that were sent, to be kept; None where the match shows them as they are."""
    own = SentScores(sent.score, sent.periods)
    return None if own == SentScores(shown.score, shown.periods) else own


def goals_under_review(match: Match, known: frozenset[str], before: Score | None, now: Score | None) -> frozenset[str]:
    """Keys of the goals that the score has lost though their rows are still there: of each side the newest that it counted.

    `known`: those that were under review when the score was `before`; it is `now` what a second answer has confirmed. Never more
    than the rows are ahead of the score.
    """
    if before is None or now is None or (not known and covers(now, before)):
        return frozenset()
    home = _under_review(goals_of(match, "home"), known, before.home, now.home)
    away = _under_review(goals_of(match, "away"), known, before.away, now.away)
    return frozenset(each.key for each in (*home, *away))


def _under_review(goals: Sequence[Incident], known: frozenset[str], had: int, has: int) -> Sequence[Incident]:
    counted = [each.key for each in goals if each.key not in known][:had]
    lost = known.union(_last(counted, had - has))
    return _last([each for each in goals if each.key in lost], len(goals) - has)


def _last(items: Sequence[T], count: int) -> Sequence[T]:
    return items[-count:] if count > 0 else ()


def uncounted_goals(
    answer: Match, waiting: Iterable[Incident], before: Score | None, keys: AbstractSet[str]
) -> frozenset[str]:
    """Which of the goals under these keys the answer has, though its score, or the one `before`, does not count them.

    `waiting`: what counts beside the incidents of the answer.
    """
    score = answer.score or before
    if not keys or score is None:
        return frozenset()
    answer = replace(answer, incidents=(*answer.incidents, *waiting))
    home = _uncounted(goals_of(answer, "home"), score.home, keys)
    away = _uncounted(goals_of(answer, "away"), score.away, keys)
    return frozenset((*home, *away))


def _uncounted(goals: Sequence[Incident], counted: int, keys: AbstractSet[str]) -> Sequence[str]:
    taken_back = [each.key for each in goals if each.key in keys]
    return _last(taken_back, min(len(taken_back), len(goals) - counted))


def with_review(incidents: tuple[Incident, ...], lost: AbstractSet[str], *, ended: bool) -> tuple[Incident, ...]:
    """The incidents, the goals that were lost marked as under review, and gone once the match has ended."""
    if not lost:
        return incidents
    stay = [each for each in incidents if not ended or each.key not in lost]
    return tuple([replace(each, under_review=each.key in lost) for each in stay])


def without_marks(match: Match) -> Match:
    """The match without marks of a review on its goals."""
    if not any(each.under_review for each in match.incidents):
        return match
    return replace(match, incidents=tuple([replace(each, under_review=False) for each in match.incidents]))


def goals_of(match: Match, side: SideName) -> list[Incident]:
    """The goals in play that count for a side, in the order of their minutes."""
    return sorted((each for each in _goals(match) if credited_side(each) == side), key=_when)


def credited_side(incident: Incident) -> SideName | None:
    """The side that an incident counts for: of an own goal the opponent of the scorer's.

    An own goal of home's counts for away.
    """
    return OPPONENT[incident.side] if incident.side and incident.kind == OWN_GOAL.id else incident.side


def covers(score: Score, earlier: Score) -> bool:
    """Whether a match may stand at `score` after it stood at `earlier`.

    `2:1` after `1:1` may be, `2:0` after `1:1` may not.
    """
    return score.home >= earlier.home and score.away >= earlier.away


def _goals(match: Match) -> Iterator[Incident]:
    """Goals that the score counts one by one: neither kicks of the shoot-out nor what scores in sports of sets or points."""
    sport = sport_of(match)
    if sport.timing is not None and sport.steps is None:
        scoring = {kind.id for kind in sport.kinds if kind.scores}
        for each in match.incidents:
            if each.kind in scoring and each.method != SHOOTOUT and (each.phase or 0) <= sport.timing.phases:
                yield each


def _when(goal: Incident) -> tuple[int, int, int]:
    return goal.minute or 0, goal.added or 0, 0 if goal.score is None else goal.score.total


def _period_with_goals(part: PeriodScore, goals: Sequence[Incident]) -> PeriodScore:
    last = LAST_PHASES.get(part.title, 0)
    score = _further(part.score, [each for each in goals if each.phase is not None and each.phase <= last])
    return part if score == part.score else replace(part, score=score)


def _further(score: Score, goals: Sequence[Incident]) -> Score:
    """The further on, side by side: the score, or what the last goal by minutes shows, as far as there are goals for it.

    A row that was never numbered anew shows a score with goals that were taken back.
    """
    shown = max((each for each in goals if each.score is not None), key=_when, default=None)
    if shown is None or shown.score is None:
        return score
    sides = [credited_side(each) for each in goals]
    home, away = (
        len(goals) - sides.count(other) for other in ("away", "home")
    )  # whose side is not known may be of either
    return Score(max(score.home, min(shown.score.home, home)), max(score.away, min(shown.score.away, away)))


def with_steps(before: Match, answer: Match) -> Match:
    """The answer with the steps of the score and the ends of parts, those that are known and those that are new."""
    sport = sport_of(answer)
    if sport.steps is None:
        return answer
    found = sorted(
        [*_scored_games(sport.steps, before, answer), *_ended_parts(sport, sport.steps, before, answer)], key=_place
    )
    first = len(answer.incidents)
    return replace(
        answer, incidents=(*answer.incidents, *(replace(each, order=first + at) for at, each in enumerate(found)))
    )


def _place(each: Incident) -> tuple[int, bool, int]:
    return each.phase or 0, each.marks_period, 0 if each.score is None else each.score.total


def _scored_games(steps: Steps, before: Match, answer: Match) -> Sequence[Incident]:
    """The steps up to the score; without one all that are known, as nothing says that they are wrong."""
    known = [each for each in before.incidents if each.key.startswith(SCORE_KEY)]
    score = answer.score
    if score is None:
        return known
    kept = [each for each in known if each.score is not None and covers(score, each.score)]
    since = _last_score(kept, known, before.score)
    new = _since(steps, kept, since, answer) if since is not None and covers(score, since) else ()
    return [*kept, *new]


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


def _ended_parts(sport: Sport, steps: Steps, before: Match, answer: Match) -> Iterator[Incident]:
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


def side_with_enough_sets(sets: Score | None) -> SideName | None:
    """Who has won more sets, and enough of them; None where they do not say who won.

    `2:1` is won by home, `1:0` by nobody yet.
    """
    return None if sets is None or max(sets.home, sets.away) < SETS_THAT_WIN else sets.ahead


def game_key(number: int, games: int) -> str:
    """The key of the game after which so many games of the set with this number were played.

    `game:s2:7` is the seventh game of the second set.
    """
    return f"{GAME}s{number}:{games}"


def is_game(incident: Incident) -> bool:
    """Whether the incident is a game, whose `score` is the one of its set after it."""
    return incident.key.startswith(GAME)


def with_games(before: Match, answer: Match) -> tuple[Incident, ...]:
    """The incidents of an answer that has only the last game of each set, with the games before it, as far as they are known."""
    return tuple(game for each in answer.incidents for game in (_until(each, before) if is_game(each) else (each,)))


def _until(last: Incident, before: Match) -> Sequence[Incident]:
    """The games of a set up to its last, which alone may end the set."""
    known = [each for each in before.incidents if is_game(each) and each.phase == last.phase]
    earlier = [replace(each, method=None) if each.method == SET else each for each in known if _is_before(each, last)]
    same = next((each for each in known if each.score == last.score), None)
    if same is not None:
        return [*earlier, replace(last, key=same.key, side=last.side or same.side)]
    return [
        *earlier,
        *_games_since(max(map(_games_of, earlier), key=lambda score: score.total, default=NOTHING), last),
    ]


def _games_since(score: Score, last: Incident) -> Sequence[Incident]:
    """The games from `score` to the last one. Where both sides won some, who won the last of those is not known."""
    now = _games_of(last)
    until = now if last.side is None else _without_one(now, last.side)
    home, away = until.home - score.home, until.away - score.away
    if home < 0 or away < 0:
        return [last]
    homes: list[SideName] = ["home"] * home
    aways: list[SideName] = ["away"] * away
    winners, both, games = homes + aways, home > 0 and away > 0, list[Incident]()
    for at, side in enumerate(winners, 1):
        score = Score(score.home + (side == "home"), score.away + (side == "away"))
        sure = not both or at == len(winners)
        game = replace(
            last, key=game_key(last.phase or 0, score.total), score=score, method=None if sure else UNORDERED
        )
        games.append(replace(game, side=None if both and sure else side))
    return games if last.side is None else [*games, last]


def _games_of(game: Incident) -> Score:
    return game.score or NOTHING


def _is_before(game: Incident, last: Incident) -> bool:
    score, later = _games_of(game), _games_of(last)
    return score != later and score.home <= later.home and score.away <= later.away


def _without_one(score: Score, side: SideName) -> Score:
    return Score(score.home - 1, score.away) if side == "home" else Score(score.home, score.away - 1)
