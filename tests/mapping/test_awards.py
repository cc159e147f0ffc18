"""A score by decision beside what was played: when it is one, and that it takes nothing back."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.belief.match_course import with_award
from mapping.match.match import ALL_PARTS, Clock, Decided, PeriodScore, Score, Status
from tests.kit.soccer_belief import FULL, GOAL, START, polled
from tests.mapping.soccer_builders import comment, incident

FIRST = replace(GOAL, phase=1)
SECOND = replace(FIRST, key="incident:5", order=5, minute=40, score=Score(2, 0))
THIRD = replace(FIRST, key="incident:8", order=8, minute=80, phase=2, side="away", score=Score(2, 1))
END = incident("soccer.end", key="period:soccer.end", order=9)
ROWS = (START, FIRST, SECOND, THIRD, END)
PLAYED = replace(
    FULL,
    status=Status.FINISHED,
    decided=Decided.REGULAR,
    clock=Clock(phase=2),
    score=Score(2, 1),
    periods=(PeriodScore(title="half-time", score=Score(2, 0)),),
    incidents=ROWS,
    comments=(),
)
BROKEN_OFF = replace(PLAYED, status=Status.ABANDONED, decided=None)
SAID = {"decided": Decided.AWARD}

SCORES = {
    "two for who lost": (PLAYED, Score(0, 2), {}, True),
    "three for who lost": (PLAYED, Score(0, 3), {}, True),
    "three for who won": (PLAYED, Score(3, 0), {}, True),
    "the provider says so": (PLAYED, Score(2, 1), SAID, True),
    "two that were taken back": (PLAYED, Score(0, 1), {}, False),
    "one that was taken back": (PLAYED, Score(2, 0), {}, False),
    "one more": (PLAYED, Score(3, 1), {}, False),
    "sides exchanged": (PLAYED, Score(1, 2), {}, False),
    "four": (PLAYED, Score(4, 0), {}, False),
    "broken off, two for who led": (replace(BROKEN_OFF, score=Score(1, 0), incidents=(START, FIRST)), Score(2, 0), {}, True),
    "broken off, a late goal": (replace(BROKEN_OFF, score=Score(1, 0)), Score(2, 0), {"incidents": (START, FIRST, SECOND)}, False),
    "it goes on": (replace(PLAYED, status=Status.LIVE), Score(0, 2), {}, False),
    "it is over with it": (replace(PLAYED, status=Status.LIVE), Score(0, 2), {"status": Status.FINISHED}, False),
}  # fmt: skip


@pytest.mark.parametrize(("was", "score", "more", "awarded"), SCORES.values(), ids=SCORES)
def test_a_score_that_nobody_can_have_played_is_an_award(was, score, more, awarded):
    """Once it was said twice; the score on the pitch stays."""
    belief = ConfirmedMatch(was)
    once, twice = polled(belief, *[replace(was, score=score, **more)] * 2)
    assert once.match.award is None
    assert (score if awarded else None) == twice.match.award
    assert not awarded or (was.score, Status.FINISHED, Decided.AWARD) == (
        twice.match.score,
        twice.match.status,
        twice.match.decided,
    )


@pytest.mark.parametrize("rows", [ROWS, (), (START,)], ids=["its goals stand", "no row", "the start alone"])
@pytest.mark.parametrize("was", [PLAYED, BROKEN_OFF], ids=["played", "broken off"])
def test_what_was_played_stays_and_an_award_is_taken_back(was, rows):
    """However many answers say it; the score on the pitch, said twice, is the score again."""
    text = comment("What a goal", incident_key=FIRST.key)
    assert {each.method for each in with_award(was, was).incidents if each.kind == END.kind} == {None}
    was = replace(was, comments=(text,))
    award = replace(was, score=Score(0, 2), incidents=rows, comments=(text,) if FIRST in rows else ())
    *_, belief = polled(ConfirmedMatch(was), *[award] * 20)
    goals = {each.key for each in (FIRST, SECOND, THIRD)}
    assert goals <= {each.key for each in belief.match.incidents}
    assert (text,) == belief.match.comments
    assert (Score(2, 1), was.periods, "away") == (belief.match.score, belief.match.periods, belief.match.winner)
    assert not any(each.under_review or each.method == Decided.ABANDONED for each in belief.match.incidents)
    again = polled(belief, was, was)[-1].match
    assert (None, was.score) == (again.award, again.score)
    assert goals <= {each.key for each in again.incidents}


AT_FIRST = {
    "for the other": (ROWS, Score(0, 2), "away", Score(2, 1)),
    "for the winner": (ROWS, Score(3, 0), "home", Score(2, 1)),
    "for nobody": (ROWS, Score(0, 0), None, Score(2, 1)),
    "without rows": ((), Score(0, 3), "away", None),
    "without goals": ((START,), Score(0, 3), "away", None),
}


@pytest.mark.parametrize(("rows", "award", "winner", "score"), AT_FIRST.values(), ids=AT_FIRST)
def test_an_award_that_is_heard_of_first_has_the_goals_of_its_rows(rows, award, winner, score):
    """Without them nobody knows what was played; a part that has the award's score has that of the pitch."""
    half, full = PLAYED.periods[0], PeriodScore(title="full-time", score=award)
    answer = replace(PLAYED, score=award, incidents=rows, periods=(half, full), **SAID)
    belief = confirm_answer(None, answer, good=ALL_PARTS)
    seen = belief.match
    assert (award, winner, score) == (seen.award, seen.winner, seen.score)
    assert (half, full if score is None else replace(full, score=score)) == seen.periods
    assert bool(rows) == any(each.kind == "soccer.end" for each in seen.incidents)
    assert seen == polled(belief, answer)[-1].match


def test_another_award_is_a_correction_and_one_before_the_start_has_no_score_on_the_pitch():
    """Only the first one waits."""
    two, three = (replace(PLAYED, score=Score(0, goals)) for goals in (2, 3))
    *_, belief = polled(ConfirmedMatch(PLAYED), two, two)
    assert (Score(0, 3), Score(2, 1)) == ((found := polled(belief, three)[-1].match).award, found.score)
    fixture = replace(PLAYED, status=Status.SCHEDULED, clock=Clock(), score=Score(0, 0), incidents=(), periods=())
    never = replace(fixture, status=Status.FINISHED, score=Score(0, 3), incidents=(), **SAID)
    found = polled(ConfirmedMatch(fixture), *[never] * 5)[-1].match
    assert (Score(0, 3), None, ()) == (found.award, found.score, found.incidents)
