"""How a match ended, in a few words: in every sport and every language, and nothing where nobody knows."""

from dataclasses import replace

import pytest

from mapping.documents.state import BEFORE, ENDED, RUNNING
from mapping.locales import translator
from mapping.locales.labels import ENDINGS, PERIODS, SCORE_CONTEXT, Label
from mapping.match.match import Score
from mapping.posts.key_moments import MatchState
from mapping.posts.recap import result_line
from mapping.sports import SPORTS

SOCCER, TENNIS, RACE = (SPORTS[name] for name in ("soccer", "tennis", "motorsports"))
FOOTBALL, HOCKEY = SPORTS["american_football"], SPORTS["icehockey"]
LOCALES = ("en", "de", "fr-fr", "it-it", "nl-nl", "zh-tw")


def over(home, away, **fields):
    return MatchState(home="Croatia", away="Denmark", score=Score(home, away), gamestate=ENDED, **fields)


def on_penalties(tally, locale="en", **fields):
    texts = translator(locale)
    title, label = (texts.text(each, context=SCORE_CONTEXT) for each in (PERIODS["shootout"], ENDINGS["shootout"]))
    return over(1, 1, decided=label, parts=((title, Score(*tally)),), **fields)


SETS = (("1st set", Score(6, 4)), ("2nd set", Score(3, 6)), ("3rd set", Score(4, 6)))
PLAYERS = MatchState(home="Federer", away="Nadal", score=Score(1, 2), gamestate=ENDED, parts=SETS)
PAIRS = replace(PLAYERS, home="R. Federer / X. Federer", away="A. Nadal / R. Nadal", winner="away")


@pytest.mark.parametrize(
    ("sport", "state", "line"),
    [
        (SOCCER, over(2, 1), "Croatia win 2-1"),
        (SOCCER, over(0, 3), "Denmark win 3-0"),
        (SOCCER, over(1, 1), "Croatia and Denmark draw 1-1"),
        (SOCCER, over(2, 3, decided="a.e.t."), "Denmark win 3-2 after extra time"),
        (SOCCER, on_penalties((3, 2)), "Croatia win 3-2 on penalties"),
        (SOCCER, on_penalties((10, 11)), "Denmark win 11-10 on penalties"),
        (FOOTBALL, over(25, 22, decided="OT"), "Croatia win 25-22 after overtime"),
        (FOOTBALL, over(22, 25), "Denmark win 25-22"),
        (HOCKEY, over(4, 3, decided="SO"), "Croatia win 4-3 after a shoot-out"),
        (TENNIS, PLAYERS, "Nadal wins 4-6, 6-3, 6-4"),
        (TENNIS, replace(PLAYERS, parts=()), "Nadal wins"),
        (TENNIS, replace(PLAYERS, decided="ret.", winner="home"), "Federer wins by retirement"),
        (TENNIS, replace(PLAYERS, decided="w/o", winner="away", parts=()), "Nadal wins by walkover"),
        (TENNIS, PAIRS, "A. Nadal / R. Nadal win 4-6, 6-3, 6-4"),
        (TENNIS, replace(PAIRS, parts=()), "A. Nadal / R. Nadal win"),
        (TENNIS, replace(PAIRS, decided="ret."), "A. Nadal / R. Nadal win by retirement"),
        (TENNIS, replace(PAIRS, decided="w/o", parts=()), "A. Nadal / R. Nadal win by walkover"),
        (RACE, MatchState(gamestate=ENDED, ranking=("Norris", "Piastri")), "Norris wins"),
        (RACE, MatchState(gamestate=ENDED, ranking=("Norris", "Piastri"), timed=True), "Norris is fastest"),
    ],
)
def test_the_winner_is_named_in_every_sport(sport, state, line):
    """Or both, of a draw; the winner's number first."""
    assert result_line(sport, state, translator("en")) == line


@pytest.mark.parametrize(
    ("sport", "state"),
    [
        (SOCCER, replace(over(2, 1), gamestate=RUNNING)),
        (SOCCER, replace(over(2, 1), gamestate=BEFORE)),
        (SOCCER, replace(over(2, 1), interrupted=Label.ABANDONED)),
        (SOCCER, replace(over(2, 1), score=None)),
        (SOCCER, replace(over(2, 1), home="")),
        (SOCCER, over(1, 1, decided="pens")),
        (SOCCER, on_penalties((2, 2))),
        (TENNIS, replace(PLAYERS, decided="ret.")),
        (TENNIS, replace(PLAYERS, decided="abandoned")),
        (TENNIS, replace(PLAYERS, score=Score(1, 1))),
        (RACE, MatchState(gamestate=ENDED)),
        (RACE, MatchState(gamestate=ENDED, ranking=("Norris",), interrupted=Label.ABANDONED)),
    ],
)
def test_nothing_is_said_where_nobody_knows(sport, state):
    """Before the end, of a match that was broken off, without a score, while it is open who won."""
    assert result_line(sport, state, translator("en")) == ""


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("en-ie", "Croatia win 3-2 on penalties"),
        ("de", "Croatia gewinnt 3:2 im Elfmeterschießen"),
        ("fr-fr", "Croatia s’impose 3-2 aux tirs au but"),
        ("it-it", "Croatia vince 3-2 ai rigori"),
        ("nl-nl", "Croatia wint met 3-2 na strafschoppen"),
        ("zh-tw", "Croatia在PK大戰以3比2獲勝"),
    ],
)
def test_a_shoot_out_in_every_language(locale, line):
    """By the words beside the score in that language."""
    assert result_line(SOCCER, on_penalties((3, 2), locale), translator(locale)) == line


@pytest.mark.parametrize("locale", LOCALES)
def test_nothing_is_left_open_in_any_language(locale):
    """No placeholder, no English."""
    texts = translator(locale)
    endings = {name: texts.text(msgid, context=SCORE_CONTEXT) for name, msgid in {**ENDINGS, **TENNIS.endings}.items()}
    lines = [
        result_line(SOCCER, over(2, 1), texts),
        result_line(SOCCER, over(1, 1), texts),
        result_line(SOCCER, over(2, 1, decided=endings["overtime"]), texts),
        result_line(TENNIS, PLAYERS, texts),
        result_line(TENNIS, replace(PLAYERS, decided=endings["retired"], winner="home"), texts),
        result_line(TENNIS, replace(PLAYERS, decided=endings["walkover"], winner="home"), texts),
        result_line(RACE, MatchState(gamestate=ENDED, ranking=("Norris",)), texts),
    ]
    assert all(lines)
    assert not any("{" in each or ("win" in each.split() and locale != "en") for each in lines)
