"""A correction that moves the key of an incident edits its post, and the text of an incident belongs to it for good."""

from dataclasses import replace

import pytest

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.incident_keys import MOST_KEYS
from mapping.match.match import Fault, Score
from tests.kit.soccer_belief import CHANGE, GOAL, START, only, polled
from tests.mapping.soccer_builders import CALETA_CAR, GEIS, GORETZKA, MEYER, comment, incident, involved

OUT_AND_IN = replace(CHANGE, minute=60)
YELLOW = incident("soccer.yellow-card", key="incident:3", minute=20, people=involved(player=GEIS))
SECOND_YELLOW = replace(YELLOW, key="incident:4", minute=60)
SENT_OFF = replace(YELLOW, key="incident:5", kind="soccer.yellow-red-card", minute=60)
FIRST = replace(GOAL, score=Score(1, 0))

CORRECTED = {
    "a substitution of which both halves are exchanged": (
        [OUT_AND_IN],
        replace(OUT_AND_IN, people=involved(in_=GEIS, out=MEYER)),
    ),
    "a yellow card that becomes his second one": ([YELLOW, SECOND_YELLOW], SENT_OFF),
    "a yellow card that becomes a red one": ([SECOND_YELLOW], replace(SENT_OFF, kind="soccer.red-card")),
    "a goal with another scorer": ([FIRST], replace(FIRST, people=involved(scorer=MEYER))),
    "a goal a minute later": ([FIRST], replace(FIRST, minute=16)),
    "a goal two minutes later": ([FIRST], replace(FIRST, minute=17)),
    "a goal without a minute": (
        [replace(FIRST, minute=None)],
        replace(FIRST, minute=None, people=involved(scorer=MEYER)),
    ),
    "a goal before which another one is entered late": ([FIRST], replace(FIRST, score=Score(2, 0))),
    "a goal that becomes an own goal": (
        [FIRST],
        replace(FIRST, kind="soccer.own-goal", side="away", people=involved(scorer=CALETA_CAR)),
    ),
    "a header that becomes an own goal": (
        [replace(FIRST, method="head")],
        replace(FIRST, kind="soccer.own-goal", side="away", people=involved(scorer=CALETA_CAR)),
    ),
    "an own goal that becomes the striker's": (
        [replace(FIRST, method="own-goal", people=involved(scorer=CALETA_CAR))],
        replace(FIRST, method="foot"),
    ),
    "a goal by foot that becomes a header of another one": (
        [replace(FIRST, method="foot")],
        replace(FIRST, method="head", people=involved(scorer=MEYER)),
    ),
    "a card a minute earlier": ([YELLOW], replace(YELLOW, minute=19)),
}


def played(*incidents, **more):
    return only(incidents=(START, *incidents), **{"comments": (), **more})


@pytest.mark.parametrize(("before", "now"), CORRECTED.values(), ids=CORRECTED.keys())
def test_a_correction_under_another_key_is_believed_at_once_under_the_old_one(before, now):
    """There is never a second incident beside it, and later answers with the new key mean the same one."""
    *others, was = before
    text = comment("What happened", incident_key="incident:99")
    answer = played(*others, replace(now, key="incident:99"), comments=(text,))
    beliefs = polled(ConfirmedMatch(played(*before)), *[answer] * 4)
    wanted = played(*others, replace(now, key=was.key), comments=(replace(text, incident_key=was.key),))

    assert {each.match for each in beliefs} == {wanted}
    assert not any(each.doubted for each in beliefs)


def test_a_correction_that_is_corrected_again_keeps_its_key():
    """Under a third key, and under the first one again; a fault in its row takes nothing back."""
    under = {key: replace(FIRST, key=key, minute=minute) for key, minute in (("incident:8", 16), ("incident:9", 17))}
    beliefs = polled(ConfirmedMatch(played(FIRST)), *[played(each) for each in (*under.values(), FIRST)])
    fault = Fault(resource="match-event", row="8", field="minute", reason="no number")
    unread = polled(beliefs[0], *[replace(played(), faults=(fault,))] * 3)

    assert [16, 17, 15] == [each.match.incidents[1].minute for each in beliefs]
    assert {FIRST.key} == {each.match.incidents[1].key for each in (*beliefs, *unread)}


OTHERS = {
    "another player": ([YELLOW], replace(YELLOW, people=involved(player=MEYER))),
    "three minutes later": ([YELLOW], replace(YELLOW, minute=23)),
    "the next goal": ([FIRST], replace(FIRST, minute=16, score=Score(2, 0))),
    "his second card after the only one that is known": ([SECOND_YELLOW], replace(SENT_OFF, minute=61)),
    "of the other side": ([YELLOW], replace(YELLOW, side="away", people=involved(player=CALETA_CAR))),
    "in another lap": ([replace(YELLOW, lap=3)], replace(YELLOW, lap=4)),
    "without its minute": ([YELLOW], replace(YELLOW, minute=None)),
    "a goal of nobody another minute": (
        [replace(FIRST, people=())],
        replace(FIRST, people=(), minute=16, kind="soccer.own-goal"),
    ),
    "a kick of the shoot-out": ([FIRST], replace(FIRST, method="shootout", people=involved(scorer=MEYER))),
    "a card of nobody": ([replace(YELLOW, people=())], replace(YELLOW, people=(), minute=21)),
    "a red card of nobody": ([replace(YELLOW, people=())], replace(SENT_OFF, people=(), minute=21)),
    "a red card of another one": (
        [YELLOW],
        replace(SENT_OFF, minute=21, kind="soccer.red-card", people=involved(player=MEYER)),
    ),
    "another change": ([OUT_AND_IN], replace(OUT_AND_IN, people=involved(in_=MEYER, out=GORETZKA))),
}


@pytest.mark.parametrize(("before", "now"), OTHERS.values(), ids=OTHERS.keys())
def test_something_else_is_another_incident(before, now):
    """It is posted at once, and what is gone goes with the second answer, unless it is a first yellow card."""
    now = replace(now, key="incident:99")
    first, *_, last = polled(ConfirmedMatch(played(*before)), *[played(now)] * 3)

    assert {each.key for each in before} | {now.key} <= {each.key for each in first.match.incidents}
    assert now in last.match.incidents


def test_both_keys_in_one_answer_are_two_incidents():
    """Once the provider has the old one again, the new one stands for itself."""
    moved = replace(FIRST, key="incident:99", minute=16)
    belief = polled(ConfirmedMatch(played(FIRST)), played(moved), played(FIRST, moved))[-1]

    assert (START, FIRST, moved) == belief.match.incidents
    assert () == belief.memory.keys


def test_incidents_that_are_numbered_anew_are_taken_for_no_others():
    """Cards of one player in one minute, halves of two changes: each waits for the second answer under its own new key."""
    red = replace(SENT_OFF, minute=21)
    back = replace(OUT_AND_IN, key="incident:6", minute=61, people=involved(in_=GEIS, out=MEYER))
    all_ = (YELLOW, red, OUT_AND_IN, back)
    anew = [replace(each, key=f"{each.key}0") for each in all_]
    once, twice = polled(ConfirmedMatch(played(*all_)), *[played(*anew)] * 2)

    assert played(*all_) == once.match
    assert played(*anew) == twice.match
    assert () == once.memory.keys


def test_games_of_two_sets_are_never_one():
    """The same games won in another set are another game, whatever else of the first one is gone."""
    game = incident("tennis.game-win", key="game:s1:1", phase=1, side="home", score=Score(1, 0))
    other = replace(game, key="game:s2:1", phase=2)
    before, now = (replace(played(), sport="tennis", incidents=(each,)) for each in (game, other))

    assert [before, now] == [each.match for each in polled(ConfirmedMatch(before), now, now)]


def test_keys_of_one_match_are_bounded():
    """However often a provider numbers everything anew."""
    belief = ConfirmedMatch(played(FIRST))
    for at in range(2 * MOST_KEYS):
        belief = polled(belief, played(replace(FIRST, key=f"incident:{at + 100}", minute=15 + at % 2)))[-1]

    assert len(belief.memory.keys) == MOST_KEYS
    assert FIRST.key == belief.match.incidents[1].key


TEXT = comment("He saw it late and went in hard", incident_key=YELLOW.key)
BOTH = played(YELLOW, SENT_OFF, comments=(TEXT,))


def test_the_text_of_a_first_yellow_card_stays_when_it_is_dropped_with_its_row():
    """However often; a text of an incident that the provider still has is taken back with the second answer."""
    dropped = polled(ConfirmedMatch(BOTH), *[played(SENT_OFF)] * 5)
    withdrawn = polled(ConfirmedMatch(BOTH), *[replace(BOTH, comments=())] * 2)

    assert {BOTH} == {each.match for each in dropped}
    assert not dropped[-1].doubted
    assert () == withdrawn[-1].match.comments


def test_the_text_of_a_goal_that_is_taken_back_goes_with_it():
    """It never stands alone in between, nor goes before it where that needs more answers."""
    text = comment("What a goal", incident_key=FIRST.key)
    full = played(FIRST, comments=(text,))
    once, twice, *again = polled(ConfirmedMatch(full), played(), played(), full, *[played()] * 4)

    assert (text,) == once.match.comments
    assert [(full.comments, full.incidents)] * 4 + [((), (START,))] == [
        (each.match.comments, each.match.incidents) for each in again
    ]
    assert ((), (START,)) == (twice.match.comments, twice.match.incidents)


@pytest.mark.parametrize("incidents", [(YELLOW, SENT_OFF), (SENT_OFF,)], ids=["its row is there", "its row is dropped"])
def test_a_text_that_comes_again_under_another_key_stands_once(incidents):
    """Bound to nothing, because the provider has dropped the incident: it is that incident's, not a post of its own."""
    again = replace(TEXT, key="text:9", incident_key=None)
    headed = replace(again, html=f"<b>Yellow card for Geis</b><br/>{TEXT.html}")
    beliefs = polled(ConfirmedMatch(BOTH), *[played(*incidents, comments=(each,)) for each in (again, headed, again)])

    assert {(replace(again, incident_key=YELLOW.key),)} == {each.match.comments for each in beliefs}
    assert {BOTH.incidents} == {each.match.incidents for each in beliefs}


def test_a_text_that_is_bound_to_nothing_any_more_shows_no_headline_within_its_incident():
    """Where it stands alone the provider's headline is part of it; what is corrected in it counts."""
    loose = replace(TEXT, incident_key=None, html=f"<b>Yellow card for Geis</b><br/>{TEXT.html}")
    corrected = replace(loose, html="<b>Yellow card for Geis</b><br/>He was early")
    same, other = polled(ConfirmedMatch(BOTH), *[played(SENT_OFF, comments=(each,)) for each in (loose, corrected)])

    assert BOTH == same.match
    assert (replace(corrected, incident_key=YELLOW.key),) == other.match.comments


def test_a_text_under_the_key_of_another_one_waits():
    """Nobody knows which of both it is: the other stays, and the text stays where it was."""
    other = comment("Welcome to the stadium on this evening", key="text:5")
    both = replace(BOTH, comments=(TEXT, other))
    mixed = replace(BOTH, comments=(replace(TEXT, key=other.key),))
    once = polled(ConfirmedMatch(both), mixed)[-1]

    assert both == once.match
    assert mixed == polled(once, mixed)[-1].match


def test_of_several_that_it_may_correct_the_nearest_one_is_corrected():
    """Each once, whichever comes first."""
    early, late = YELLOW, replace(SECOND_YELLOW, minute=23)
    for order in ((early, late), (late, early)):
        belief = polled(ConfirmedMatch(played(*order)), played(replace(YELLOW, key="incident:99", minute=22)))[-1]
        assert belief.memory.keys == (("incident:99", late.key),)
        two = played(replace(YELLOW, key="incident:98", minute=22), replace(YELLOW, key="incident:99", minute=21))
        kept = polled(ConfirmedMatch(played(*order)), two)[-1].memory.keys
        assert dict(kept) == {"incident:98": late.key, "incident:99": early.key}


BOUND = {
    "the same words": (TEXT.html, True),
    "with a headline": (f"<b>Yellow</b> {TEXT.html}", True),
    "other words": ("Geis has to calm down a little now", False),
    "the beginning alone": (f"{TEXT.html} and more", False),
}


@pytest.mark.parametrize(("html", "bound"), BOUND.values(), ids=BOUND.keys())
def test_a_text_under_another_key_is_known_by_its_words(html, bound):
    loose = replace(TEXT, key="text:9", incident_key=None, html=html)
    belief = polled(ConfirmedMatch(BOTH), played(*BOTH.incidents[1:], comments=(loose,)))[-1]
    (found,) = [each for each in belief.match.comments if each.key == "text:9"]
    assert found.incident_key == (TEXT.incident_key if bound else None)


@pytest.mark.parametrize("length", [19, 20])
def test_a_text_is_known_by_its_words_from_twenty_characters_on(length):
    short = replace(TEXT, html="x" * length)
    loose = replace(short, key="text:9", incident_key=None)
    belief = polled(ConfirmedMatch(replace(BOTH, comments=(short,))), played(*BOTH.incidents[1:], comments=(loose,)))[
        -1
    ]
    assert [each.incident_key for each in belief.match.comments if each.key == "text:9"] == [
        TEXT.incident_key if length == 20 else None
    ]
