"""Which incidents of two sources are the same one, rule by rule."""

from dataclasses import replace

import pytest

from mapping.belief.goals import credited_side
from mapping.fusion.paired_incidents import kind_class, minutes_apart, pair_incidents
from mapping.match.match import Incident, Involved, Person, Score
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
    return pair_incidents(lead, other)


RULES = {
    "a goal": (GOAL, GOAL, True),
    "two minutes later": (GOAL, replace(GOAL, minute=22), True),
    "three minutes later": (GOAL, replace(GOAL, minute=23), True),
    "five minutes later": (GOAL, replace(GOAL, minute=25), True),
    "six minutes later": (GOAL, replace(GOAL, minute=26), True),
    "another score": (GOAL, replace(GOAL, score=Score(2, 0)), True),
    "another scorer": (GOAL, replace(GOAL, people=by(MEYER)), True),
    "another scorer three minutes later": (GOAL, replace(GOAL, minute=23, people=by(MEYER)), True),
    "nobody's": (GOAL, replace(GOAL, people=()), True),
    "nobody's three minutes later": (GOAL, replace(GOAL, minute=23, people=()), True),
    "without a minute": (GOAL, replace(GOAL, minute=None), True),
    "without a minute and of nobody": (GOAL, replace(GOAL, minute=None, people=()), True),
    "without a score": (GOAL, BARE, True),
    "without a score three minutes later": (BARE, replace(BARE, minute=23), True),
    "without a score and of another": (BARE, replace(BARE, people=by(MEYER)), True),
    "without a score and of nobody, the only one": (BARE, replace(BARE, people=()), True),
    "an own goal of the other side": (GOAL, replace(GOAL, kind="soccer.own-goal", side="away"), True),
    "an own goal of that side": (GOAL, replace(GOAL, kind="soccer.own-goal"), False),
    "of the other side": (GOAL, replace(GOAL, side="away"), False),
    "of no known side": (GOAL, replace(GOAL, side=None), True),
    "in another half": (GOAL, replace(GOAL, phase=2), True),
    "of no known phase": (GOAL, replace(GOAL, phase=None), True),
    "added time that another counts on": (
        replace(GOAL, minute=90, added=7, phase=2), replace(GOAL, minute=97, phase=3), True,
    ),
    "added time of the other one": (
        replace(GOAL, minute=97, phase=3), replace(GOAL, minute=90, added=9, phase=2), True,
    ),
    "a kick of the shoot-out": (GOAL, replace(GOAL, method="shootout"), False),
    "a kick by its phase": (GOAL, replace(GOAL, phase=5), False),
    "two kicks": (replace(GOAL, method="shootout"), replace(GOAL, method="shootout"), True),
    "a card": (CARD, CARD, True),
    "a card six minutes later": (CARD, replace(CARD, minute=26), True),
    "a card without a minute": (CARD, replace(CARD, minute=None), True),
    "another's card": (CARD, replace(CARD, people=by(MEYER, "player")), True),
    "nobody's card, the only one": (CARD, NOBODY, True),
    "another card": (CARD, RED, False),
    "a red card, whenever": (RED, replace(RED, minute=40), True),
    "a red card for a second yellow one": (RED, replace(RED, kind="soccer.yellow-red-card"), True),
    "another's red card": (RED, replace(RED, people=by(MEYER, "player")), True),
    "a change": (CHANGE, CHANGE, True),
    "a change with one name": (CHANGE, replace(CHANGE, people=by(MEYER, "in")), True),
    "a change with another one": (CHANGE, replace(CHANGE, people=(*by(GEIS, "out"), *by(GORETZKA, "in"))), True),
    "a name that is joined with nobody": (GOAL, replace(GOAL, people=by(STRANGER)), True),
    "a scorer of an own goal by his role": (GOAL, replace(GOAL, people=by(GORETZKA, "own-goal")), True),
    "an assist alone": (GOAL, replace(GOAL, people=by(GORETZKA, "assist")), True),
}  # fmt: skip


@pytest.mark.parametrize(("one", "two", "paired"), RULES.values(), ids=RULES.keys())
def test_two_incidents_are_one_unless_they_are_of_another_kind_or_side(one, two, paired):
    assert pairs(one, two) == ({"incident:1": "incident:a"} if paired else {})


def test_what_has_one_key_in_every_source_is_one():
    """A whistle, whatever else both say of it; an id is a source's own."""
    whistle = replace(CARD, key="period:soccer.start")
    lead = replace(MATCH, incidents=(whistle, CARD))
    other = replace(MATCH, incidents=(replace(whistle, kind="soccer.end", side="away"), replace(RED, minute=80)))
    assert pair_incidents(lead, other) == {"period:soccer.start": "period:soccer.start"}
    alone = replace(MATCH, incidents=(whistle,))
    assert pair_incidents(alone, replace(MATCH, incidents=(replace(whistle, key="period:x"),))) == {}


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
