"""Two sources of one match over time: when one stands still, when it cannot be right, and who leads once the match is over."""

from __future__ import annotations

from dataclasses import replace

from mapping.fusion.leading_source import Lead, LeadRules, Reason, SourceHealth
from mapping.fusion.source_pair import PairRules, PairState, fuse_pair, look
from mapping.match import Clock, Incident, Score, Status
from tests.mapping.soccer_builders import MATCH

RULES = PairRules(lead=LeadRules(silence=60.0, stall=60.0, implausible=120.0, quiet_time=300.0), hold=0.0)
PLAYED = replace(MATCH, status=Status.LIVE, clock=Clock(phase=1), score=Score(0, 0), incidents=())
GOAL = Incident(key="incident:1", kind="soccer.goal", order=1, minute=10, phase=1, side="home", score=Score(1, 0))
THEIRS = replace(GOAL, key="incident:a")
ONE_NIL, THEIR_ONE_NIL = (replace(PLAYED, score=Score(1, 0), incidents=(each,)) for each in (GOAL, THEIRS))


def well(now):
    return {name: SourceHealth(answered_at=now) for name in ("first", "second")}


def after(*steps, state=PairState(), begin=1000.0, rules=RULES):  # noqa: B008 -- frozen
    """The state after these steps: (first match, second match, seconds for which both say so), both sources answering well."""
    now = begin
    for first, second, seconds in steps:
        until = now + seconds
        while now < until:
            _, state = fuse_pair(state, first, second, rules, now)
            state = look(state, well(now), rules, now)
            now += 2
    return state


def test_the_first_source_leads_again_although_the_match_is_over():
    over = replace(PLAYED, status=Status.FINISHED)
    led = PairState(lead=Lead(source="second", since=500.0, reason=Reason.FAILING))
    assert after((over, over, 290), state=led).lead.source == "second"
    assert after((over, over, 310), state=led).lead.source == "first"


def test_no_standby_takes_the_lead_of_a_match_that_does_not_run():
    over = replace(PLAYED, status=Status.FINISHED)
    _, state = fuse_pair(PairState(), over, over, RULES, 1000.0)
    failing = {"first": SourceHealth(answered_at=None, failing=True), "second": SourceHealth(answered_at=1000.0)}
    assert look(state, failing, RULES, 1000.0).lead.source == "first"


def test_the_shoot_out_is_a_part_of_its_own_to_one_source_alone():
    """Nobody stands still because the other one counts the parts otherwise."""
    fourth, fifth = (replace(PLAYED, status=Status.SHOOTOUT, clock=Clock(phase=phase)) for phase in (4, 5))
    assert after((fourth, fifth, 600)).lead.source == "first"
    assert after((fourth, fifth, 600)).first.behind_since is None


def test_a_goal_that_is_taken_back_is_no_sign_of_trouble_while_the_other_source_is_late():
    state = after((ONE_NIL, THEIR_ONE_NIL, 60), (PLAYED, THEIR_ONE_NIL, 90), (PLAYED, PLAYED, 30))
    assert (state.lead.source, len(state.changes)) == ("first", 0)


def test_a_goal_that_the_other_source_never_takes_back_is_one():
    state = after((ONE_NIL, THEIR_ONE_NIL, 60), (PLAYED, THEIR_ONE_NIL, 130))
    assert (state.lead.source, state.lead.reason) == ("second", Reason.IMPLAUSIBLE)


def test_a_source_that_lacks_a_goal_stands_still():
    state = after((PLAYED, PLAYED, 60), (PLAYED, THEIR_ONE_NIL, 66))
    assert (state.lead.source, state.lead.reason) == ("second", Reason.STALLED)


GOALS_ALONE = frozenset({"soccer.goal", "soccer.own-goal", "soccer.start", "soccer.end"})
SIMPLE = replace(RULES, kinds={"simple": GOALS_ALONE})
"""Rules for a second source that gives goals and no whistles."""


def of_simple(match, **facts):
    return replace(match, provider="simple", **facts)


def test_a_source_that_has_the_score_and_never_the_goal_stands_still():
    scored = replace(PLAYED, score=Score(1, 0))
    state = after((scored, scored, 60), (scored, THEIR_ONE_NIL, 66))
    assert (state.lead.source, state.lead.reason) == ("second", Reason.STALLED)


def test_a_standby_that_lacks_a_goal_whose_score_it_has_is_well():
    """It gives less, which is no reason not to need it."""
    assert after((ONE_NIL, replace(PLAYED, score=Score(1, 0)), 200)).second.behind_since is None


def test_a_source_that_gives_no_whistles_is_not_late_with_them():
    second_half = replace(PLAYED, clock=Clock(phase=2))
    assert after((second_half, of_simple(PLAYED), 400), rules=SIMPLE).second.behind_since is None
    assert after((second_half, of_simple(PLAYED), 400)).second.behind_since is not None


def test_a_match_goes_back_to_nothing_because_its_leading_source_gives_no_whistles():
    """To such a source a match without goals has not begun, and the second half begins with a goal."""
    led = PairState(lead=Lead(source="second", since=500.0, reason=Reason.FAILING))
    second_half = replace(PLAYED, clock=Clock(phase=2))
    for theirs in (of_simple(PLAYED, status=Status.SCHEDULED, clock=Clock()), of_simple(PLAYED)):
        match, state = fuse_pair(led, second_half, theirs, SIMPLE, 1000.0)
        assert (match.status, match.clock.phase) == (Status.LIVE, 2)
        assert state.settled
    over, _ = fuse_pair(led, second_half, of_simple(PLAYED, status=Status.FINISHED), SIMPLE, 1000.0)
    assert over.status is Status.FINISHED


def test_a_goal_of_extra_time_is_the_same_to_a_source_that_counts_minutes_on():
    """It does not know that extra time is played: 97' is the seventh added minute to it."""
    goal = replace(GOAL, minute=97, phase=3)
    theirs = replace(THEIRS, minute=90, added=7, phase=2)
    extra = replace(PLAYED, clock=Clock(phase=3), score=Score(1, 0))
    match, _ = fuse_pair(
        PairState(), replace(extra, incidents=(goal,)), of_simple(extra, incidents=(theirs,)), SIMPLE, 1000.0
    )
    led = PairState(lead=Lead(source="second", since=500.0), keys=fuse_pair(
        PairState(lead=Lead(source="second", since=500.0)), PLAYED, of_simple(extra, incidents=(theirs,)), SIMPLE, 1000.0
    )[1].keys)  # fmt: skip
    back, _ = fuse_pair(led, replace(extra, incidents=(goal,)), of_simple(extra, incidents=(theirs,)), SIMPLE, 1010.0)
    assert len(match.incidents) == len(back.incidents) == 1


def test_a_match_without_a_score_yet_is_one_match():
    planned = replace(PLAYED, status=Status.SCHEDULED, clock=Clock(), score=None)
    for theirs in (None, Score(0, 0)):
        match, _ = fuse_pair(PairState(), planned, replace(planned, provider="second", score=theirs), RULES, 1000.0)
        assert match.score == theirs
