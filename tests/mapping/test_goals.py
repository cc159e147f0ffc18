"""Which goals a score counts, and which score the goals make."""

from dataclasses import replace

import pytest

from mapping.belief.goals import (
    UNORDERED,
    SentScores,
    covers,
    game_key,
    goals_under_review,
    sent_scores,
    side_with_enough_sets,
    uncounted_goals,
    with_games,
    with_goals,
)
from mapping.match.match import PeriodScore, Score
from tests.mapping.soccer_builders import MATCH, incident

NIL = Score(0, 0)


def goal(home, away, minute=10, phase=1, **more):
    return incident(
        "soccer.goal",
        key=f"incident:{home}-{away}",
        minute=minute,
        phase=phase,
        side="home" if away == 0 or home == 9 else "away",
        score=Score(home, away),
        **more,
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
    "the last by minutes": ([goal(1, 0, 40), goal(2, 0, 20)], NIL, Score(1, 0)),
    "the last by added time": ([goal(1, 0, 45, added=3), goal(2, 0, 45, added=1)], NIL, Score(1, 0)),
    "added time over none": ([goal(1, 0, 45, added=1), goal(2, 0, 45)], NIL, Score(1, 0)),
    "of one minute the one further on": ([goal(1, 0), goal(2, 0)], NIL, Score(2, 0)),
    "a minute over none": ([goal(1, 0, 1), goal(2, 0, None)], NIL, Score(1, 0)),
    "extra time": ([goal(1, 0, 118, phase=4)], NIL, Score(1, 0)),
    "the shoot-out's phase": ([goal(1, 0, 120, phase=5)], NIL, NIL),
    "a kick by its method": ([goal(1, 0, method="shootout")], NIL, NIL),
    "a phase that nobody knows": ([goal(1, 0, phase=None)], NIL, Score(1, 0)),
    "a goal without a score": ([replace(goal(1, 0), score=None)], NIL, NIL),
    "no goal": ([replace(goal(1, 0), kind="soccer.yellow-card")], NIL, NIL),
    "an own goal": ([replace(goal(1, 0), kind="soccer.own-goal", side="away")], NIL, Score(1, 0)),
    "a list that lacks one": ([goal(3, 0, 40), goal(1, 0)], NIL, Score(2, 0)),
    "a goal of no known side": ([replace(goal(1, 0), side=None)], NIL, Score(1, 0)),
    "a row that was not numbered anew": ([goal(1, 0), goal(2, 1, 40)], Score(1, 1), Score(1, 1)),
    "behind a goal under review": (
        [goal(1, 0), goal(2, 0, 30, under_review=True), goal(2, 1, 40)],
        Score(1, 0),
        Score(1, 1),
    ),
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


ROWS = (goal(1, 0, 10), goal(2, 0, 30), goal(2, 1, 40))
"""Two goals of the home side and one of the other, as their rows have them."""
REVIEWED = {
    "one of the home side": (Score(2, 1), Score(1, 1), (), {"2-0"}),
    "one of the other": (Score(2, 1), Score(2, 0), (), {"2-1"}),
    "one of each": (Score(2, 1), Score(1, 0), (), {"2-0", "2-1"}),
    "all": (Score(2, 1), NIL, (), {"1-0", "2-0", "2-1"}),
    "sides exchanged": (Score(2, 1), Score(1, 2), (), {"2-0"}),
    "the same": (Score(2, 1), Score(2, 1), (), set()),
    "a higher one": (Score(2, 1), Score(3, 1), (), set()),
    "one that never counted the newest": (Score(1, 1), Score(0, 1), (), {"1-0"}),
    "one that was never counted": (Score(1, 1), Score(1, 1), (), set()),
    "fewer rows than the score": (Score(4, 1), Score(3, 1), (), set()),
    "fewer rows, fewer still counted": (Score(4, 1), Score(1, 1), (), {"2-0"}),
    "under review already": (Score(1, 1), Score(1, 1), {"2-0"}, {"2-0"}),
    "another one falls": (Score(1, 1), Score(0, 1), {"2-0"}, {"1-0", "2-0"}),
    "the score comes back": (Score(1, 1), Score(2, 1), {"2-0"}, set()),
    "the first of two comes back": (Score(0, 1), Score(1, 1), {"1-0", "2-0"}, {"2-0"}),
    "its row is gone": (Score(1, 1), Score(1, 1), {"3-1"}, set()),
    "no score before": (None, NIL, (), set()),
    "no score now": (Score(2, 1), None, {"2-0"}, set()),
}


@pytest.mark.parametrize(("before", "now", "known", "lost"), REVIEWED.values(), ids=REVIEWED.keys())
def test_as_many_of_a_sides_newest_goals_are_under_review_as_its_score_has_lost(before, now, known, lost):
    """Whatever their rows show, which may be numbered anew or not; never more than the rows are ahead of the score."""
    known = {f"incident:{each}" for each in known}
    for goals in (ROWS, [replace(each, score=None) for each in ROWS]):
        assert goals_under_review(match(*goals), known, before, now) == {f"incident:{each}" for each in lost}


def test_an_own_goal_is_one_of_the_other_side():
    own = replace(goal(1, 0), kind="soccer.own-goal", side="away")
    assert {own.key} == goals_under_review(match(own), frozenset(), Score(1, 0), NIL)
    assert frozenset() == goals_under_review(match(own), frozenset(), Score(1, 1), Score(1, 0))


UNCOUNTED = {
    "by the score of the answer": (Score(1, 0), Score(9, 9), {"2-0", "2-1"}),
    "by the one before": (None, Score(2, 0), {"2-1"}),
    "by no score": (None, None, set()),
    "none": (Score(2, 1), NIL, set()),
}


@pytest.mark.parametrize(("score", "before", "left_out"), UNCOUNTED.values(), ids=UNCOUNTED.keys())
def test_a_goal_that_was_taken_back_counts_again_with_the_score(score, before, left_out):
    answer = match(*ROWS, score=score)
    taken_back = {each.key for each in ROWS}
    assert uncounted_goals(answer, (), before, taken_back) == {f"incident:{each}" for each in left_out}
    assert uncounted_goals(answer, (), before, frozenset()) == frozenset()


def test_goals_that_were_not_taken_back_are_counted_first():
    assert {ROWS[1].key} == uncounted_goals(match(*ROWS, score=Score(1, 1)), (), None, {ROWS[1].key})
    assert frozenset() == uncounted_goals(match(*ROWS[1:], score=Score(1, 1)), (), None, {ROWS[1].key})


def test_a_score_covers_what_both_sides_had():
    assert covers(Score(1, 1), Score(1, 1))
    assert not covers(Score(1, 2), Score(2, 0))
    assert not covers(Score(2, 0), Score(1, 1))


def game(home, away, side=None, method=None):
    score = Score(home, away)
    return replace(goal(home, away, phase=2), key=game_key(2, score.total), side=side, score=score, method=method)


GAMES = {
    "the next one": ([game(1, 0, "home")], game(1, 1, "away"), [game(1, 0, "home"), game(1, 1, "away")]),
    "two of one side": ([], game(2, 0, "home"), [game(1, 0, "home"), game(2, 0, "home")]),
    "one of each before it": ([], game(2, 1, "home"), [game(1, 0, "home", UNORDERED), game(1, 1), game(2, 1, "home")]),
    "one of each, and nobody knows who won the last": ([], game(1, 1), [game(1, 0, "home", UNORDERED), game(1, 1)]),
    "the side that had it already": ([game(1, 0, "home")], game(1, 1, "home"), [game(1, 0, "home"), game(1, 1, "home")]),
    "the same one": ([game(1, 0, "home")], game(1, 0), [game(1, 0, "home")]),
}  # fmt: skip


@pytest.mark.parametrize(("known", "last", "games"), GAMES.values(), ids=GAMES)
def test_the_games_of_a_set_are_those_that_are_known_and_those_since(known, last, games):
    """Of several since the last answer nobody knows the order where both sides won some."""
    found = with_games(match(*known), match(last))
    assert [(each.key, each.side, each.score, each.method) for each in found] == [
        (each.key, each.side, each.score, each.method) for each in games
    ]


@pytest.mark.parametrize(
    ("sets", "side"),
    [(None, None), (Score(1, 0), None), (Score(1, 1), None), (Score(2, 1), "home"), (Score(0, 2), "away")],
)
def test_two_sets_win(sets, side):
    assert side_with_enough_sets(sets) == side
