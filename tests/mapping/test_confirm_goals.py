"""The score and the goals, which come in different resources, never contradict each other in what is believed."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.match.match import ALL_PARTS, Clock, PeriodScore, Score, Status
from tests.kit.soccer_belief import FULL, GOAL, START, polled
from tests.mapping.soccer_builders import CALETA_CAR, incident, involved

FIRST = replace(GOAL, phase=1)
SECOND = replace(FIRST, key="incident:5", order=5, minute=40, score=Score(2, 0))
THIRD = incident(
    "soccer.goal", key="incident:8", order=8, minute=44, phase=1, side="away", score=Score(2, 1), people=involved(scorer=CALETA_CAR)
)  # fmt: skip


def sent(score, *goals, **more):
    return replace(FULL, score=score, periods=(), incidents=(START, *goals), **more)


def reviewed(*goals):
    return tuple(replace(each, under_review=True) for each in goals)


def test_a_goal_that_is_known_before_the_score_counts_it_is_on_the_board():
    """Whatever the resource of the score says meanwhile, however often; it needs no confirmation for that."""
    late = sent(Score(1, 0), FIRST, SECOND)
    beliefs = polled(ConfirmedMatch(sent(Score(1, 0), FIRST)), *[late] * 20)

    assert {(each.match.score, each.match.incidents) for each in beliefs} == {(Score(2, 0), late.incidents)}
    assert not any(each.doubted for each in beliefs)
    assert ConfirmedMatch(sent(Score(2, 0), FIRST, SECOND)) == polled(beliefs[-1], sent(Score(2, 0), FIRST, SECOND))[-1]
    assert confirm_answer(None, late, good=frozenset()).match.score == Score(2, 0)


def test_goals_of_both_sides_count_whoever_knows_of_them_first():
    """The row of one side's goal and the score with the other's make the score with both."""
    assert Score(2, 1) == confirm_answer(None, sent(Score(1, 1), FIRST, SECOND), good=ALL_PARTS).match.score


def test_a_goal_that_never_was_leaves_the_board_with_its_row():
    """The row goes with the second answer, and with it what it had put on the board alone."""
    wrong, right = sent(Score(1, 0), FIRST, SECOND), sent(Score(1, 0), FIRST)
    belief = confirm_answer(None, wrong, good=ALL_PARTS)
    first, second = polled(belief, right, right)

    assert wrong.incidents == first.match.incidents
    assert Score(2, 0) == first.match.score
    assert ConfirmedMatch(right) == second


def test_a_lower_score_puts_the_goals_that_it_has_lost_under_review():
    """After the second answer, together with the board; as long as their rows stay, until the score counts them again."""
    full, less = sent(Score(2, 1), FIRST, SECOND, THIRD), sent(Score(1, 0), FIRST, SECOND, THIRD)
    first, second, *_, last = polled(ConfirmedMatch(full), *[less] * 10)

    assert full == first.match
    assert sent(Score(1, 0), FIRST, *reviewed(SECOND, THIRD)) == second.match == last.match
    assert () == last.memory.disallowed
    assert ConfirmedMatch(full) == polled(last, full)[-1]
    without = sent(Score(1, 0), FIRST)
    assert [second.match, without] == [each.match for each in polled(last, without, without)]


def test_a_match_that_is_over_with_the_lower_score_disallows_them():
    """Their rows may stay for good; they return once the score counts them again."""
    full = sent(Score(2, 1), FIRST, SECOND, THIRD)
    less = sent(Score(1, 1), FIRST, SECOND, THIRD)
    ended = replace(less, status=Status.FINISHED, clock=Clock(phase=2))
    *_, running, over, last = polled(ConfirmedMatch(full), less, less, ended, ended)

    assert reviewed(SECOND) == tuple(each for each in running.match.incidents if each.under_review)
    assert (START, FIRST, THIRD) == over.match.incidents == last.match.incidents
    assert Score(1, 1) == last.match.score
    assert (SECOND.key,) == last.memory.disallowed
    without = replace(ended, incidents=(START, SECOND, THIRD))
    for lacks in (without, unread := replace(without, unreadable_keys=frozenset({FIRST.key}))):
        assert over.match.incidents == polled(last, lacks)[-1].match.incidents
    assert over.match.incidents == polled(last, *[unread] * 5)[-1].match.incidents
    right = replace(ended, score=Score(2, 1))
    assert full.incidents == polled(last, right)[-1].match.incidents
    assert () == polled(last, replace(ended, incidents=(START, FIRST, THIRD)))[-1].memory.disallowed


@pytest.mark.parametrize("minute", [40, 41], ids=["the same", "corrected"])
def test_a_goal_under_review_is_so_under_any_id(minute):
    """Also once it is disallowed, and its row is still there; and where other rows have other ids, and the old ones again."""
    full = sent(Score(2, 1), FIRST, SECOND, THIRD)
    anew = sent(Score(1, 1), FIRST, replace(SECOND, key="incident:9", minute=minute), THIRD)
    less = replace(anew, incidents=full.incidents)
    ended = replace(anew, status=Status.FINISHED, clock=Clock(phase=2))
    _, _, _, running, _, over = polled(ConfirmedMatch(full), less, less, anew, anew, ended, ended)

    assert (START, FIRST, *reviewed(replace(SECOND, minute=minute)), THIRD) == running.match.incidents
    assert (Score(1, 1), (START, FIRST, THIRD)) == (over.match.score, over.match.incidents)
    late = polled(ConfirmedMatch(full), less, less, replace(ended, incidents=full.incidents), ended)[-1]
    assert (Score(1, 1), (START, FIRST, THIRD)) == (late.match.score, late.match.incidents)
    others = replace(less, incidents=(START, replace(FIRST, key="incident:7"), SECOND, THIRD))
    again = polled(ConfirmedMatch(full), less, less, others, others, less, less)[-1]
    assert (START, FIRST, *reviewed(SECOND), THIRD) == again.match.incidents


def test_a_running_score_of_a_row_is_no_reason_to_doubt_a_goal():
    """The score has lost one goal of the home side: the other side's goal after it, whose row shows 2:1, stands beside 1:1."""
    full, less = sent(Score(2, 1), FIRST, SECOND, THIRD), sent(Score(1, 1), FIRST, SECOND, THIRD)
    belief = polled(ConfirmedMatch(full), less, less)[-1]
    assert (Score(1, 1), (START, FIRST, *reviewed(SECOND), THIRD)) == (belief.match.score, belief.match.incidents)
    gone = sent(Score(1, 1), FIRST, THIRD)
    assert gone == polled(belief, gone, gone)[-1].match
    third = replace(SECOND, key="incident:9", minute=60, score=Score(3, 1))
    more = polled(belief, sent(Score(1, 1), FIRST, SECOND, THIRD, third))[-1]
    assert (Score(2, 1), reviewed(SECOND)) == (
        more.match.score,
        tuple(each for each in more.match.incidents if each.under_review),
    )


def test_a_goal_that_was_taken_back_returns_when_the_score_counts_it():
    """Its row alone, as an old answer has it, says nothing; a goal under another key counts at once."""
    full, less = sent(Score(2, 0), FIRST, SECOND), sent(Score(1, 0), FIRST)
    gone = polled(ConfirmedMatch(full), less, less)[-1]
    stale = polled(gone, *[sent(Score(1, 0), FIRST, SECOND)] * 3)
    another = sent(Score(1, 0), FIRST, replace(SECOND, key="incident:6"))

    assert {less} == {each.match for each in stale}
    assert not any(each.doubted for each in stale)
    assert ConfirmedMatch(full) == polled(gone, full)[-1]
    assert Score(2, 0) == polled(gone, another)[-1].match.score
    nobody_counts = replace(full, score=None)
    assert (
        SECOND
        in polled(polled(ConfirmedMatch(nobody_counts), *[replace(less, score=None)] * 2)[-1], nobody_counts)[
            -1
        ].match.incidents
    )


def test_a_score_that_moves_a_goal_to_the_other_side_waits():
    """It counts as many goals as before and one of those no more, so it takes one back."""
    full, other = sent(Score(2, 0), FIRST, SECOND), sent(Score(1, 1), FIRST, SECOND)
    once, twice = polled(ConfirmedMatch(full), other, other)

    assert full == once.match
    assert sent(Score(1, 1), FIRST, *reviewed(SECOND)) == twice.match
    moved = replace(SECOND, side="away", score=Score(1, 1))
    assert ConfirmedMatch(sent(Score(1, 1), FIRST, moved)) == polled(twice, sent(Score(1, 1), FIRST, moved))[-1]


@pytest.mark.parametrize(("title", "score"), [("half-time", Score(2, 1)), ("full-time", Score(3, 1))])
def test_the_score_of_a_part_is_not_below_its_goals(title, score):
    """The post of half-time says what the goals before it say, whichever row is late; later goals are of no account."""
    later = replace(SECOND, key="incident:9", minute=70, phase=2, score=Score(3, 1))
    match = sent(Score(3, 1), FIRST, SECOND, THIRD, later)
    late = replace(match, periods=(PeriodScore(title=title, score=Score(1, 0)),))

    assert (PeriodScore(title=title, score=score),) == confirm_answer(None, late, good=ALL_PARTS).match.periods


def test_kicks_of_a_shootout_and_scores_that_nobody_gives_are_left_alone():
    """A kick has the score of the shoot-out; where a provider has no score at all, none is made up."""
    kick = replace(SECOND, score=Score(5, 4))

    for each in (replace(kick, method="shootout"), replace(kick, phase=5)):
        assert Score(1, 0) == confirm_answer(None, sent(Score(1, 0), FIRST, each), good=ALL_PARTS).match.score
    assert confirm_answer(None, sent(None, FIRST), good=ALL_PARTS).match.score is None


def test_kicks_of_a_shootout_go_and_come_whatever_the_score_is():
    """A kick that was taken back returns at once, and a lower score takes back goals alone."""
    kick = replace(SECOND, key="incident:20", minute=120, phase=5, method="shootout", score=Score(1, 0))
    ended, without = sent(Score(2, 0), FIRST, SECOND, kick), sent(Score(2, 0), FIRST, SECOND)
    gone = polled(ConfirmedMatch(ended), without, without)[-1]
    lower = sent(Score(0, 0), FIRST, SECOND, kick)
    high = replace(ended, incidents=(START, FIRST, SECOND, replace(kick, score=Score(9, 8))))
    high_gone = polled(ConfirmedMatch(high), without, without)[-1]

    assert ended == polled(gone, ended)[-1].match
    assert high == polled(high_gone, high)[-1].match
    assert (START, *reviewed(FIRST, SECOND), kick) == polled(ConfirmedMatch(ended), lower, lower)[-1].match.incidents
