"""The goals of recorded matches, when score and rows come late to each other, as they were and with one that is taken back."""

from dataclasses import replace
from itertools import chain, pairwise, product

import pytest

from mapping.belief.confirm import confirm_answer
from mapping.belief.goals import credited_side, goals_of
from mapping.match.match import ALL_PARTS, OPPONENT
from providers.replay.demo import demo_files
from tests.kit.sampling import in_proof
from tests.kit.soccer_courses import course, course_files

DELAYS = (0, 1, 2, 5, 12)
SIDES = ("home", "away")
ANEW = "incident:anew"
POLLS = 3
"""Answers in which each version of a match is seen."""


def versions(path):
    """The answers in which score or goals are others than before, each as often as it is polled."""
    shown = {}
    for match in course(path).truth:
        goals = tuple(each for side in SIDES for each in goals_of(match, side))
        shown.setdefault((match.score, goals, match.status), match)
    return [match for match in shown.values() for _ in range(POLLS)]


def changed(answers, change):
    """The course in which the first goal is another thing some answers after it came; no other row is numbered anew."""
    goal = next(each for match in answers for side in SIDES for each in goals_of(match, side))
    since = POLLS + next(at for at, each in enumerate(answers) if goal in each.incidents)
    return [*answers[:since], *(change(each, goal.key, credited_side(goal)) for each in answers[since:])]


def uncounted(match, key, side):
    """The score does not count it, and its row stays."""
    return replace(match, score=replace(match.score, **{side: max(0, getattr(match.score, side) - 1)}))


def taken_back(match, key, side):
    """Neither score nor rows have it."""
    rows = tuple(each for each in match.incidents if each.key != key)
    return replace(uncounted(match, key, side), incidents=rows)


def credited_anew(match, key, side):
    """It was an own goal, in a row of another id."""
    own = {"key": ANEW, "kind": "soccer.own-goal", "side": OPPONENT[side], "method": None}
    return replace(
        match, incidents=tuple(replace(each, **own) if each.key == key else each for each in match.incidents)
    )


def with_late(answers, delay, late):
    """The answers as they are when one of the two resources is behind by some polls; both have the same end."""
    ended = [*answers, *([answers[-1]] * (delay + POLLS))]
    for at, match in enumerate(ended):
        old = ended[max(0, at - delay)]
        yield replace(match, incidents=old.incidents) if late == "rows" else replace(match, score=old.score)


def counted(match, side):
    return {each.key for each in goals_of(match, side)}


CHANGES = {
    "none": lambda match, *_: match,
    "one is taken back": taken_back,
    "one is not counted": uncounted,
    "one is credited anew": credited_anew,
}


@pytest.mark.parametrize("path", [
    pytest.param(each, id=each.name.partition(".")[0], marks=() if each in demo_files("en") else in_proof(each.name))
    for each in course_files()
])  # fmt: skip
def test_no_goal_is_called_disallowed_that_stands(path):
    """While play runs, none whose row is there; at the end, no more than the score has lost; and none is missing or there twice."""
    for name, change in CHANGES.items():
        answers = changed(versions(path), change)
        for late, delay in product(("rows", "score"), DELAYS):
            ended = check(list(with_late(answers, delay, late)))
            assert name == "one is not counted" or ended.score == answers[-1].score


def check(answers):
    belief, was, seen, lost, without_row = None, None, set(), 0, set()
    for earlier, answer in pairwise([answers[0], *answers]):
        belief = confirm_answer(belief, answer, good=ALL_PARTS)
        sent = belief.match.score if belief.memory.sent is None else belief.memory.sent.score
        public, rows, before = (
            {side: counted(match, side) for side in SIDES} for match in (belief.match, answer, earlier)
        )
        gone = (seen := seen.union(*public.values())).difference(*public.values())
        without_row |= gone.difference(*rows.values())
        disallowed = gone.intersection(chain(*rows.values())) - without_row
        lost += sum(max(0, getattr(was or sent, side) - getattr(sent, side)) for side in SIDES)
        assert belief.match.status.over or not disallowed, "called disallowed while its row is there"
        assert len(disallowed) <= lost, "more than the score has lost"
        for side in SIDES:
            least = min(getattr(sent, side), len(rows[side] & before[side] - without_row))
            assert len(public[side]) >= least, "a goal is missing"
        was = sent
    assert ANEW not in seen, "a goal that is credited anew is a second one"
    assert belief.match.status.running or not any(each.under_review for each in belief.match.incidents)
    return belief.match
