"""What a rule makes of a list, a row a case: when a liveblog is due, and why it is not."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mapping.documents.import_options import ImportOptions
from mapping.follow.links import Links, SourceId
from mapping.follow.list_watch import SeenList
from mapping.follow.plan import KnownMatch, KnownMatches, ListView, Planned, is_settled, plan
from mapping.follow.rule import FollowRule
from mapping.match.fixture import Fixture, FixtureStatus, NamedId

KICKOFF = 1_790_000_000
HOUR = 3600
HOME, AWAY = NamedId("9", "FC Südtor"), NamedId("8", "SV Nordhafen")
LEAGUE = NamedId("12", "Bundesliga")


def fixture(match_id: str = "1", **changes: Any) -> Fixture:
    row = {
        "sport": "soccer", "competition": LEAGUE, "home": HOME, "away": AWAY, "kickoff": KICKOFF,
        "status": FixtureStatus.SCHEDULED, "gender": "male",
    }  # fmt: skip
    return Fixture(match_id=match_id, **{**row, **changes})


def rule(**changes: Any) -> FollowRule:
    row = {
        "competition": "12", "terms": ImportOptions(sport="", locale="de"), "lead": 2.0 * HOUR, "editorial_publishing": False,
        "most_a_day": 40,
    }  # fmt: skip
    return FollowRule(key="league", organization_id="o", provider="heim", **{**row, **changes})


def known(**changes: Any) -> KnownMatch:
    row = {
        "provider": "heim", "match_id": "1", "locale": "de", "teams": frozenset({"9", "8"}), "kickoff": KICKOFF,
        "by": "a call", "rule": None,
    }  # fmt: skip
    return KnownMatch(**{**row, **changes})


def planned(
    *fixtures: Fixture,
    at: float = -HOUR,
    there: tuple[KnownMatch, ...] = (),
    links: Links | None = None,
    **changes: Any,
) -> list[Planned]:
    """What becomes of the matches so many seconds after KICKOFF."""
    lists = ListView(fixtures=fixtures, timezone="Europe/Berlin", sports=frozenset({"soccer", "motorsports"}))
    return plan(rule(**changes), lists, KnownMatches(there, links or Links()), now=KICKOFF + at)


@pytest.mark.parametrize(
    ("row", "at", "outlook", "why"),
    [
        ({}, -HOUR, "due", ""),
        ({}, -2 * HOUR, "due", ""),
        ({}, -2 * HOUR - 1, "waits", "not yet so close to kick-off"),
        ({"status": None}, -HOUR, "due", ""),
        ({"status": FixtureStatus.LIVE}, HOUR, "due", ""),
        ({"status": FixtureStatus.LIVE}, 4 * HOUR - 1, "due", ""),
        ({"status": FixtureStatus.LIVE}, 4 * HOUR, "over", "kicked off longer ago than a match lasts"),
        ({"status": FixtureStatus.FINISHED}, HOUR, "over", "over"),
        ({"status": FixtureStatus.ABANDONED}, HOUR, "over", "over"),
        ({"status": FixtureStatus.CANCELLED}, -HOUR, "called-off", "cancelled"),
        ({"status": FixtureStatus.POSTPONED}, -HOUR, "waits", "postponed"),
        ({"status": None, "status_word": "ruht"}, -HOUR, "undecided", "the list says ruht, which is not known"),
        ({"kickoff": None}, -HOUR, "waits", "without a kick-off so far"),
        ({"kickoff_open": True}, -1, "waits", "without a kick-off so far"),
        ({"kickoff_open": True}, 20 * HOUR, "due", ""),
        ({"home": None}, -HOUR, "waits", "the teams are not known yet"),
        ({"away": NamedId("7", "Winner Group B")}, -HOUR, "waits", "the teams are not known yet"),
        ({"sport": "motorsports", "home": None, "away": None}, 20 * HOUR, "due", ""),
        ({"sport": "chess"}, -HOUR, "undecided", "the sport cannot be followed"),
    ],
)  # fmt: skip
def test_a_match_without_a_liveblog_is_due_or_says_why_not(row, at, outlook, why):
    (found,) = planned(fixture(**row), at=at)
    assert (found.outlook, found.why) == (outlook, why)


@pytest.mark.parametrize(
    ("wishes", "row", "named"),
    [
        ({}, {}, True),
        ({}, {"competition": NamedId("13", "2. Bundesliga")}, False),
        ({}, {"competition": None}, False),
        ({"competition": None, "team": "8"}, {}, True),
        ({"competition": None, "team": "7"}, {}, False),
        ({"team": "8"}, {"competition": None}, False),
        ({"sport": "tennis"}, {}, False),
        ({"gender": "female"}, {}, False),
        ({"gender": "male"}, {}, True),
    ],
)  # fmt: skip
def test_a_rule_names_its_matches_alone(wishes, row, named):
    assert bool(planned(fixture(**row), **wishes)) is named


def test_where_nobody_says_who_plays_a_rule_for_one_gender_creates_nothing():
    (found,) = planned(fixture(gender=None), gender="female")
    assert (found.outlook, found.why) == ("undecided", "the list does not say whether men or women play")


@pytest.mark.parametrize(
    ("there", "also", "linked", "outlook"),
    [
        ({}, (), (), "covered"),
        ({"rule": "league"}, (), (), "made"),
        ({"locale": "en"}, (), (), "due"),
        ({"match_id": "77", "rule": "league"}, (), (), "renamed"),
        ({"match_id": "77", "rule": "other"}, (), (), "covered"),
        ({"match_id": "77", "kickoff": KICKOFF + 11 * HOUR, "rule": "league"}, (), (), "renamed"),
        ({"match_id": "77", "kickoff": KICKOFF + 13 * HOUR, "rule": "league"}, (), (), "due"),
        ({"match_id": "77", "kickoff": KICKOFF - 2 * HOUR, "rule": "league"}, (), (), "renamed"),
        ({"match_id": "77", "kickoff": KICKOFF - 5 * HOUR, "rule": "league"}, (), (), "due"),
        ({"match_id": "77", "rule": "league"}, ("77",), (), "due"),
        ({"match_id": "77", "teams": frozenset({"9", "5"})}, (), (), "due"),
        ({"provider": "pa", "match_id": "p1", "teams": frozenset({"a", "b"})}, (), (), "due"),
        ({"provider": "pa", "match_id": "p1", "teams": frozenset({"a", "b"})}, (), (("9", "a"), ("8", "b")), "covered"),
        ({"provider": "pa", "match_id": "p1", "teams": frozenset({"a", "b"})}, (), (("9", "a"),), "due"),
        ({"provider": "pa", "match_id": "1", "teams": frozenset({"a", "b"})}, (), (), "due"),
        ({"match_id": "", "kickoff": KICKOFF - 15 * HOUR}, (), (), "covered"),
        ({"match_id": "", "kickoff": KICKOFF - 17 * HOUR}, (), (), "due"),
        ({"match_id": "", "teams": frozenset({"9", "5"})}, (), (), "due"),
    ],
)  # fmt: skip
def test_a_match_that_the_organization_has_in_that_language_is_not_made_again(there, also, linked, outlook):
    """By its id, or by its teams and day where its id is gone from the list; whoever made it, whichever provider feeds it."""
    links = Links((SourceId("heim", one), SourceId("pa", other)) for one, other in linked)
    rows = [fixture(), *(fixture(each, kickoff=KICKOFF + 6 * HOUR) for each in also)]
    found = planned(*rows, there=(known(**there),), links=links)
    assert next(each.outlook for each in found if each.fixture.match_id == "1") == outlook


def test_a_match_that_runs_takes_no_liveblog_of_the_teams_second_match_over():
    (found,) = planned(fixture(), at=HOUR, there=(known(match_id="77", rule="league", kickoff=KICKOFF + 5 * HOUR),))
    assert found.outlook == "due"


def test_a_match_that_is_called_off_takes_no_liveblog_over():
    (found,) = planned(fixture(status=FixtureStatus.CANCELLED), there=(known(match_id="77", rule="league"),))
    assert found.outlook == "made"


def test_of_a_day_the_earliest_are_made_and_the_others_said():
    rows = [fixture(str(number), kickoff=KICKOFF - number) for number in range(5)]
    next_day = fixture("later", kickoff=KICKOFF + 24 * HOUR)
    made = known(match_id="2", rule="league")
    found = planned(*rows, next_day, there=(made,), most_a_day=3)
    assert [(each.fixture.match_id, each.outlook.value) for each in found] == [
        ("4", "due"), ("3", "due"), ("2", "made"), ("1", "beyond"), ("0", "beyond"), ("later", "waits"),
    ]  # fmt: skip


def test_two_matches_of_two_teams_on_a_day_are_two():
    """What is known of one covers that one alone: the nearest kick-off."""
    links = Links([(SourceId("heim", "9"), SourceId("pa", "a")), (SourceId("heim", "8"), SourceId("pa", "b"))])
    there = [
        known(provider="pa", match_id=each, teams=frozenset({"a", "b"}), kickoff=KICKOFF + at)
        for each, at in (("p1", 0), ("p2", 5 * HOUR))
    ]
    found = planned(fixture("1"), fixture("2", kickoff=KICKOFF + 5 * HOUR), there=tuple(there), links=links)
    assert [each.known.match_id for each in found if each.known] == ["p1", "p2"]


@pytest.mark.parametrize(
    "name",
    [
        "Winner Group B", "Loser SF1", "1A", "2B/C", "W49", "L 12", "TBD", "To be confirmed", "Sieger HF 1", "Gruppe A",
        "1. Gruppe C", "1st Group D", "N.N.", "?", "-", " ",
    ],
)  # fmt: skip
def test_what_stands_for_a_team_is_none(name):
    assert not is_settled(NamedId("1", name))


@pytest.mark.parametrize(
    "name", ["FC Südtor", "Club Brugge", "1. FC Köln", "Leeds United", "Granada", "Group Sport Halle"]
)
def test_a_team_is_one(name):
    assert is_settled(NamedId("1", name))


@pytest.mark.parametrize(
    ("now", "days_later", "believed"),
    [
        ([1, 2, 3, 4], 0, True),
        ([1, 2], 0, True),
        ([1], 0, False),
        ([], 0, False),
        ([], 3, True),
        ([1, 2, 3, 4], -30, True),
    ],
)
def test_a_list_that_has_lost_more_than_half_of_a_days_matches_is_not_believed(now, days_later, believed):
    """Those of a day that it should have: one that is listed for another day is not lost, and days pass."""
    zone = ZoneInfo("Europe/Berlin")
    first = datetime.fromtimestamp(KICKOFF, zone).date()
    before = SeenList().seen(tuple(fixture(str(number)) for number in (1, 2, 3, 4)), first, zone)
    moved = KICKOFF + 30 * 24 * HOUR if days_later < 0 else KICKOFF
    listed = tuple(fixture(str(number), kickoff=moved) for number in now)
    after = before.seen(listed, first + timedelta(days=max(days_later, 0)), zone)
    assert (after.bad, after.fixtures) == ((0, listed) if believed else (1, before.fixtures))
