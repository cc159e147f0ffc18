"""What two sources contradict each other in is found, and what they only say differently is not."""

from dataclasses import replace

import pytest

from mapping.fusion.fused_match import FusedKey, fuse
from mapping.match.match import Incident, Involved, Score
from tests.mapping.soccer_builders import MATCH

BOOKED = Incident(
    key="incident:c", kind="soccer.yellow-card", order=1, minute=12, phase=1, side="home",
    people=(Involved(role="player", person=MATCH.home.lineup[0]),),
)  # fmt: skip
SENT_OFF = replace(BOOKED, key="incident:d", kind="soccer.yellow-red-card", minute=60, phase=2)


def second_of(*incidents):
    return replace(MATCH, provider="second", incidents=tuple(replace(each, key=f"{each.key}2") for each in incidents))


def test_a_card_that_the_other_source_lacks_is_a_difference_unless_it_gives_no_cards():
    first, second = replace(MATCH, incidents=(BOOKED,)), second_of()
    assert [each.about for each in fuse(first, second).differences] == ["missing"]
    assert fuse(first, second, kinds={"second": frozenset({"soccer.goal"})}).differences == frozenset()
    assert (
        fuse(replace(MATCH, incidents=()), second_of(BOOKED), kinds={"heim": frozenset({"soccer.goal"})}).differences
        == frozenset()
    )


def test_the_first_yellow_card_of_somebody_sent_off_is_no_difference():
    """Some sources delete it when the second one is shown."""
    both, one = (BOOKED, SENT_OFF), (SENT_OFF,)
    assert fuse(replace(MATCH, incidents=one), second_of(*both)).differences == frozenset()
    assert fuse(replace(MATCH, incidents=both), second_of(*one)).differences == frozenset()


def test_who_made_a_goal_is_no_part_of_who_scored_it():
    scorer, other = MATCH.home.lineup[:2]
    maker = replace(other, ext_id="9", name="Somebody Else")
    goal = replace(
        BOOKED, kind="soccer.goal", score=Score(1, 0),
        people=(Involved(role="scorer", person=scorer), Involved(role="assist", person=maker)),
    )  # fmt: skip
    (found,) = fuse(
        replace(MATCH, incidents=(goal,), score=Score(1, 0)),
        replace(second_of(replace(goal, people=(Involved(role="scorer", person=other),))), score=Score(1, 0)),
    ).differences
    assert (found.about, found.first, found.second) == ("scorer", scorer.name, other.name)


SCORER, MAKER = MATCH.home.lineup[:2]
GOAL = replace(BOOKED, kind="soccer.goal", score=Score(1, 0), people=(Involved(role="scorer", person=SCORER),))
OWN = replace(GOAL, kind="soccer.own-goal", side="away")
MISSED = replace(BOOKED, kind="soccer.penalty-kick-missed")
FOUL = replace(BOOKED, kind="soccer.foul")
BY_MAKER = (Involved(role="player", person=MAKER),)

SAID = {
    "nothing": (BOOKED, BOOKED, []),
    "two minutes": (BOOKED, replace(BOOKED, minute=14), []),
    "three minutes": (BOOKED, replace(BOOKED, minute=15), [("minute", "12'", "15'")]),
    "added time": (
        replace(BOOKED, minute=45, added=1), replace(BOOKED, minute=45, added=5), [("minute", "45+1'", "45+5'")],
    ),
    "no minute": (GOAL, replace(GOAL, minute=None), []),
    "the scorer": (
        GOAL, replace(GOAL, people=(Involved(role="scorer", person=MAKER),)), [("scorer", SCORER.name, MAKER.name)],
    ),
    "a scorer that one does not name": (GOAL, replace(GOAL, people=()), []),
    "an own goal of the other side": (
        GOAL, OWN, [("scorer", f"soccer.goal 12' {SCORER.name}", f"soccer.own-goal 12' {SCORER.name}")],
    ),
    "an own goal of nobody": (GOAL, replace(OWN, people=()), [("scorer", f"soccer.goal 12' {SCORER.name}", "soccer.own-goal 12'")]),
    "an own goal in both": (OWN, OWN, []),
    "a card of another one": (BOOKED, replace(BOOKED, people=BY_MAKER), [("player", SCORER.name, MAKER.name)]),
    "a card of another one later": (
        BOOKED, replace(BOOKED, people=BY_MAKER, minute=15),
        [("missing", f"soccer.yellow-card 12' {SCORER.name}", ""), ("missing", "", f"soccer.yellow-card 15' {MAKER.name}")],
    ),
    "a missed penalty that one lacks": (MISSED, None, [("missing", f"soccer.penalty-kick-missed 12' {SCORER.name}", "")]),
    "a sending-off that one lacks": (SENT_OFF, None, [("missing", f"soccer.yellow-red-card 60' {SCORER.name}", "")]),
    "one that the first one lacks": (None, BOOKED, [("missing", "", f"soccer.yellow-card 12' {SCORER.name}")]),
    "of which no minute and nobody is known": (
        replace(BOOKED, minute=None, people=()), None, [("missing", "soccer.yellow-card", "")],
    ),
    "what sources need not have": (FOUL, None, []),
}  # fmt: skip


@pytest.mark.parametrize(("one", "two", "said"), SAID.values(), ids=SAID.keys())
def test_what_two_sources_contradict_each_other_in(one, two, said):
    first, second = replace(MATCH, incidents=(one,) if one else ()), second_of(*([two] if two else []))
    found = sorted(fuse(first, second).differences)
    assert sorted((each.about, each.first, each.second) for each in found) == sorted(said)


def test_a_pair_that_is_known_is_compared_player_by_player():
    first, other = replace(MATCH, incidents=(BOOKED,)), second_of(replace(BOOKED, people=BY_MAKER))
    keys = (FusedKey(BOOKED.key, first=BOOKED.key, second=f"{BOOKED.key}2"),)
    (found,) = fuse(first, other, keys).differences
    assert (found.about, found.key, found.first, found.second) == ("player", BOOKED.key, SCORER.name, MAKER.name)


@pytest.mark.parametrize(("ours", "theirs", "differs"), [
    (Score(1, 0), Score(1, 0), False), (Score(1, 0), Score(0, 1), True), (None, Score(1, 0), False), (Score(1, 0), None, False),
])  # fmt: skip
def test_scores_that_both_have_are_compared(ours, theirs, differs):
    found = fuse(replace(MATCH, score=ours), replace(second_of(), score=theirs)).differences
    assert [(each.about, each.first, each.second) for each in found] == ([("score", "1:0", "0:1")] if differs else [])


@pytest.mark.parametrize(("second", "lacking"), [
    (SENT_OFF, False), (replace(SENT_OFF, side="away"), True), (replace(SENT_OFF, people=BY_MAKER), True),
    (replace(SENT_OFF, kind="soccer.red-card"), True),
])  # fmt: skip
def test_a_yellow_card_is_lacking_unless_its_own_player_was_sent_off_by_a_second_one(second, lacking):
    found = fuse(replace(MATCH, incidents=(BOOKED,)), second_of(second)).differences
    assert ((BOOKED.key, "missing") in {(each.key, each.about) for each in found}) is lacking


def test_nobody_lacks_what_it_never_gives():
    """An own goal is a goal to a source that gives goals, and one that gives no own goals calls them so too."""
    first = replace(MATCH, incidents=(replace(OWN, key="incident:o"), BOOKED))
    for name in ("heim", "second"):
        kinds = {name: frozenset({"soccer.goal"})}
        assert fuse(replace(MATCH, incidents=(OWN,)), second_of(GOAL), kinds=kinds).differences == frozenset()
    for kinds, found in (({"soccer.goal"}, ["missing"]), ({"soccer.yellow-card"}, ["missing"]), (set(), [])):
        assert [
            each.about for each in fuse(first, second_of(), kinds={"second": frozenset(kinds)}).differences
        ] == found
    assert len(fuse(first, second_of(), kinds={"heim": frozenset()}).differences) == 2
