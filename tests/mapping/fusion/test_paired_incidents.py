"""Which incidents of two sources are the same one, rule by rule."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mapping.fusion.paired_incidents import Certainty, kind_class, minutes_apart, pair_incidents
from mapping.goals import credited_side
from mapping.match import Incident, Involved, Person, Score
from tests.mapping.soccer_builders import GEIS, GORETZKA, MATCH, MEYER

STRANGER = Person(ext_id="second/7", name="Goretzka Leon")
ANOTHER = Person(ext_id="second/8", name="Somebody Else")


def by(player, role="scorer"):
    return (Involved(role=role, person=player),)


GOAL = Incident(
    key="incident:1",
    kind="soccer.goal",
    order=1,
    minute=20,
    phase=1,
    side="home",
    score=Score(1, 0),
    people=by(GORETZKA),
)
CARD = replace(GOAL, kind="soccer.yellow-card", score=None, people=by(GEIS, "player"))
RED = replace(CARD, kind="soccer.red-card")
CHANGE = replace(
    CARD, kind="soccer.substitution", people=(*by(GEIS, "out"), *by(MEYER, "in"))
)  # fmt: skip
BARE = replace(GOAL, score=None)
NOBODY = replace(CARD, people=())


def pairs(one, two, more=(), others=()):
    lead = replace(MATCH, incidents=(one, *more))
    other = replace(MATCH, provider="second", incidents=(replace(two, key="incident:a"), *others))
    return {(each.lead, each.other): each.certainty for each in pair_incidents(lead, other)}


CERTAIN, PROBABLE = Certainty.CERTAIN, Certainty.PROBABLE
RULES = {
    "a goal": (GOAL, GOAL, CERTAIN),
    "two minutes later": (GOAL, replace(GOAL, minute=22), CERTAIN),
    "three minutes later": (GOAL, replace(GOAL, minute=23), PROBABLE),
    "five minutes later": (GOAL, replace(GOAL, minute=25), PROBABLE),
    "six minutes later": (GOAL, replace(GOAL, minute=26), None),
    "another score": (GOAL, replace(GOAL, score=Score(2, 0)), None),
    "another scorer": (GOAL, replace(GOAL, people=by(MEYER)), PROBABLE),
    "another scorer three minutes later": (GOAL, replace(GOAL, minute=23, people=by(MEYER)), None),
    "nobody's": (GOAL, replace(GOAL, people=()), CERTAIN),
    "nobody's three minutes later": (GOAL, replace(GOAL, minute=23, people=()), None),
    "without a minute": (GOAL, replace(GOAL, minute=None), PROBABLE),
    "without a minute and of nobody": (GOAL, replace(GOAL, minute=None, people=()), None),
    "without a score": (GOAL, BARE, CERTAIN),
    "without a score three minutes later": (BARE, replace(BARE, minute=23), None),
    "without a score and of another": (BARE, replace(BARE, people=by(MEYER)), None),
    "without a score and of nobody, the only one": (BARE, replace(BARE, people=()), PROBABLE),
    "of nobody three minutes later": (BARE, replace(BARE, minute=23, people=()), None),
    "an own goal of the other side": (GOAL, replace(GOAL, kind="soccer.own-goal", side="away"), CERTAIN),
    "an own goal of that side": (GOAL, replace(GOAL, kind="soccer.own-goal"), None),
    "of the other side": (GOAL, replace(GOAL, side="away"), None),
    "of no known side": (GOAL, replace(GOAL, side=None), CERTAIN),
    "in another half": (GOAL, replace(GOAL, phase=2), None),
    "of no known phase": (GOAL, replace(GOAL, phase=None), CERTAIN),
    "of no known phase, in the break": (replace(GOAL, minute=46), replace(GOAL, minute=46, phase=None), None),
    "at the break's last minute": (replace(GOAL, minute=51), replace(GOAL, minute=50, phase=None), None),
    "after the break": (replace(GOAL, minute=51), replace(GOAL, minute=51, phase=None), CERTAIN),
    "before the break": (replace(GOAL, minute=45), replace(GOAL, minute=45, phase=None), CERTAIN),
    "added time that another counts on": (
        replace(GOAL, minute=90, added=7, phase=2), replace(GOAL, minute=97, phase=3), CERTAIN,
    ),
    "added time of the other one": (
        replace(GOAL, minute=97, phase=3), replace(GOAL, minute=90, added=9, phase=2), CERTAIN,
    ),
    "added time too far away": (
        replace(GOAL, minute=90, added=7, phase=2), replace(GOAL, minute=94, phase=3), None,
    ),
    "two halves without added time": (
        replace(GOAL, minute=90, phase=2), replace(GOAL, minute=91, phase=3), None,
    ),
    "added time and no minute": (
        replace(GOAL, minute=90, added=7, phase=2), replace(GOAL, minute=None, phase=3), None,
    ),
    "a kick of the shoot-out": (GOAL, replace(GOAL, method="shootout"), None),
    "a kick by its phase": (GOAL, replace(GOAL, phase=5), None),
    "two kicks": (replace(GOAL, method="shootout"), replace(GOAL, method="shootout"), CERTAIN),
    "a card": (CARD, CARD, CERTAIN),
    "a card two minutes later": (CARD, replace(CARD, minute=22), CERTAIN),
    "a card three minutes later": (CARD, replace(CARD, minute=23), PROBABLE),
    "a card five minutes later": (CARD, replace(CARD, minute=25), PROBABLE),
    "a card six minutes later": (CARD, replace(CARD, minute=26), None),
    "a card without a minute": (CARD, replace(CARD, minute=None), None),
    "another's card": (CARD, replace(CARD, people=by(MEYER, "player")), None),
    "nobody's card, the only one": (CARD, NOBODY, PROBABLE),
    "nobody's card three minutes later": (CARD, replace(NOBODY, minute=23), None),
    "another card": (CARD, RED, None),
    "a red card, whenever": (RED, replace(RED, minute=40), CERTAIN),
    "a red card for a second yellow one": (RED, replace(RED, kind="soccer.yellow-red-card"), CERTAIN),
    "another's red card": (RED, replace(RED, people=by(MEYER, "player")), None),
    "a change": (CHANGE, CHANGE, CERTAIN),
    "a change with one name": (CHANGE, replace(CHANGE, people=by(MEYER, "in")), CERTAIN),
    "a change with another one": (CHANGE, replace(CHANGE, people=(*by(GEIS, "out"), *by(GORETZKA, "in"))), None),
    "a name that is joined with nobody": (GOAL, replace(GOAL, people=by(STRANGER)), CERTAIN),
    "another name that is joined with nobody": (GOAL, replace(GOAL, people=by(ANOTHER)), PROBABLE),
    "a scorer of an own goal by his role": (GOAL, replace(GOAL, people=by(GORETZKA, "own-goal")), CERTAIN),
    "an assist alone": (GOAL, replace(GOAL, people=by(GORETZKA, "assist")), CERTAIN),
}  # fmt: skip


@pytest.mark.parametrize(("one", "two", "certainty"), RULES.values(), ids=RULES.keys())
def test_how_sure_it_is_that_two_incidents_are_one(one, two, certainty):
    assert pairs(one, two) == ({} if certainty is None else {("incident:1", "incident:a"): certainty})


def named(incident, key, **more):
    return replace(incident, key=key, **more)


AMBIGUOUS = {
    "another one near by here": ((named(NOBODY, "incident:2", minute=25),), (), False),
    "another one near by there": ((), (named(NOBODY, "incident:b", minute=15),), False),
    "another one far away": ((named(NOBODY, "incident:2", minute=26),), (), True),
    "another one of the other side": ((named(NOBODY, "incident:2", side="away"),), (), True),
    "another one without a minute": ((named(NOBODY, "incident:2", minute=None),), (), False),
    "another kind": ((named(NOBODY, "incident:2", kind="soccer.foul"),), (), True),
}


@pytest.mark.parametrize(("more", "others", "paired"), AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_a_card_of_nobody_is_the_same_where_it_is_the_only_one_near_by(more, others, paired):
    assert (("incident:1", "incident:a") in pairs(CARD, NOBODY, more, others)) is paired


def test_the_surest_and_nearest_pair_comes_first():
    """One to one: by certainty, then by minutes, then by places."""
    near, far = named(CARD, "incident:a", minute=20), named(CARD, "incident:b", minute=22)
    assert pairs(CARD, far, others=(named(near, "incident:c"),)) == {("incident:1", "incident:c"): CERTAIN}
    assert pairs(CARD, replace(CARD, minute=24), others=(far,)) == {("incident:1", "incident:b"): CERTAIN}
    two = named(CARD, "incident:2")
    found = pairs(CARD, CARD, more=(two,), others=(named(CARD, "incident:b"),))
    assert list(found) == [("incident:1", "incident:a"), ("incident:2", "incident:b")]
    unsure = named(GOAL, "incident:2", people=by(MEYER))
    assert pairs(GOAL, GOAL, more=(unsure,)) == {("incident:1", "incident:a"): CERTAIN}
    assert pairs(unsure, GOAL, more=(GOAL,)) == {("incident:1", "incident:a"): CERTAIN}


KNOWN = {
    "still the same thing": (CARD, replace(CARD, minute=40, people=by(MEYER, "player")), True),
    "another class now": (CARD, replace(RED, minute=40), False),
    "of the other side now": (CARD, replace(CARD, side="away"), False),
}


@pytest.mark.parametrize(("one", "two", "stands"), KNOWN.values(), ids=KNOWN.keys())
def test_a_pair_that_is_known_stands_while_both_are_of_one_class_and_side(one, two, stands):
    lead, other = replace(MATCH, incidents=(one,)), replace(MATCH, incidents=(replace(two, key="incident:a"),))
    known = [("incident:1", "incident:a"), ("incident:1", "incident:z"), ("incident:9", "incident:a")]
    found = [(each.lead, each.other, each.certainty) for each in pair_incidents(lead, other, known)]
    assert found == ([("incident:1", "incident:a", CERTAIN)] if stands else [])


def test_what_has_one_key_in_every_source_is_one():
    """A whistle, whatever else both say of it; an id is a source's own."""
    whistle = replace(CARD, key="period:soccer.start")
    lead = replace(MATCH, incidents=(whistle, CARD))
    other = replace(MATCH, incidents=(replace(whistle, kind="soccer.end", side="away"), replace(RED, minute=80)))
    assert [(each.lead, each.other, each.certainty) for each in pair_incidents(lead, other)] == [
        ("period:soccer.start", "period:soccer.start", CERTAIN)
    ]
    assert (
        pair_incidents(
            replace(MATCH, incidents=(whistle,)), replace(MATCH, incidents=(replace(whistle, key="period:x"),))
        )
        == ()
    )


APART = {
    "one minute": ((20, None, 1), (21, None, 1), 1),
    "earlier": ((21, None, 1), (20, None, 1), 1),
    "added time": ((45, 2, 1), (45, 4, 1), 2),
    "counted on": ((45, 2, 1), (47, None, 1), 0),
    "stands at the end of the half": ((45, None, 1), (45, 7, 1), 0),
    "the other one stands there": ((45, 7, 1), (45, None, 1), 0),
    "stands before its end": ((44, None, 1), (45, 7, 1), 8),
    "of the second half": ((90, None, 2), (90, 5, 2), 0),
    "of extra time": ((105, None, 3), (105, 3, 3), 0),
    "of extra time's end": ((120, None, 4), (120, 3, 4), 0),
    "the phase of the other one": ((45, None, None), (45, 5, 1), 0),
    "no phase": ((45, None, None), (45, 5, None), 5),
    "no minute": ((None, None, 1), (45, 5, 1), None),
    "no minute there": ((45, 5, 1), (None, None, 1), None),
}


@pytest.mark.parametrize(("one", "two", "apart"), APART.values(), ids=APART.keys())
def test_minutes_between_two_incidents(one, two, apart):
    first, second = (replace(CARD, minute=each[0], added=each[1], phase=each[2]) for each in (one, two))
    assert minutes_apart(first, second) == apart


def test_what_an_incident_is_and_for_whom_it_counts():
    own = replace(GOAL, kind="soccer.own-goal")
    assert [credited_side(each) for each in (GOAL, own, replace(own, side="away"), replace(own, side=None))] == [
        "home", "away", "home", None,
    ]  # fmt: skip
    assert kind_class(own) == kind_class(GOAL) == "goal"
    assert kind_class(RED) == "sent-off"
    assert kind_class(CARD) == "soccer.yellow-card"
    assert kind_class(replace(GOAL, phase=5)) == kind_class(replace(GOAL, method="shootout")) == "goal of the shoot-out"
