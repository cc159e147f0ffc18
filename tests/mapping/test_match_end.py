"""A match that is flagged as over before its result is there goes on until it comes, or until nobody waits any more."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.belief.match_course import until_result
from mapping.desk.match_trouble import ONE_SOURCE, MatchFacts, Trouble, place_of, troubles_of
from mapping.match.match import ALL_PARTS, PERIOD_KEY, Clock, Decided, Incident, PeriodScore, Score, Status
from tests.kit.soccer_belief import GOAL, START, only

END = Incident(key=f"{PERIOD_KEY}soccer.end", kind="soccer.end", order=9, phase=2)
RUNNING = only(
    status=Status.LIVE, clock=Clock(phase=2, phase_started_at=7200), score=Score(2, 1), incidents=(START, GOAL)
)
FLAGGED = replace(
    RUNNING,
    status=Status.FINISHED,
    decided=Decided.UNKNOWN,
    clock=Clock(phase=2),
    score=None,
    winner="home",
    periods=(PeriodScore(title="half-time", score=Score(1, 0)),),
    incidents=(START, GOAL, END),
)
CASES = {
    "it runs": (RUNNING, FLAGGED, Status.LIVE, Score(2, 1)),
    "a break": (replace(RUNNING, status=Status.BREAK), FLAGGED, Status.BREAK, Score(2, 1)),
    "an earlier part": (replace(RUNNING, status=Status.BREAK, clock=Clock(phase=1)), FLAGGED, Status.LIVE, Score(2, 1)),
    "kicks": (replace(RUNNING, status=Status.SHOOTOUT), FLAGGED, Status.SHOOTOUT, Score(2, 1)),
    "a score of its own": (RUNNING, replace(FLAGGED, score=Score(2, 2)), Status.LIVE, Score(2, 2)),
    "nothing known": (None, FLAGGED, Status.LIVE, Score(1, 0)),
    "a goal alone": (None, replace(FLAGGED, periods=()), Status.LIVE, GOAL.score),
    "a kick alone": (
        None,
        replace(FLAGGED, periods=(), incidents=(START, replace(GOAL, method="shootout"))),
        Status.LIVE,
        None,
    ),
    "not begun": (replace(RUNNING, status=Status.SCHEDULED, score=None), FLAGGED, Status.LIVE, Score(1, 0)),
}


@pytest.mark.parametrize(("was", "answer", "status", "score"), CASES.values(), ids=CASES.keys())
def test_a_match_without_its_result_goes_on(was, answer, status, score):
    """It has the score that is known, no minute, no winner and no end."""
    match = confirm_answer(None if was is None else ConfirmedMatch(was), answer, good=ALL_PARTS).match

    assert (match.status, match.score, match.winner, match.sent_status) == (status, score, None, Status.FINISHED)
    assert END not in match.incidents


def test_nobody_knows_the_minute_of_a_match_without_its_result():
    assert until_result(None, replace(FLAGGED, clock=RUNNING.clock)).clock == Clock(phase=2)


def test_it_is_over_with_its_result_or_when_nobody_waits_any_more():
    waits = confirm_answer(ConfirmedMatch(RUNNING), FLAGGED, good=ALL_PARTS)
    result = replace(FLAGGED, decided=Decided.REGULAR, score=Score(2, 1))

    over = confirm_answer(waits, result, good=ALL_PARTS).match
    closed = confirm_answer(waits, FLAGGED, good=frozenset(), closing=True).match

    assert (over.status, over.decided, over.winner) == (Status.FINISHED, Decided.REGULAR, "home")
    assert (closed.status, closed.decided, closed.score) == (Status.FINISHED, Decided.UNKNOWN, Score(2, 1))
    assert END in over.incidents
    assert END in closed.incidents


def test_a_result_that_is_lost_makes_no_match_go_on():
    ended = replace(FLAGGED, decided=Decided.REGULAR, score=Score(2, 1))

    match = confirm_answer(ConfirmedMatch(replace(ended, winner="away")), FLAGGED, good=ALL_PARTS).match

    assert (match.status, match.decided, match.score) == (Status.FINISHED, Decided.REGULAR, Score(2, 1))
    assert match.winner == "away"


NOW, ALLOWED = 1_000.0, 60.0
WELL = MatchFacts(
    status="live", kickoff=1, answered_at=NOW - 5, alarms=frozenset(), refused=False, left_out=False, failing=False,
    pending=False, clock_stopped=False, drafts=0,
)  # fmt: skip
LEADS = replace(ONE_SOURCE, standby_leads=True)
CHOSEN = replace(LEADS, by_person=True)


def found(sources, **facts):
    return troubles_of(replace(WELL, sources=sources, **facts), now=NOW, allowed=ALLOWED)


@pytest.mark.parametrize(
    ("sources", "facts", "expected"),
    [
        (None, {}, ()),
        (ONE_SOURCE, {}, ()),
        (LEADS, {}, (Trouble.STANDBY_LEADS,)),
        (LEADS, {"answered_at": NOW - 90}, (Trouble.STANDBY_LEADS, Trouble.SILENT)),
        (LEADS, {"alarms": frozenset({"provider_lost"})}, (Trouble.STANDBY_LEADS, Trouble.LOST)),
        (
            LEADS,
            {"failing": True, "clock_stopped": True},
            (Trouble.FROZEN_CLOCK, Trouble.STANDBY_LEADS, Trouble.FAILING),
        ),
        (LEADS, {"left_out": True}, (Trouble.STANDING_STILL, Trouble.STANDBY_LEADS)),
        (replace(LEADS, silent=True), {}, (Trouble.SILENT, Trouble.STANDBY_LEADS)),
        (replace(LEADS, silent=True), {"answered_at": NOW - 90}, (Trouble.SILENT, Trouble.STANDBY_LEADS)),
        (CHOSEN, {}, ()),
        (CHOSEN, {"answered_at": NOW - 90}, (Trouble.STANDBY_LEADS, Trouble.SILENT)),
        (replace(CHOSEN, silent=True), {}, (Trouble.SILENT,)),
        (replace(ONE_SOURCE, disagree=True), {"pending": True}, (Trouble.SOURCES_DISAGREE, Trouble.DISAGREEING)),
        (
            replace(LEADS, disagree=True),
            {"drafts": 2},
            (Trouble.SOURCES_DISAGREE, Trouble.STANDBY_LEADS, Trouble.DRAFTS),
        ),
    ],
)
def test_what_is_wrong_with_a_match_of_two_sources(sources, facts, expected):
    """A first source that the standby stands in for is less urgent than one that nobody does."""
    assert found(sources, **facts) == expected


def test_a_match_that_the_standby_has_taken_over_stands_below_one_that_nobody_brings():
    """And above one of which a part fails."""
    places = [
        place_of(found(sources, **facts), "live", 1, "")
        for sources, facts in (
            (None, {"answered_at": NOW - 90}),
            (LEADS, {"answered_at": NOW - 90}),
            (None, {"failing": True}),
            (None, {}),
        )
    ]
    assert places == sorted(places)
    assert len(set(places)) == 4
