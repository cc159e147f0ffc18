"""Which goals a score counts, and which score the goals make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mapping.goals import SentScores, covers, disallowed_goals, lost_goals, sent_scores, with_goals
from mapping.match import PeriodScore, Score
from tests.mapping.soccer_builders import MATCH, incident

NIL = Score(0, 0)


def goal(home, away, minute=10, phase=1, **more):
    return incident(
        "soccer.goal", key=f"incident:{home}-{away}", minute=minute, phase=phase, score=Score(home, away), **more
    )


def match(*goals, score=NIL, **periods):
    parts = tuple(PeriodScore(title=title.replace("_", "-"), score=each) for title, each in periods.items())
    return replace(MATCH, incidents=goals, score=score, periods=parts)


ON_BOARD = {
    "no goals": ([], NIL, NIL),
    "a goal that the score lacks": ([goal(1, 0)], NIL, Score(1, 0)),
    "a score that is further on": ([goal(1, 0)], Score(2, 1), Score(2, 1)),
    "side by side": ([goal(1, 0)], Score(0, 1), Score(1, 1)),
    "no score at all": ([goal(1, 0)], None, None),
    "the last by minutes": ([goal(2, 0, 30), goal(3, 1, 20)], NIL, Score(2, 0)),
    "the last by added time": ([goal(2, 0, 45, added=3), goal(3, 1, 45, added=1)], NIL, Score(2, 0)),
    "added time over none": ([goal(2, 0, 45, added=1), goal(3, 1, 45)], NIL, Score(2, 0)),
    "of one minute the one further on": ([goal(1, 0), goal(2, 0)], NIL, Score(2, 0)),
    "a minute over none": ([goal(1, 0, 1), goal(2, 0, None)], NIL, Score(1, 0)),
    "extra time": ([goal(1, 0, 118, phase=4)], NIL, Score(1, 0)),
    "the shoot-out's phase": ([goal(1, 0, 120, phase=5)], NIL, NIL),
    "a kick by its method": ([goal(1, 0, method="shootout")], NIL, NIL),
    "a phase that nobody knows": ([goal(1, 0, phase=None)], NIL, Score(1, 0)),
    "a goal without a score": ([replace(goal(1, 0), score=None)], NIL, NIL),
    "no goal": ([replace(goal(1, 0), kind="soccer.yellow-card")], NIL, NIL),
    "an own goal": ([replace(goal(1, 0), kind="soccer.own-goal")], NIL, Score(1, 0)),
}


@pytest.mark.parametrize(("goals", "score", "shown"), ON_BOARD.values(), ids=ON_BOARD.keys())
def test_the_score_is_never_below_the_newest_goal(goals, score, shown):
    assert with_goals(match(*goals, score=score)).score == shown


PARTS = {
    "half-time counts the first half": ("half-time", [goal(1, 0), goal(2, 0, 50, 2)], Score(1, 0)),
    "full-time counts both": ("full-time", [goal(1, 0), goal(2, 0, 50, 2)], Score(2, 0)),
    "full-time does not count extra time": ("full-time", [goal(1, 0), goal(2, 0, 95, 3)], Score(1, 0)),
    "extra time counts its first half": ("extra-time", [goal(1, 0), goal(2, 0, 95, 3)], Score(2, 0)),
    "extra time counts its second half": ("extra-time", [goal(1, 0), goal(2, 0, 118, 4)], Score(2, 0)),
    "a goal of no known phase counts in none": ("full-time", [goal(1, 0, 10, None)], NIL),
    "an unknown part counts none": ("third-half", [goal(1, 0)], NIL),
}


@pytest.mark.parametrize(("title", "goals", "score"), PARTS.values(), ids=PARTS.keys())
def test_the_score_of_a_part_has_the_goals_up_to_its_last_phase(title, goals, score):
    assert with_goals(match(*goals, score=Score(9, 9), **{title: NIL})).periods[0].score == score


def test_a_match_whose_scores_are_as_far_on_is_the_same():
    known = match(goal(1, 0), score=Score(1, 0), half_time=Score(1, 0))
    assert with_goals(known) is known
    assert sent_scores(known, known) is None
    late = match(goal(1, 0), half_time=NIL)
    assert sent_scores(late, with_goals(late)) == SentScores(NIL, late.periods)
    assert sent_scores(late, replace(late, periods=())) == SentScores(NIL, late.periods)


def test_a_match_of_sets_has_no_goals():
    tennis = replace(match(goal(1, 0)), sport="tennis")
    assert with_goals(tennis) is tennis


LOST = {
    "a lower score": (Score(2, 1), Score(1, 1), {"2-0", "2-1"}),
    "the other side's": (Score(2, 1), Score(2, 0), {"2-1"}),
    "moved to the other side": (Score(2, 0), Score(1, 1), {"2-0"}),
    "the same": (Score(2, 1), Score(2, 1), set()),
    "a higher one": (Score(2, 1), Score(3, 1), set()),
    "not those that were never counted": (Score(1, 0), NIL, {"1-0"}),
    "no score before": (None, NIL, set()),
    "no score now": (Score(2, 1), None, set()),
}


@pytest.mark.parametrize(("before", "now", "lost"), LOST.values(), ids=LOST.keys())
def test_a_lower_score_loses_the_goals_that_it_does_not_count_any_more(before, now, lost):
    goals = (goal(1, 0), goal(2, 0), goal(2, 1), goal(1, 9, method="shootout"))
    assert lost_goals(MATCH, before, now, goals) == {f"incident:{each}" for each in lost}


DISALLOWED = {
    "by the score of the answer": (Score(1, 0), Score(9, 9), {"2-0", "2-1"}),
    "by the one before": (None, Score(2, 0), {"2-1"}),
    "by no score": (None, None, set()),
    "none": (Score(2, 1), NIL, set()),
}


@pytest.mark.parametrize(("score", "before", "left_out"), DISALLOWED.values(), ids=DISALLOWED.keys())
def test_a_goal_that_was_taken_back_counts_again_with_the_score(score, before, left_out):
    answer = match(goal(1, 0), goal(2, 0), goal(2, 1), goal(0, 9), score=score)
    taken_back = {"incident:1-0", "incident:2-0", "incident:2-1"}
    assert disallowed_goals(answer, before, taken_back) == {f"incident:{each}" for each in left_out}
    assert disallowed_goals(answer, before, frozenset()) == frozenset()


def test_a_score_covers_what_both_sides_had():
    assert covers(Score(1, 1), Score(1, 1))
    assert not covers(Score(1, 2), Score(2, 0))
    assert not covers(Score(2, 0), Score(1, 1))
