"""Whether the match under an id is still the one that was known by it."""

from dataclasses import replace

import pytest

from mapping.match.identity import APART, APART_OPEN, APART_OVER, MatchIdentity, is_another, is_another_day, is_renamed
from mapping.match.match import Status
from tests.mapping.soccer_builders import KICKOFF, MATCH

BEFORE = MatchIdentity(teams=frozenset({"a", "b"}), kickoff=KICKOFF, status=Status.LIVE)
OVER = replace(BEFORE, status=Status.FINISHED)
PLANNED = replace(BEFORE, status=Status.SCHEDULED)
NEXT = replace(BEFORE, kickoff=KICKOFF + APART)
OTHERS = replace(BEFORE, teams=frozenset({"c", "d"}))
ONE = replace(BEFORE, teams=frozenset({"c"}))

ROWS = {
    "the same": (BEFORE, BEFORE, False),
    "another day while it runs": (BEFORE, NEXT, False),
    "another day after its end": (OVER, NEXT, True),
    "another day after it was closed": (replace(BEFORE, closed=True), NEXT, True),
    "another day before its start": (PLANNED, NEXT, False),
    "another day after it was called off": (replace(BEFORE, status=Status.CANCELLED), NEXT, False),
    "other teams while it runs": (BEFORE, OTHERS, True),
    "other teams after its end": (OVER, OTHERS, True),
    "other teams before its start": (PLANNED, OTHERS, False),
    "other teams of a postponed one": (replace(BEFORE, status=Status.POSTPONED), OTHERS, False),
    "other teams of a planned one that is closed": (replace(PLANNED, closed=True), OTHERS, True),
    "one team in common": (BEFORE, replace(BEFORE, teams=frozenset({"b", "c"})), False),
    "one team known now": (BEFORE, ONE, False),
    "one team known before": (ONE, BEFORE, False),
    "one other team known of each": (ONE, replace(ONE, teams=frozenset({"d"})), False),
}


@pytest.mark.parametrize(("before", "now", "another"), ROWS.values(), ids=ROWS.keys())
def test_another_match_has_another_day_once_it_is_over_or_no_team_in_common(before, now, another):
    assert is_another(before, now) is another


RENAMED = {
    "both teams and the day": (BEFORE, BEFORE, True),
    "later that day": (BEFORE, replace(BEFORE, kickoff=KICKOFF + APART - 1), True),
    "another day": (BEFORE, NEXT, False),
    "one team alone": (BEFORE, replace(BEFORE, teams=frozenset({"b", "c"})), False),
    "a third participant": (BEFORE, replace(BEFORE, teams=frozenset({"a", "b", "c"})), False),
    "no teams": (replace(BEFORE, teams=frozenset()), replace(BEFORE, teams=frozenset()), False),
    "one team known": (ONE, ONE, False),
    "no kick-off before": (replace(BEFORE, kickoff=None), BEFORE, False),
    "no kick-off now": (BEFORE, replace(BEFORE, kickoff=None), False),
    "over": (OVER, OVER, True),
    "over, and once more that day": (OVER, replace(OVER, kickoff=KICKOFF + APART_OVER), False),
    "over, a corrected hour": (OVER, replace(OVER, kickoff=KICKOFF + APART_OVER - 1), True),
    "over, no hour now": (OVER, replace(OVER, kickoff=KICKOFF + APART, kickoff_open=True), True),
    "closed, and once more that day": (
        replace(BEFORE, closed=True),
        replace(OVER, kickoff=KICKOFF + APART_OVER),
        False,
    ),
}


@pytest.mark.parametrize(("before", "now", "renamed"), RENAMED.values(), ids=RENAMED.keys())
def test_a_match_of_another_id_is_the_same_by_both_teams_and_the_day(before, now, renamed):
    assert is_renamed(before, now) is renamed


DAYS = {
    "twelve hours later": (APART, False, True),
    "a second less": (APART - 1, False, False),
    "twelve hours earlier": (-APART, False, True),
    "a second less earlier": (1 - APART, False, False),
    "half a day where the hour is open": (APART, True, False),
    "a day where the hour is open": (APART_OPEN, True, True),
    "a second less than a day": (APART_OPEN - 1, True, False),
}


@pytest.mark.parametrize(("seconds", "is_open", "another"), DAYS.values(), ids=DAYS.keys())
def test_another_day_is_half_a_day_away_and_a_day_where_the_hour_is_open(seconds, is_open, another):
    assert is_another_day(BEFORE, replace(BEFORE, kickoff=KICKOFF + seconds, kickoff_open=is_open)) is another
    assert not is_another_day(replace(BEFORE, kickoff=None), NEXT)
    assert not is_another_day(BEFORE, replace(NEXT, kickoff=None))


def test_the_identity_of_a_match_is_what_it_says():
    postponed = replace(MATCH, status=Status.POSTPONED, kickoff_open=True)
    assert MatchIdentity.of(postponed) == MatchIdentity(
        teams=frozenset({"694", "1536"}), kickoff=KICKOFF, kickoff_open=True, status=Status.POSTPONED
    )
    assert MatchIdentity.of(replace(MATCH, home=None)).teams == {"1536"}
