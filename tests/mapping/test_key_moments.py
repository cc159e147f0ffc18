"""Key moments and recap of plays that no recording has."""

import pytest

from mapping.documents.state import ENDED, RUNNING
from mapping.locales import translator
from mapping.match.match import Score
from mapping.posts.key_moments import MatchState, Play, key_moments
from mapping.posts.recap import recap
from mapping.sports import SPORTS

SOCCER, RACE = SPORTS["soccer"], SPORTS["motorsports"]
STATE = MatchState(home="Kiel", away="Ulm", score=Score(1, 0), gamestate=ENDED)
GOAL = Play(local_id="e1", kind="soccer.goal", team="Kiel", minute="9'", score=Score(1, 0))


def play(kind, **fields):
    return Play(local_id=f"e{kind}", kind=f"soccer.{kind}", **fields)


def moments(*plays, sport=SOCCER, state=STATE, locale="en"):
    return key_moments(sport, state, plays, translator(locale))


def types(*plays, **more):
    return [str(each.type) for each in moments(*plays, **more)]


def test_the_end_of_play_is_left_out_where_the_result_says_it():
    """It stands until then, and for good where play went on or a break is what the match ended in."""
    assert types(GOAL, play("end-of-regular-play")) == ["goal", "break"]
    assert types(GOAL, play("end-of-regular-play"), play("end")) == ["goal", "result"]
    assert types(GOAL, play("end-of-regular-play"), play("start-overtime"), GOAL, play("end")) == [
        "goal", "break", "goal", "result",
    ]  # fmt: skip
    assert types(play("pause-halves"), play("end")) == ["break", "result"]


def test_a_goal_without_a_score_leaves_the_score_open():
    """Nothing is guessed: the next goal that shows a score says where the match stands."""
    found = moments(GOAL, play("goal"), play("pause-halves"), play("goal", score=Score(2, 1)), play("red-card"))

    assert [each.score for each in found] == [Score(1, 0), None, None, Score(2, 1), Score(2, 1)]
    assert found[2].text == "The first half is over."


def test_kicks_of_the_shoot_out_change_no_score():
    """One line stands for all of them, and the result has the score on the pitch with the tally beside it."""
    kick = play("goal", team="Ulm", roles=(("scorer", "Petersen"),))
    state = MatchState(
        home="Kiel",
        away="Ulm",
        score=Score(1, 0),
        decided="pens",
        gamestate=ENDED,
        parts=(("Penalty shoot-out", Score(3, 4)),),
    )
    found = moments(
        GOAL, play("start-shootout"), kick, play("penalty-kick-missed", team="Kiel"), play("end"), state=state
    )

    assert [each.score for each in found] == [Score(1, 0)] * 3
    assert [str(each.type) for each in found] == ["goal", "shoot-out", "result"]
    assert found[1].text == "Penalty shoot-out: Kiel against Ulm, 3-4."
    assert found[-1].text == "Full-time: Kiel 1-0 Ulm, 3-4 on penalties."
    assert recap(SOCCER, state, found, translator("en")).endswith("on penalties. Goals: 1-0 Kiel 9'.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The safety car comes in.", "The safety car comes in."),
        ("The safety car is deployed.", "The safety car is deployed."),
        ("What a mess in turn three.", "Safety car"),
    ],
)
def test_whether_a_flag_begins_or_ends_is_never_guessed(text, expected):
    """The post's own sentence says it; where a provider wrote another one, the moment has the title alone."""
    (found,) = moments(Play(local_id="e1", kind="motorsports.safety-car", text=text), sport=RACE)

    assert (found.type, found.text) == ("flag", expected)


def test_a_race_has_a_recap():
    """Who leads in which lap, and who won."""
    state = MatchState(gamestate=RUNNING, lap="3/20", ranking=("Ocon", "Gasly", "Russell"))
    over = MatchState(gamestate=ENDED, ranking=("Ocon",))

    assert recap(RACE, state, (), translator("de")) == "Runde 3/20: Ocon führt vor Gasly und Russell."
    assert recap(RACE, over, (), translator("en")) == "The winner is Ocon."
    assert recap(RACE, MatchState(gamestate=0, ranking=("Ocon",)), (), translator("en")) == ""


@pytest.mark.parametrize("locale", ["en", "de", "en-gb", "en-ie", "en-au", "en-nz", "fr-fr", "it-it", "nl-nl", "zh-tw"])
def test_every_language_has_every_sentence(locale):
    """No placeholder is left, and no sentence ends with two full stops."""
    played = (GOAL, play("red-card", team="Ulm"), play("penalty-kick-missed", team="Ulm"), play("pause-halves"))
    state = MatchState(home="Kiel", away="Ulm", score=Score(1, 0), decided="n. V.", gamestate=RUNNING, phase=2)
    found = moments(*played, state=state, locale=locale)
    written = [recap(SOCCER, state, found, translator(locale)), *(each.text for each in found)]

    assert not any("{" in text or ".." in text for text in written)
    assert "9'" in written[0]


def test_what_people_post_of_american_football_is_a_key_moment():
    """Scores and ends of quarters, also without a score beside them; nobody says that the score between them is known."""
    kinds = ("touchdown", "end-of-quarter", "field-goal", "pause-halves", "safety", "two-point-conversion", "punt")
    shown = {"touchdown": Score(6, 0), "end-of-quarter": Score(7, 0)}
    plays = [Play(local_id=each, kind=f"american_football.{each}", score=shown.get(each)) for each in kinds]
    found = moments(*plays, sport=SPORTS["american_football"], state=MatchState(home="Kiel", away="Ulm"))

    assert [(str(each.type), each.local_id) for each in found] == [
        ("score", "touchdown"), ("break", "end-of-quarter"), ("score", "field-goal"), ("break", "pause-halves"),
        ("score", "safety"), ("score", "two-point-conversion"),
    ]  # fmt: skip
    assert [each.score for each in found] == [Score(6, 0), Score(7, 0), None, None, None, None]
    assert [each.text for each in found][2:4] == ["Field goal", "Half-time"]


def test_a_milestone_is_named_by_its_headline_or_its_words():
    """A post that names no incident, and an incident that is none by itself; what is one by itself stays what it is."""
    plain = Play(local_id="e1", kind="", headline="A record crowd", milestone=True)
    silent = Play(local_id="e2", kind="", text="Rain.", milestone=True)
    booked = play("yellow-card", team="Ulm", milestone=True)
    found = moments(plain, silent, booked, Play(local_id="e3", kind="", text="No"), GOAL)

    assert [(str(each.type), each.text) for each in found] == [
        ("milestone", "A record crowd"),
        ("milestone", "Rain."),
        ("milestone", "Yellow card for Ulm."),
        ("goal", "Goal for Kiel! The score is now 1-0."),
    ]
