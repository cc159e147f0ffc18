"""Two sources of one match over time: when one stands still, when it cannot be right, and who leads once the match is over."""

import random
from dataclasses import replace

import pytest

from mapping.fusion.disagreements import WHISTLES_LATE, Disagreement, SourceSigns, WhatIsExpected, next_signs, progress
from mapping.fusion.leading_source import Lead, LeadRules, Reason, SourceHealth
from mapping.fusion.source_pair import CHANGES, Difference, PairRules, PairState, fuse_pair, is_due, lasting, look
from mapping.match.match import Clock, Incident, Score, Status
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
    """Nor where it never takes the goal back; one of which the row stays is."""
    gone = after((ONE_NIL, THEIR_ONE_NIL, 60), (PLAYED, THEIR_ONE_NIL, 300))
    assert (gone.lead.source, len(gone.changes)) == ("first", 0)
    fell = after((ONE_NIL, THEIR_ONE_NIL, 60), (replace(ONE_NIL, score=Score(0, 0)), THEIR_ONE_NIL, 62))
    assert (fell.lead.source, fell.first.implausible_since) == ("first", 1060.0)


def test_a_source_that_is_back_with_older_answers_moves_nothing_and_loses_the_lead():
    half, theirs = (
        replace(GOAL, key=each, kind="soccer.penalty-kick-missed", minute=5, score=None)
        for each in ("incident:0", "incident:z")
    )
    first, second = (
        replace(each, incidents=(*each.incidents, other)) for each, other in ((ONE_NIL, half), (THEIR_ONE_NIL, theirs))
    )
    shown, state = fuse_pair(PairState(), first, second, RULES, 1000.0)
    older, state = fuse_pair(state, PLAYED, second, RULES, 1010.0)
    assert older == shown
    state = after((PLAYED, second, 66), state=state, begin=1010.0)
    assert (state.lead.source, state.lead.reason) == ("second", Reason.STALLED)
    assert fuse_pair(state, PLAYED, second, RULES, 1080.0)[0].incidents == shown.incidents


def test_a_source_that_lacks_a_goal_stands_still():
    state = after((PLAYED, PLAYED, 60), (PLAYED, THEIR_ONE_NIL, 66))
    assert (state.lead.source, state.lead.reason) == ("second", Reason.STALLED)


LOOK = 2.0


def test_a_dead_source_leads_for_no_longer_than_the_silence_limit_and_one_interval_whatever_the_other_one_lacks():
    """Of 500 matches; whichever died, and a goal, a whistle and a score that falls are no reason to wait."""
    for seed in range(500):
        rng = random.Random(seed)
        interval, dies = rng.uniform(2, 20), rng.choice(["silent", "refused", "failing"])
        first = replace(ONE_NIL, clock=Clock(phase=rng.choice([1, 2])))
        second = rng.choice([PLAYED, THEIR_ONE_NIL, replace(PLAYED, score=Score(1, 0)), replace(PLAYED, clock=Clock())])
        state, dead, now = PairState(), rng.choice(["first", "second"]), 2000.0
        state = replace(state, lead=Lead(source=dead, since=rng.choice([0.0, 1990.0])))
        for _ in range(2):
            _, state = fuse_pair(state, first, second, RULES, now - rng.uniform(0, 300))
        died = now - rng.uniform(0, interval)
        while state.lead.source == dead:
            now += LOOK
            health = {name: SourceHealth(answered_at=now, polled_every=interval) for name in ("first", "second")}
            trouble = {dies: True} if dies != "silent" else {}
            health[dead] = SourceHealth(answered_at=died, polled_every=interval, **trouble)
            state = look(state, health, replace(RULES, lead=RULES.lead.sooner(LOOK)), now)
            assert now - died <= RULES.lead.silence + interval + LOOK, seed


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


SIGNS = {
    "nothing": ({}, {}, {}, (None, None)),
    "a lower score than the other's": ({}, {"score": Score(0, 0)}, {}, (1000.0, None)),
    "a lower score for long": ({"behind_since": 900.0}, {"score": Score(0, 0)}, {}, (900.0, None)),
    "as far again": ({"behind_since": 900.0}, {}, {}, (None, None)),
    "fewer goals named": ({}, {}, {"goals": Score(1, 0), "named": Score(0, 0)}, (1000.0, None)),
    "as many named": ({}, {}, {"goals": Score(1, 0), "named": Score(1, 0)}, (None, None)),
    "nobody knows how many": ({}, {}, {"goals": None, "named": Score(0, 0)}, (None, None)),
    "a whistle late": ({}, {"clock": Clock(phase=0)}, {}, (1000.0 + WHISTLES_LATE, None)),
    "a whistle late since": ({"behind_since": 990.0}, {"clock": Clock(phase=0)}, {}, (990.0, None)),
    "no whistles": ({}, {"clock": Clock(phase=0)}, {"whistles": False}, (None, None)),
    "a whistle further": ({}, {"clock": Clock(phase=2)}, {}, (None, None)),
    "a goal and a whistle late": ({}, {"clock": Clock(phase=0), "score": Score(0, 0)}, {}, (1000.0, None)),
    "a score that falls": ({"score": Score(2, 0)}, {"score": Score(0, 0)}, {}, (1000.0, 1000.0)),
    "a score that falls for both": ({"score": Score(2, 0)}, {}, {}, (None, None)),
    "a score that fell before": (
        {"score": Score(0, 0), "implausible_since": 900.0}, {"score": Score(0, 0)}, {}, (1000.0, 900.0),
    ),
    "a score that fell and is right now": ({"score": Score(0, 0), "implausible_since": 900.0}, {}, {}, (None, None)),
    "no score any more": ({"score": Score(1, 0)}, {"score": None}, {}, (None, None)),
    "the other side's": ({"score": Score(0, 1)}, {"score": Score(1, 0)}, {"score": Score(0, 1)}, (1000.0, 1000.0)),
}  # fmt: skip


@pytest.mark.parametrize(("before", "own", "expected", "signs"), SIGNS.values(), ids=SIGNS.keys())
def test_what_a_source_shows_of_itself(before, own, expected, signs):
    scored = replace(PLAYED, score=Score(1, 0))
    mine = replace(scored, **own)
    wanted = WhatIsExpected(**{"score": Score(1, 0), **expected})
    found = next_signs(SourceSigns(**before), mine, scored, 1000.0, wanted)
    assert found == SourceSigns(behind_since=signs[0], implausible_since=signs[1], score=mine.score)


def test_a_match_goes_on_from_its_start_by_parts_and_breaks_to_its_end():
    """The shoot-out, which some count as a part, is one state."""
    steps = [
        (Status.SCHEDULED, 0, False), (Status.LIVE, 1, False), (Status.BREAK, 1, True), (Status.LIVE, 2, False),
        (Status.SHOOTOUT, 4, False), (Status.FINISHED, 2, False),
    ]  # fmt: skip
    found = [progress(replace(PLAYED, status=one, clock=Clock(phase=two, in_break=three))) for one, two, three in steps]
    assert found == sorted(set(found))
    assert progress(replace(PLAYED, status=Status.SHOOTOUT, clock=Clock(phase=5))) == found[-2]


WHAT = Disagreement("score", "", "1:0", "0:0")


@pytest.mark.parametrize(("answered", "lasts"), [
    ((1002.0, 1002.0), True), ((1001.0, 1002.0), False), ((1002.0, 1001.0), False), ((None, 1002.0), False),
])  # fmt: skip
def test_a_difference_counts_once_both_have_answered_with_it_again(answered, lasts):
    """Within the second in which it was seen an answer may be that one itself; from then on it lasts."""
    state = PairState(differences=(Difference(what=WHAT, since=1000.0),), running=True)
    health = {name: SourceHealth(answered_at=at) for name, at in zip(("first", "second"), answered, strict=True)}
    found = look(state, health, RULES, 1002.0)
    assert [each.what for each in lasting(found)] == ([WHAT] if lasts else [])
    never = {name: SourceHealth(answered_at=None) for name in health}
    assert bool(lasting(look(found, never, RULES, 1003.0))) is lasts


def test_a_difference_is_known_since_it_was_seen_first():
    """As long as it is there."""
    _, state = fuse_pair(PairState(), ONE_NIL, PLAYED, RULES, 1000.0)
    _, later = fuse_pair(state, ONE_NIL, PLAYED, RULES, 1010.0)
    assert {each.since for each in later.differences} == {1000.0}
    assert [each.what.about for each in later.differences] == ["missing", "score"]
    assert fuse_pair(later, ONE_NIL, THEIR_ONE_NIL, RULES, 1020.0)[1].differences == ()


HELD = replace(RULES, hold=60.0)


def test_a_goal_of_one_source_is_held_for_so_long():
    _, state = fuse_pair(PairState(), ONE_NIL, PLAYED, HELD, 1000.0)
    assert (state.alone, state.held) == (((GOAL.key, 1000.0),), (GOAL.key,))
    assert fuse_pair(state, ONE_NIL, PLAYED, HELD, 1059.0)[1].held == (GOAL.key,)
    _, after = fuse_pair(state, ONE_NIL, PLAYED, HELD, 1060.0)
    assert (after.alone, after.held) == (((GOAL.key, 1000.0),), ())
    assert [is_due(state, HELD, now) for now in (1059.0, 1060.0)] == [False, True]
    assert fuse_pair(state, ONE_NIL, THEIR_ONE_NIL, HELD, 1010.0)[1].alone == ()
    card = replace(ONE_NIL, incidents=(replace(GOAL, kind="soccer.yellow-card", score=None),))
    assert fuse_pair(PairState(), card, PLAYED, HELD, 1000.0)[1].alone == ()
    one_has = PairState(alone=((GOAL.key, 990.0),))
    for before, held in ((PairState(), ()), (one_has, (GOAL.key,)), (None, (GOAL.key,))):
        assert fuse_pair(PairState(), ONE_NIL, PLAYED, HELD, 1000.0, before=before)[1].held == held


@pytest.mark.parametrize(("dead", "before", "waits"), [
    ((), None, True), (("first",), None, True), (("second",), None, False), (("first", "second"), None, False),
    (("second",), PairState(alone=((GOAL.key, 990.0),), held=(GOAL.key,)), True),
    (("second",), PairState(alone=((GOAL.key, 990.0),)), False),
])  # fmt: skip
def test_a_goal_waits_for_no_source_that_does_not_answer(dead, before, waits):
    """Of three it waits while one of the two others could still say so."""
    state = PairState(dead=dead)
    assert fuse_pair(state, ONE_NIL, PLAYED, HELD, 1000.0, before=before)[1].held == ((GOAL.key,) if waits else ())
    known = look(PairState(running=True), {
        name: SourceHealth(answered_at=1000.0, failing=name in dead) for name in ("first", "second")
    }, HELD, 1000.0)  # fmt: skip
    assert known.dead == dead


@pytest.mark.parametrize(("now", "settled"), [(1119.0, False), (1120.0, True)])
def test_the_word_of_a_source_is_enough_once_it_has_led_for_two_minutes(now, settled):
    led = PairState(lead=Lead(source="second", since=1000.0), settled=False)
    assert fuse_pair(led, PLAYED, PLAYED, RULES, now)[1].settled is settled
    assert is_due(led, RULES, now) is settled
    further = replace(PLAYED, clock=Clock(phase=2))
    assert fuse_pair(led, further, PLAYED, RULES, now)[0].clock.phase == (1 if settled else 2)


@pytest.mark.parametrize(("first", "second", "runs"), [
    (Status.LIVE, Status.SCHEDULED, True), (Status.SCHEDULED, Status.LIVE, True), (Status.FINISHED, Status.SCHEDULED, False),
])  # fmt: skip
def test_a_match_runs_where_one_of_its_sources_says_so(first, second, runs):
    one, two = replace(PLAYED, status=first), replace(PLAYED, status=second, provider="second")
    assert fuse_pair(PairState(), one, two, RULES, 1000.0)[1].running is runs


def test_what_a_person_chooses_counts_for_a_match_that_does_not_run_too():
    """And the changes of the lead are known, the latest."""
    state = look(PairState(), well(1000.0), replace(RULES, pinned="second"), 1000.0)
    assert (state.lead.source, [each.source for each in state.changes]) == ("second", ["second"])
    assert look(state, well(1001.0), replace(RULES, pinned="second"), 1001.0) == state
    many = replace(state, changes=(Lead(since=1.0),) * CHANGES)
    changed = look(many, well(1002.0), replace(RULES, pinned="first"), 1002.0).changes
    assert (len(changed), changed[-1].since) == (CHANGES, 1002.0)


def test_goals_that_a_standby_does_not_name_are_missing_once_it_leads():
    led = PairState(lead=Lead(source="second", since=995.0))
    silent = replace(PLAYED, provider="second", score=Score(1, 0))
    assert fuse_pair(PairState(), ONE_NIL, silent, RULES, 1000.0)[1].second.behind_since is None
    assert fuse_pair(led, ONE_NIL, silent, RULES, 1000.0)[1].second.behind_since == 1000.0
    assert fuse_pair(led, silent, THEIR_ONE_NIL, RULES, 1000.0)[1].first.behind_since == 1000.0
