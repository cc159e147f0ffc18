"""The score of a match and its goals, which providers send in different resources: what is believed of them agrees.

The score is never below the newest goal. A score that is lowered takes back the goals that it had counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mapping.match import PeriodScore, Score
from mapping.sports import sport_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from mapping.match import Incident, Match

LAST_PHASES = {"half-time": 1, "full-time": 2, "extra-time": 4}
"""Title of a part's score → the last phase whose goals it counts."""
SHOOTOUT = "shootout"
"""The method of a kick of the shoot-out, whose score is the tally."""


@dataclass(frozen=True, slots=True)
class SentScores:
    """The scores as the provider's rows of scores have them, where its goals are further on."""

    score: Score | None
    periods: tuple[PeriodScore, ...]


def with_goals(match: Match) -> Match:
    """The match with scores that are as far on as its goals: each resource may be the first to know of a goal."""
    goals = list(_goals(match, match.incidents))
    if not goals:
        return match
    periods = tuple([_period_with_goals(each, goals) for each in match.periods])
    score = None if match.score is None else _further(match.score, _newest(goals))
    return match if (score, periods) == (match.score, match.periods) else replace(match, score=score, periods=periods)


def sent_scores(sent: Match, shown: Match) -> SentScores | None:
    """What has to be kept of the scores that were sent; None where they are shown as they are."""
    own = SentScores(sent.score, sent.periods)
    return None if own == SentScores(shown.score, shown.periods) else own


def lost_goals(match: Match, before: Score | None, now: Score | None, incidents: Iterable[Incident]) -> frozenset[str]:
    """Keys of the goals that the score counted `before` and does not count `now`."""
    if before is None or now is None or covers(now, before):
        return frozenset()
    counted = (each for each in _goals(match, incidents) if each.score is not None and covers(before, each.score))
    return frozenset(each.key for each in counted if each.score is not None and not covers(now, each.score))


def disallowed_goals(answer: Match, before: Score | None, keys: AbstractSet[str]) -> frozenset[str]:
    """Which of the goals under these keys the answer has, though its score, or the one `before`, does not count them."""
    score = answer.score or before
    goals = [each for each in answer.incidents if each.key in keys] if keys and score is not None else []
    return frozenset(each.key for each in _goals(answer, goals) if not _counts(score, each.score))


def covers(score: Score, earlier: Score) -> bool:
    """Whether a match may stand at `score` after it stood at `earlier`."""
    return score.home >= earlier.home and score.away >= earlier.away


def _counts(score: Score | None, goal: Score | None) -> bool:
    return score is not None and goal is not None and covers(score, goal)


def _goals(match: Match, incidents: Iterable[Incident]) -> Iterator[Incident]:
    """Incidents with a score of the match: neither kicks of the shoot-out nor those of sports with sets, which count theirs."""
    sport = sport_of(match)
    if sport.timing is not None:
        scoring = {kind.id for kind in sport.kinds if kind.scores}
        yield from (each for each in incidents if each.kind in scoring and _in_play(each, sport.timing.phases))


def _in_play(goal: Incident, phases: int) -> bool:
    return goal.score is not None and goal.method != SHOOTOUT and (goal.phase or 0) <= phases


def _newest(goals: Iterable[Incident]) -> Score | None:
    """The score after the last goal by minutes; of one minute the one that is further on."""
    last = max(goals, key=_when, default=None)
    return None if last is None else last.score


def _when(goal: Incident) -> tuple[int, int, int]:
    return goal.minute or 0, goal.added or 0, 0 if goal.score is None else goal.score.total


def _period_with_goals(part: PeriodScore, goals: Iterable[Incident]) -> PeriodScore:
    last = LAST_PHASES.get(part.title, 0)
    score = _further(part.score, _newest(each for each in goals if each.phase is not None and each.phase <= last))
    return part if score == part.score else replace(part, score=score)


def _further(score: Score, goal: Score | None) -> Score:
    """The further on of both, side by side."""
    return score if goal is None else Score(max(score.home, goal.home), max(score.away, goal.away))
