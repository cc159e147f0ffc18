"""The kicks of a shoot-out: their numbers and titles, one line among the key moments, the marks of both sides."""

from dataclasses import replace

import pytest

from ingest.sync.snapshot import InputFingerprint
from mapping.documents.state import ENDED
from mapping.documents.state import SHOOTOUT as GOING_ON
from mapping.locales import translator
from mapping.match.match import Score, Status
from mapping.posts.key_moments import Kick, MatchState, Play, key_moments, shootout_kicks
from mapping.posts.recap import recap
from mapping.posts.wording import kick_numbers, kick_title
from mapping.sports import SPORTS
from tests.mapping.soccer_builders import GEIS, MATCH, incident, involved, posts, terms

SOCCER = SPORTS["soccer"]
ENGLISH = translator("en")
START = Play(local_id="estart", kind="soccer.start-shootout", minute="120'", phase="Penalty shoot-out")


def kick(at, side, scored=True, tally=None, **fields):
    kind = "soccer.goal" if scored else "soccer.penalty-kick-missed"
    fields = {"key": f"k{at}", "order": at, "minute": 120, "phase": 5, "method": "shootout", **fields}
    return incident(kind, side=side, score=tally and Score(*tally), people=involved(scorer=GEIS), **fields)


def shot(*kicks):
    return replace(MATCH, status=Status.SHOOTOUT, score=Score(1, 1), incidents=kicks)


FIVE = (
    kick(0, "home", scored=False, tally=(0, 0)),
    kick(1, "away", scored=False, tally=(0, 0)),
    kick(2, "home", tally=(1, 0)),
    kick(3, "away", tally=(1, 1)),
    kick(4, "home", tally=(2, 1)),
)


def test_kicks_are_counted_for_each_side():
    """Goals, missed penalties and cards of the match are none."""
    others = (
        incident("soccer.goal", key="g", side="home", minute=15, phase=1, score=Score(1, 0)),
        incident("soccer.penalty-kick-missed", key="m", side="home", minute=116, phase=4),
        incident("soccer.red-card", key="c", side="home", minute=120, phase=5),
    )
    assert kick_numbers(shot(*others, *FIVE)) == {"k0": 1, "k1": 1, "k2": 2, "k3": 2, "k4": 3}


def test_the_order_of_the_feed_says_nothing_where_the_tally_does():
    """Feeds repeat their rows in any order."""
    again = [replace(each, order=at) for at, each in enumerate(reversed(FIVE))]

    assert {name: number for name, number in kick_numbers(shot(*again)).items() if name in {"k2", "k3", "k4"}} == {
        "k2": 2, "k3": 2, "k4": 3}  # fmt: skip
    same = (kick(0, "home", scored=False, tally=(1, 0)), kick(1, "home", tally=(1, 0)))
    assert kick_numbers(shot(*same)) == {"k1": 1, "k0": 2}
    without = [replace(each, score=None) for each in FIVE]
    assert kick_numbers(shot(*without)) == {"k0": 1, "k1": 1, "k2": 2, "k3": 2, "k4": 3}


def test_a_kick_of_nobody_has_no_number():
    """Its post says whether it went in."""
    match = shot(kick(0, None), kick(1, None, scored=False))
    titles = [post.document["sport_event"]["title"] for post in posts(match)]

    assert kick_numbers(match) == {}
    assert titles == ["Penalty scored", "Penalty missed"]


def test_posts_of_kicks_have_a_number_and_no_minute():
    """A minute would be that in which play ended; the phase says that they belong to the shoot-out."""
    match = shot(*FIVE)
    found = [post.document["sport_event"] for post in posts(match)]

    assert [each["title"] for each in found] == [
        "Penalty 1 of 5: missed",
        "Penalty 1 of 5: missed",
        "Penalty 2 of 5: scored",
        "Penalty 2 of 5: scored",
        "Penalty 3 of 5: scored",
    ]
    assert not any("time_of_play" in each or "score" in each for each in found)
    assert {each["phase"]["name"] for each in found} == {"Penalty shoot-out"}


def test_an_earlier_kick_that_comes_late_changes_the_numbers_of_the_others():
    """So the posts of all of them are looked at again."""
    late, *others = FIVE
    before, after = (InputFingerprint.of(match, terms()) for match in (shot(*others), shot(late, *others)))
    assert before.setting != after.setting


@pytest.mark.parametrize(
    ("locale", "of_five", "beyond"),
    [
        ("en", "Penalty 2 of 5: missed", "Penalty 6: scored"),
        ("de", "Elfmeter 2 von 5: verschossen", "Elfmeter 6: verwandelt"),
        ("fr-fr", "Tir au but 2 sur 5\N{NO-BREAK SPACE}: manqué", "Tir au but 6\N{NO-BREAK SPACE}: réussi"),
        ("it-it", "Rigore 2 di 5: sbagliato", "Rigore 6: segnato"),
        ("nl-nl", "Strafschop 2 van 5: gemist", "Strafschop 6: raak"),
        ("zh-tw", "PK第2球（共5球）：未進", "PK第6球：進球"),  # noqa: RUF001 -- its punctuation
    ],
)
def test_the_titles_in_every_language(locale, of_five, beyond):
    """After five of each side, nobody knows how many there will be."""
    texts = translator(locale)

    assert (kick_title(2, texts, scored=False), kick_title(6, texts, scored=True)) == (of_five, beyond)


def play(team, scored=True, **fields):
    kind = "soccer.goal" if scored else "soccer.penalty-kick-missed"
    role = "scorer" if scored else "player"
    fields = {"local_id": f"e{team}", "phase": "Penalty shoot-out", "roles": ((role, "Meyer"),), **fields}
    return Play(kind=kind, team=team, **fields)


def state(tally=None, gamestate=ENDED):
    parts = () if tally is None else (("Penalty shoot-out", Score(*tally)),)
    return MatchState(home="Kiel", away="Ulm", score=Score(1, 1), parts=parts, gamestate=gamestate)


def test_the_shoot_out_is_one_line():
    """It says where it stands; nothing of a kick is among goals or missed penalties, in the recap neither."""
    kicks = (play("Kiel"), play("Ulm", scored=False))
    (going,) = key_moments(SOCCER, state((1, 0), GOING_ON), (START, *kicks), ENGLISH)
    (before,) = key_moments(SOCCER, state(gamestate=GOING_ON), (START,), ENGLISH)

    assert (str(going.type), going.minute, going.text) == (
        "shoot-out",
        "120'",
        "Penalty shoot-out: Kiel against Ulm, 1-0.",
    )
    assert before.text == "The match will be decided by a penalty shoot-out."
    assert "Meyer" not in recap(SOCCER, state((1, 0)), (going,), ENGLISH)


@pytest.mark.parametrize(
    ("tally", "text"), [((2, 0), "Penalty shoot-out: Kiel against Ulm, 2-0."), (None, "Penalty shoot-out")]
)
def test_without_a_post_of_its_start_the_first_kick_stands_for_all(tally, text):
    """By the phase that its post names; it is named after nobody."""
    found = key_moments(
        SOCCER, state(tally), (play("Kiel", local_id="e1"), play("Kiel"), play("Ulm", scored=False)), ENGLISH
    )

    assert [(str(each.type), each.local_id, each.text, each.player, each.event_type) for each in found] == [
        ("shoot-out", "e1", text, "", "soccer.start-shootout")
    ]


def test_a_goal_that_is_posted_late_is_no_kick():
    """Its phase says when it fell, though its post comes after the start of the shoot-out; one without a phase is a kick."""
    late = play("Kiel", phase="2nd half", local_id="elate", score=Score(1, 0))
    found = key_moments(SOCCER, state(), (START, late, play("Ulm", phase="")), ENGLISH)

    assert [str(each.type) for each in found] == ["shoot-out", "goal"]


def test_the_marks_of_both_sides():
    """In their order, with whoever took the kick; posts that do not add up to the tally say nothing."""
    plays = (START, play("Kiel"), play("Ulm", scored=False), play("Kiel", roles=()))
    kicks = (
        Kick(side="home", scored=True, player="Meyer"),
        Kick(side="away", scored=False, player="Meyer"),
        Kick(side="home", scored=True, player=""),
    )
    assert shootout_kicks(SOCCER, state((2, 0)), plays, ENGLISH) == kicks
    assert shootout_kicks(SOCCER, state(), plays, ENGLISH) == kicks
    assert shootout_kicks(SOCCER, state((2, 1)), plays, ENGLISH) == ()
    assert shootout_kicks(SOCCER, state((2, 0)), (*plays, play("", scored=False)), ENGLISH) == ()
