"""A match of three sources: each standby meets what those before it say together, and leads where they fail."""

from dataclasses import replace

import pytest

from mapping.fusion.leading_source import Lead, LeadRules, Reason, SourceHealth
from mapping.fusion.source_chain import (
    any_due,
    does_answer,
    fuse_sources,
    held_goals,
    is_running,
    lasting_differences,
    lead_changes,
    leader_of,
    look_at_sources,
    pinned_place,
    pins,
    who_leads,
)
from mapping.fusion.source_pair import PairRules, PairState
from mapping.match.match import Clock, Incident, Score, Status
from tests.mapping.soccer_builders import MATCH

RULES = PairRules(lead=LeadRules(silence=60.0, stall=60.0, implausible=120.0, quiet_time=300.0), hold=0.0)
NO_GOAL = replace(MATCH, status=Status.LIVE, clock=Clock(phase=1), score=Score(0, 0), incidents=())
GOAL = Incident(key="incident:1", kind="soccer.goal", order=1, minute=10, phase=1, side="home", score=Score(1, 0))
BEGUN = 1000.0
GOOD, BAD = SourceHealth(answered_at=BEGUN), SourceHealth(answered_at=BEGUN, failing=True)


def of(provider, *goals):
    """What a source says: the goals with these ids, one after the other."""
    incidents = tuple(
        replace(GOAL, key=f"incident:{name}", order=at, minute=10 * at, score=Score(at, 0))
        for at, name in enumerate(goals, 1)
    )
    return replace(NO_GOAL, provider=provider, score=Score(len(goals), 0), incidents=incidents)


class Chain:
    """Three sources and what is known of them, by a clock of its own."""

    def __init__(self, rules=RULES):
        self.states, self.now, self.rules, self.match = (PairState(), PairState()), BEGUN, [rules, rules], None

    def say(self, first, second, third):
        self.match, self.states = fuse_sources(self.states, first, (second, third), self.rules, self.now)

    def look(self, *health, seconds=2.0):
        """So much time passes, in which the sources answer so, and who leads is decided again and again."""
        until = self.now + seconds
        while self.now < until:
            self.now += 2.0
            fresh = [each if each.failing else replace(each, answered_at=self.now) for each in health]
            self.states = look_at_sources(self.states, fresh, self.rules, self.now)

    def leads(self):
        place, lead = who_leads(self.states)
        return place, lead.reason


def begun():
    chain = Chain()
    chain.say(of("one"), of("two"), of("three"))
    return chain


def test_the_third_source_leads_where_both_others_fail():
    chain = begun()
    chain.look(BAD, GOOD, GOOD)
    assert chain.leads() == (1, Reason.FAILING)
    chain.look(BAD, BAD, GOOD)
    assert chain.leads() == (2, Reason.FAILING)


def test_the_second_source_leads_again_before_the_first_one_is_well():
    chain = begun()
    chain.look(BAD, BAD, GOOD)
    chain.look(BAD, GOOD, GOOD, seconds=310.0)
    assert chain.leads()[0] == 1
    chain.look(GOOD, GOOD, GOOD, seconds=310.0)
    assert chain.leads() == (0, Reason.FIRST)
    assert [each.place for each in lead_changes(chain.states)] == [2, 1, 0]


def test_a_standby_that_fails_and_does_not_lead_gives_the_lead_to_nobody():
    chain = begun()
    chain.look(GOOD, BAD, GOOD)
    assert chain.leads() == (0, Reason.FIRST)


def test_one_lead_changes_at_a_time():
    """What the second source brings is what the third one was ahead with: that one does not lead too."""
    chain = begun()
    chain.say(of("one"), of("two", "a"), of("three", "x"))
    chain.look(GOOD, GOOD, GOOD, seconds=62.0)
    assert chain.leads() == (1, Reason.STALLED)
    chain.say(of("one"), of("two", "a"), of("three", "x"))
    chain.look(GOOD, GOOD, GOOD, seconds=120.0)
    assert chain.leads() == (1, Reason.STALLED)
    assert [each.key for each in chain.match.incidents] == ["incident:second/two/a"]


def test_a_goal_is_one_incident_whoever_has_it_first():
    """The third source's, then the second one's, then the first one's too: under the key of the day it became known."""
    chain = begun()
    chain.look(BAD, BAD, GOOD)
    chain.say(of("one"), of("two"), of("three", "x"))
    keys = [[each.key for each in chain.match.incidents]]
    chain.look(BAD, GOOD, GOOD, seconds=310.0)
    chain.say(of("one"), of("two", "a"), of("three", "x"))
    keys.append([each.key for each in chain.match.incidents])
    chain.look(GOOD, GOOD, GOOD, seconds=310.0)
    chain.say(of("one", "1"), of("two", "a"), of("three", "x"))
    keys.append([each.key for each in chain.match.incidents])
    assert keys == [["incident:second/three/x"]] * 3


def test_equal_ids_of_two_standbys_are_two_incidents():
    chain = begun()
    chain.look(BAD, GOOD, GOOD)
    chain.say(of("one"), of("two", "7"), of("three"))
    chain.look(BAD, BAD, GOOD)
    later = replace(of("three", "7").incidents[0], minute=40, score=Score(2, 0))
    chain.say(of("one"), of("two", "7"), replace(of("three"), score=Score(2, 0), incidents=(later,)))
    assert {each.key for each in chain.match.incidents} == {"incident:second/two/7", "incident:second/three/7"}


@pytest.mark.parametrize(
    ("first", "second", "third", "waits"),
    [
        ((), (), (), False),
        (("1",), (), (), True),
        (("1",), ("a",), (), False),
        (("1",), (), ("x",), False),
        (("1",), ("a",), ("x",), False),
    ],
)
def test_a_goal_waits_until_any_two_have_it(first, second, third, waits):
    chain = Chain(replace(RULES, hold=120.0))
    chain.say(of("one", *first), of("two", *second), of("three", *third))
    assert held_goals(chain.states) == (frozenset({"incident:1"}) if waits else frozenset())


def test_a_source_that_has_said_nothing_yet_holds_nobody_back():
    """Nor does it make anybody late: it is no further and no less far than the others have the match."""
    chain = Chain()
    nothing = replace(
        NO_GOAL, provider="three", status=Status.SCHEDULED, clock=Clock(), home=None, away=None, score=None
    )
    chain.say(of("one", "1"), of("two", "a"), nothing)
    chain.look(GOOD, GOOD, GOOD, seconds=400.0)
    chain.say(of("one", "1"), of("two", "a"), nothing)
    assert (chain.leads(), chain.match.score, chain.match.status) == ((0, Reason.FIRST), Score(1, 0), Status.LIVE)
    chain.rules = [replace(RULES, pinned=each) for each in pins(2, 2)]
    chain.look(GOOD, GOOD, GOOD, seconds=130.0)
    chain.say(of("one", "1"), of("two", "a"), nothing)
    assert (chain.leads(), chain.match.score, chain.match.status) == ((2, Reason.PINNED), Score(1, 0), Status.LIVE)


def test_each_contradiction_names_the_two_that_contradict_each_other():
    chain = begun()
    chain.say(of("one", "1"), of("two", "a"), of("three"))
    chain.look(GOOD, GOOD, GOOD, seconds=8.0)
    chain.say(of("one", "1"), of("two", "a"), of("three"))
    chain.look(GOOD, GOOD, GOOD, seconds=8.0)
    found = {
        (each.before, each.standby, each.what.about, each.what.first) for each in lasting_differences(chain.states)
    }
    assert ("score", "1:0") in {each[2:] for each in found}
    assert {each[:2] for each in found} == {(0, 2)}


def test_a_source_answers_unless_its_own_pair_calls_it_dead():
    """The first one that of the first pair, a standby that in which it stands by."""
    states = [replace(PairState(), dead=frozenset(each)) for each in ({"first"}, {"second"})]
    assert [does_answer(states, place) for place in range(3)] == [False, True, False]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_source_leads_that_a_person_has_chosen(place):
    """Whatever becomes of it."""
    chain = begun()
    chain.rules = [replace(RULES, pinned=each) for each in pins(2, place)]
    health = [GOOD, GOOD, GOOD]
    for _ in range(2):
        chain.look(*health)
    assert leader_of(chain.states) == place
    health[place] = BAD
    chain.look(*health, seconds=400.0)
    assert leader_of(chain.states) == place


def test_what_is_known_of_a_match_that_nobody_else_has_ever_led():
    state = PairState(
        lead=Lead(source="second", since=5.0, reason=Reason.SILENT), changes=(Lead(source="second", since=5.0),)
    )
    assert [(each.place, each.lead.since) for each in lead_changes((PairState(), state))] == [(2, 5.0)]
    assert (lead_changes((PairState(), PairState())), leader_of(())) == ([], 0)


def state(source="first", since=0.0, **more):
    lead = Lead(source=source, since=since, reason=Reason.SILENT)
    return PairState(lead=lead, **more)


CHAINS = {
    "nobody else": ((state(), state()), 0, 0.0),
    "the second one": ((state("second", 5.0), state()), 1, 5.0),
    "the third one": ((state(), state("second", 5.0)), 2, 5.0),
    "the last of those that lead": ((state("second", 9.0), state("second", 5.0)), 2, 5.0),
    "since the one after it gave back": ((state("second", 5.0), state(since=9.0)), 1, 9.0),
    "the first one since the latest gave back": ((state(since=7.0), state(since=9.0)), 0, 9.0),
    "the first one since the one before gave back": ((state(since=9.0), state(since=7.0)), 0, 9.0),
}


@pytest.mark.parametrize(("states", "place", "since"), CHAINS.values(), ids=CHAINS.keys())
def test_the_last_one_that_leads_those_before_it_leads(states, place, since):
    leading = who_leads(states)
    assert (leader_of(states), leading.place, leading.lead.since) == (place, place, since)


def test_a_chain_is_due_and_running_where_one_of_its_pairs_is():
    settling = state("second", since=950.0, settled=True)
    for states, due in (((state(), state()), False), ((settling, state()), True), ((state(), settling), True)):
        assert any_due(states, [RULES, RULES], 1000.0) is due
    running = state(running=True)
    for states, runs in (((state(), state()), False), ((running, state()), True), ((state(), running), True)):
        assert is_running(states) is runs


def test_changes_are_named_in_the_order_of_time_and_once():
    """A pair that changes while a later source leads changes nothing."""

    def lead(source, since):
        return Lead(source=source, since=since)

    first = state(changes=(lead("second", 1.0), lead("first", 4.0), lead("second", 5.0)))
    second = state(changes=(lead("second", 3.0), lead("first", 6.0)))
    found = lead_changes((first, second))
    assert [(each.place, each.lead.since) for each in found] == [(1, 1.0), (2, 3.0), (1, 6.0)]


PINNED = [
    (1, None, [None]), (2, 0, ["first", "first"]), (2, 1, ["second", "first"]), (2, 2, [None, "second"]),
    (3, 1, ["second", "first", "first"]),
]  # fmt: skip


@pytest.mark.parametrize(("standbys", "place", "pinned"), PINNED)
def test_a_pin_is_one_of_each_pair(standbys, place, pinned):
    assert pins(standbys, place) == pinned
    assert pinned_place(pinned) == place


@pytest.mark.parametrize(("facts", "behind"), [
    ({"home": None, "away": None}, False), ({"home": None, "away": None, "incidents": of("x", "y").incidents}, True), ({}, True),
])  # fmt: skip
def test_a_source_that_has_said_anything_is_as_far_as_it_says(facts, behind):
    late = replace(NO_GOAL, provider="two", status=Status.SCHEDULED, clock=Clock(), **facts)
    _, (known,) = fuse_sources((PairState(),), of("one"), (late,), [RULES], BEGUN)
    assert (known.second.behind_since is not None) is behind


def test_a_goal_of_the_last_pair_alone_waits():
    assert held_goals((state(held=("a",)), state(held=("b",)))) == {"b"}
    assert held_goals(()) == frozenset()
