"""From bodies in the assumed shapes of Global Sports Data to the canonical match."""

import pytest

from mapping.match.match import Clock, PeriodScore, Score, Status
from providers.gn_gsd.translate import translate
from tests.providers.gn_gsd.gsd import (
    ACTIONS,
    AWAY_ID,
    HOME_ID,
    KICKOFF,
    MATCH_ID,
    NAMES,
    bodies,
    lineups,
    named,
    participant,
    person,
    translated,
)


def test_a_match_is_read():
    """Teams, score, kick-off, tournament and venue are where they were observed or are assumed to be."""
    found = translated()

    assert ("gn-gsd", MATCH_ID, "soccer") == (found.provider, found.match_id, found.sport)
    assert (HOME_ID, "SV Nordhafen", "Nordhafen") == (found.home.ext_id, found.home.name, found.home.short_name)
    assert (Score(1, 0), KICKOFF) == (found.score, found.kickoff)
    assert ("Harbour Cup", "Hafenstadion", "Nordhafen") == (
        found.tournament.name,
        found.location.name,
        found.location.town,
    )
    assert (PeriodScore(title="half-time", score=Score(1, 0)),) == found.periods
    assert not found.text
    assert () == found.faults


@pytest.mark.parametrize("body", [b"{}", b'{"lineups": {}}', b'{"lineups": []}', b'{"lineups": null}'])
def test_empty_line_ups_are_teams_without_players(body):
    """As long as nobody is named nothing is said, and nothing is wrong."""
    found = translate(MATCH_ID, bodies() | {"lineups": body}, names=NAMES)

    assert ((), (), ()) == (found.home.lineup, found.away.bench, found.faults)


def test_a_squad_is_in_the_order_of_a_line_up():
    """Goalkeeper first, then the lines, each by shirt number; the captain's mark does not hide the function."""
    home = translated().home

    assert ["1", "2", "3"] == [player.number for player in home.lineup[:3]]
    assert ["keeper", "defense", "midfield", "offense"] == list(dict.fromkeys(each.position for each in home.lineup))
    assert (11, 3) == (len(home.lineup), len(home.bench))


def test_a_common_list_of_players_is_divided_by_status_or_function():
    """Starters and bench may stand in one list; coaches and officials are no players."""
    squad = {
        "persons": [
            person(1, function={"names": named("Goalkeeper")}),
            person(12, lineupStatus="SUBSTITUTE", function="Goalkeeper"),
            person(13, function="Substitute"),
            person(40, function="Coach"),
        ]
    }
    found = translated(squads=lineups(homeParticipant={**participant("home"), **squad}))

    assert (["Jan Muster1"], ["Jan Muster12", "Jan Muster13"]) == (
        [each.name for each in found.home.lineup],
        [each.name for each in found.home.bench],
    )


def test_sides_may_be_a_list_with_their_teams():
    """Then the team's id decides whose players they are."""
    rows = [{"participant": {"id": AWAY_ID}, "starters": [person(51)]}, {"participant": {"id": HOME_ID}}]
    found = translated(squads=rows)

    assert ([], ["Jan Muster51"]) == (
        [each.name for each in found.home.lineup],
        [each.name for each in found.away.lineup],
    )


@pytest.mark.parametrize(
    ("changes", "status", "clock"),
    [
        ({"status": "NOT_STARTED", "currentPeriod": None}, Status.SCHEDULED, Clock()),
        ({"status": "Line-up", "currentPeriod": None}, Status.SCHEDULED, Clock()),
        ({"status": "IN_PROGRESS", "currentPeriod": {"number": 1}}, Status.LIVE, Clock(phase=1)),
        ({"status": "IN_PROGRESS", "currentPeriod": "Half-time"}, Status.BREAK, Clock(phase=1, in_break=True)),
        ({"status": "INTERVAL", "currentPeriod": None}, Status.BREAK, Clock(phase=1, in_break=True)),
        ({"status": None, "currentPeriod": {"number": "3"}}, Status.LIVE, Clock(phase=3)),
        ({"status": "IN_PROGRESS", "currentPeriod": "SHOOT_OUT"}, Status.SHOOTOUT, Clock(phase=1)),
        ({"status": "Finished (official)", "currentPeriod": None}, Status.FINISHED, Clock(phase=2)),
        ({"status": {"code": "FINISHED"}, "currentPeriod": {"number": 4}}, Status.FINISHED, Clock(phase=4)),
        ({"status": "ACTIVE", "scheduleStatus": "POSTPONED", "currentPeriod": None}, Status.POSTPONED, Clock()),
        ({"status": "ABANDONED", "currentPeriod": {"number": 2}}, Status.ABANDONED, Clock(phase=2)),
        ({"status": "Canceled", "currentPeriod": None}, Status.CANCELLED, Clock(phase=1)),
        ({"status": None, "currentPeriod": None}, Status.SCHEDULED, Clock()),
    ],
)
def test_the_status_and_the_period_show_where_the_match_stands(changes, status, clock):
    """The first known keyword of the status decides what is over; of a running match the period knows more."""
    found = translated(**changes)

    assert (status, clock) == (found.status, found.clock)


def test_without_any_word_what_happened_gives_the_status():
    """Actions mean that play is on, an actual end that it is over."""
    silent = {"status": None, "currentPeriod": None}
    ended = {"dateAndTimeInfo": {"actualEndTimeUTC": "2025-06-14T17:51:00Z"}}

    assert (Status.LIVE, 2) == (translated(ACTIONS, **silent).status, translated(ACTIONS, **silent).clock.phase)
    assert Status.FINISHED is translated(ACTIONS, **silent, **ended).status


def test_the_clock_counts_from_the_start_of_the_period():
    """Where the provider says it; the actual start of the match stands for the first half."""
    first = {"currentPeriod": 1, "dateAndTimeInfo": {"actualStartTimeUTC": "2025-06-14T16:01:00Z"}}

    assert KICKOFF + 3731 == translated().clock.phase_started_at
    assert KICKOFF + 60 == translated(**first).clock.phase_started_at


def test_a_team_that_is_not_determined_is_none():
    """The liveblog waits for it; a team without an id is known by its name."""
    nameless = translated(awayParticipant=None)
    without_id = translated(homeParticipant={"names": named("Winner Group A")})

    assert nameless.away is None
    assert "Winner Group A" == without_id.home.ext_id
    assert ["homeParticipant.id"] == [fault.field for fault in without_id.faults]


@pytest.mark.parametrize("sport", [None, {"names": named("Fußball")}, "SOCCER", {"id": "GNFB17MNF4TH4KM"}])
def test_a_match_is_soccer_unless_it_says_otherwise(sport):
    """By name in the languages of the feed; an id that nobody has named says nothing."""
    assert "soccer" == translated(sport=sport).sport


@pytest.mark.parametrize(("field", "value"), [("status", "WARMING_UP"), ("currentPeriod", "TEA")])
def test_an_unknown_word_is_noted_by_its_field(field, value):
    """So that a wrong guess about the provider can be seen and corrected."""
    faults = translated(**{field: value}).faults

    assert [(field, MATCH_ID)] == [(fault.field, fault.row) for fault in faults]
