"""What confirms a step back: the same value, said by the resource that carries it, more often where it was undone before."""

import zlib
from dataclasses import replace
from itertools import groupby

import pytest
from pydantic import TypeAdapter

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.doubts import CONFIRMATIONS, MOST_CONFIRMATIONS, MOST_RETREATS
from mapping.match.match import ALL_PARTS, Clock, Match, Part, Score, Status
from store.following.follow_rows import packed_belief, unpacked_belief
from tests.kit.soccer_belief import CHANGE, FULL, GOAL, START, only, polled, without
from tests.mapping.soccer_builders import GEIS, KICKOFF, MEYER, involved

LATER = replace(GOAL, key="incident:7", order=7, minute=30, score=Score(2, 0))
SCORED = only(incidents=(START, GOAL, LATER, CHANGE))

DIFFERENT = {
    "scores": (only(score=Score(1, 0)), only(score=Score(0, 0)), "score"),
    "scores of a period": (only(periods=(replace(FULL.periods[0], score=Score(0, 0)),)), only(periods=()), "periods"),
    "states": (only(status=Status.SCHEDULED, clock=Clock()), only(clock=Clock(phase=0)), "status"),
    "halves of a substitution": (
        only(incidents=(START, GOAL, replace(CHANGE, people=involved(in_=MEYER)))),
        only(incidents=(START, GOAL, replace(CHANGE, people=involved(out=GEIS)))),
        "incidents",
    ),
}


@pytest.mark.parametrize(("first", "second", "name"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_two_different_steps_back_of_one_value_do_not_confirm_each_other(first, second, name):
    """Each of them alone waits for the same one again; by turns they never count."""
    beliefs = polled(ConfirmedMatch(FULL), *[first, second] * 4)

    assert {getattr(each.match, name) for each in beliefs} == {getattr(FULL, name)}
    assert getattr(second, name) == getattr(polled(beliefs[-1], second)[-1].match, name)


def test_scores_that_fall_goal_by_goal_are_believed_only_where_they_stay():
    """2:1, then 1:1, then 0:0 shows 2:1 until 0:0 is said again."""
    before = replace(FULL, score=Score(2, 1), incidents=(START,))
    answers = [replace(before, score=Score(*each)) for each in ((1, 1), (0, 0), (0, 0))]

    assert [Score(2, 1), Score(2, 1), Score(0, 0)] == [
        each.match.score for each in polled(ConfirmedMatch(before), *answers)
    ]


def test_a_row_that_moves_in_the_feed_is_the_same_one():
    """The same half of a substitution further down in the list confirms the first one."""
    half = replace(CHANGE, people=involved(in_=MEYER))
    answers = [only(incidents=(START, GOAL, replace(half, order=order))) for order in (2, 5)]

    assert half.people == polled(ConfirmedMatch(FULL), *answers)[-1].match.incidents[-1].people


def test_a_lower_score_is_confirmed_while_the_rows_cannot_be_had():
    """Its own resource answers well; the goal that it does not count any more is under review, and all rows stay."""
    scores = ALL_PARTS - {Part.ROWS, Part.SQUADS, Part.SHOOTOUT}
    answer = replace(SCORED, score=Score(1, 0))
    first, *_, last = polled(ConfirmedMatch(SCORED), *[answer] * 21, good=scores)

    assert SCORED == first.match
    assert Score(1, 0) == last.match.score
    reviewed = [each.key for each in last.match.incidents if each.under_review]
    assert ([each.key for each in SCORED.incidents], [LATER.key]) == (
        [each.key for each in last.match.incidents],
        reviewed,
    )
    assert SCORED == polled(last, SCORED)[-1].match


def test_a_row_that_is_gone_is_confirmed_by_nothing_but_its_own_resource():
    """However often the score's resource answers well."""
    *_, last = polled(ConfirmedMatch(FULL), without("incidents", CHANGE), good=ALL_PARTS)
    belief = polled(last, *[without("incidents", CHANGE)] * 5, good=ALL_PARTS - {Part.ROWS})[-1]

    assert CHANGE in belief.match.incidents
    assert CHANGE not in polled(belief, without("incidents", CHANGE))[-1].match.incidents


def test_a_period_that_the_state_implies_goes_with_the_state():
    """A whistle that was none is taken back by the resource of the state, though the rows cannot be had."""
    whistle = replace(START, key="period:soccer.end", kind="soccer.end", synthesised=True)
    ended = only(status=Status.FINISHED, clock=Clock(phase=2), incidents=(*FULL.incidents, whistle))
    running = only(status=Status.LIVE, clock=Clock(phase=2, phase_started_at=KICKOFF + 3600))

    assert running == polled(ConfirmedMatch(ended), running, running, good=ALL_PARTS - {Part.ROWS})[-1].match


PACES = (1, 2, 3, 4, 5, 10)


@pytest.mark.parametrize("times", PACES)
@pytest.mark.parametrize(
    ("more", "less"),
    [(SCORED, replace(SCORED, score=Score(1, 0))), (FULL, without("incidents", GOAL)), (FULL, only(status=Status.SCHEDULED))],
    ids=["score", "incident", "state"],
)  # fmt: skip
def test_two_caches_by_turns_let_nothing_blink(more, less, times):
    """Of forty polls that alternate between an answer and an older one, few take anything back: each needs twice as many."""
    answers = [(less, more)[at // times % 2] for at in range(40)]
    beliefs = polled(ConfirmedMatch(more), *answers)
    gone = [shown for shown, _ in groupby(each.match != more for each in beliefs) if shown]

    assert len(gone) <= {1: 0, 2: 1, 3: 1}.get(times, 2)
    assert more == polled(beliefs[-1], more)[-1].match


def test_what_really_changes_needs_two_answers_again():
    """A score that was undone twice and then rises is a new one."""
    flapping = [only(score=Score(1, 0))] * 2 + [FULL]
    belief = polled(ConfirmedMatch(FULL), *flapping, *[only(score=Score(1, 0))] * 4, FULL)[-1]
    more = only(score=Score(3, 0))

    assert FULL == polled(belief, *[only(score=Score(1, 0))] * 7)[-1].match
    assert FULL == polled(belief, more, *[FULL] * CONFIRMATIONS)[-1].match


def test_a_step_back_is_believed_however_often_it_was_undone():
    """After sixteen good answers at most; and no more steps than a few hundred are kept."""
    belief = ConfirmedMatch(FULL)
    for _ in range(6):
        belief = polled(belief, *[without("incidents", GOAL)] * MOST_CONFIRMATIONS, FULL)[-1]
    *_, last = polled(belief, *[without("incidents", GOAL)] * MOST_CONFIRMATIONS)
    many = only(incidents=tuple(replace(CHANGE, key=f"incident:{at}") for at in range(2 * MOST_RETREATS)))

    assert GOAL not in last.match.incidents
    assert len(polled(ConfirmedMatch(many), *[only(incidents=())] * 2)[-1].memory.retreats) == MOST_RETREATS


def test_versions_read_each_others_beliefs():
    """An earlier one stored the match and the names of doubts; what it doubted waits for as many answers as anything else."""
    form = TypeAdapter(tuple[Match, tuple[str, ...]])
    earlier = zlib.compress(form.dump_json((FULL, ("score", GOAL.key))))
    doubting = polled(ConfirmedMatch(FULL), without("incidents", GOAL))[-1]

    assert ConfirmedMatch(FULL) == unpacked_belief(earlier)
    assert (FULL, (GOAL.key,)) == form.validate_json(zlib.decompress(packed_belief(doubting)))
