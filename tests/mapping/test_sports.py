"""The rows of a sport agree with each other."""

import pytest

from mapping.posts.wording import placeholders
from mapping.sports import SPORTS, absorbed_by, sport_of
from mapping.sports.base import spoken
from mapping.sports.positions import POSITIONS
from tests.mapping.soccer_builders import MATCH

SOCCER = SPORTS["soccer"]
KNOWN = {"team", "opponent", "home", "away", "score", "award", "shootout", "player"}
KNOWN |= {"winner", "loser", "winners", "losers", "sets", "set", "won", "detail", "seconds"}


def test_soccer_has_the_types_of_the_interface_in_its_order():
    """The catalogue of soccer is the interface's column, word for word."""
    assert SOCCER.catalog == (
        "soccer.goal",
        "soccer.own-goal",
        "soccer.yellow-card",
        "soccer.red-card",
        "soccer.yellow-red-card",
        "soccer.penalty-kick-missed",
        "soccer.substitution",
        "soccer.start",
        "soccer.pause-halves",
        "soccer.resume-halves",
        "soccer.end-of-regular-play",
        "soccer.start-overtime",
        "soccer.pause-overtime",
        "soccer.resume-overtime",
        "soccer.end-of-overtime",
        "soccer.start-shootout",
        "soccer.end",
    )


@pytest.mark.parametrize("sport", SPORTS.values(), ids=lambda sport: sport.id)
def test_sentences_ask_only_for_what_can_be_known(sport):
    """The placeholders of every sentence are teams, scores or roles of the sport, so that it can be chosen."""
    for kind in sport.kinds:
        for sentence in (*kind.sentences, *(each for variant in kind.variants.values() for each in variant)):
            assert placeholders(sentence) <= KNOWN | sport.roles.keys(), sentence


@pytest.mark.parametrize("sport", SPORTS.values(), ids=lambda sport: sport.id)
def test_rows_refer_to_rows(sport):
    """Ids are unique, absorbing types and positions exist, and there is a name for every phase."""
    assert len({kind.id for kind in sport.kinds}) == len(sport.kinds)
    assert {kind.absorbed_by for kind in sport.kinds} - {None} <= set(sport.catalog)
    assert set(sport.positions) <= POSITIONS.keys()
    if sport.timing is not None:
        assert len(sport.phases) - sport.timing.phases in {0, 1}, "the phases, then perhaps a shoot-out"


def test_a_first_yellow_card_is_absorbed_by_the_second():
    """Only the first yellow card is dropped by providers without being taken back."""
    assert absorbed_by("soccer.yellow-card") == "soccer.yellow-red-card"
    assert {kind for kind in SOCCER.catalog if absorbed_by(kind)} == {"soccer.yellow-card"}
    assert absorbed_by("curling.hog") is None


def test_phases_count_from_one():
    """Phase numbers outside a match have no name."""
    assert [SOCCER.phase(number) for number in (None, 0, 1, 5, 6)] == [
        None,
        None,
        "1st half",
        "Penalty shoot-out",
        None,
    ]


@pytest.mark.parametrize(("word", "expected"), [("soccer.own-goal", "Own goal"), ("pit_stop", "Pit stop"), ("", "")])
def test_unknown_words_are_made_readable(word, expected):
    """What has no row is called by its id, as people would say it."""
    assert spoken(word) == expected


def test_an_unknown_sport_has_a_scoreboard_where_two_teams_meet():
    """A sport without rows still becomes a liveblog, by what the provider gives."""
    assert sport_of(MATCH) is SOCCER
    assert SOCCER.scoreboard is True
