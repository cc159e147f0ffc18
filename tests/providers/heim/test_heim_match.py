"""The match itself: teams, squads, venue, status, clock and scores."""

import pytest

from mapping.errors import InvalidRequest
from mapping.match.match import Clock, Named, Score, Status
from providers.heim.catalog import PERIOD_KEYS, names_of
from providers.heim.translate import translate
from tests.providers.heim.feed import (
    AWAY,
    BERLIN,
    HOME,
    MATCH_ID,
    NAMES,
    encoded,
    match,
    person,
    results,
    row,
    translated,
    tree,
)

KICKOFF = 1749916800
SECOND_HALF = 1749920531


def test_a_match_has_its_sides_place_and_time():
    """Names, countries and the venue are taken over; Berlin time becomes Unix seconds."""
    found = translated()

    assert (found.home.name, found.home.short_name, found.home.country) == ("SV Nordhafen", "Nordhafen", "DE")
    assert (found.away.ext_id, found.away.country) == ("502", "AT")
    assert found.location == Named(ext_id="88", name="Hafenstadion", town="Nordhafen", country="DE")
    assert (found.kickoff, found.tournament, found.text) == (KICKOFF, None, True)


def test_winter_and_summer_time_are_distinguished():
    """18:00 in Berlin is 17:00 UTC in January and 16:00 UTC in June."""
    winter, summer = (translated(match_date=day).kickoff % 86400 for day in ("14.01.2025", "14.06.2025"))

    assert (winter, summer) == (17 * 3600, 16 * 3600)


def test_an_incident_of_the_match_that_nobody_knows_is_a_fault():
    """Its id may say that the match has ended, so no whistle is missing for it; an id that is named says what it says."""
    unknown = translated(match_incident={"id": "9", "name": "?"})

    assert [(each.field, each.reason) for each in unknown.faults] == [("match_incident.id", "unknown incident '9'")]
    assert unknown.unreadable_keys == PERIOD_KEYS
    assert translated(match_incident={"id": "9"}, names=names_of({"names": {"incident_cancelled": "9"}})).faults == ()
    assert [each for each in ("1", "2", "3", "5", "8", "12") if translated(match_incident={"id": each}).faults] == []


@pytest.mark.parametrize("changes", [{"match_time": "unknown"}, {"match_time": None}, {"match_date": ""}])
def test_an_open_kickoff_is_unknown(changes):
    """A day without an hour is no kick-off, and no fault either."""
    found = translated(**changes)

    assert (found.kickoff, found.faults) == (None, ())


def test_midnight_may_stand_for_an_hour_that_is_not_fixed():
    """It is taken as it is, and marked."""
    found = translated(match_time="00:00")

    assert found.kickoff_open
    assert found.kickoff is not None
    assert not translated().kickoff_open


def test_older_bodies_get_short_name_and_country_from_the_rows():
    """Where the match has only id and name of a team, its event rows complete it."""
    bare = {"id": HOME["id"], "name": HOME["name"]}
    found = translated([row(1, "playing/lineup", 0, "home", 9)], home=bare)

    assert (found.home.short_name, found.home.country) == ("Nordhafen", "DE")


def test_squads_are_line_up_and_bench_with_everything_known_of_a_player():
    """Position, grams, gender, photo and birth date are in our units; the keeper comes first."""
    keeper = row(3, "playing/lineup", 0, "home", 1)
    keeper["team_person"]["role"] = {"id": "1", "name": "Torwart"}
    rows = [row(1, "playing/bench", 0, "home", 12), row(2, "playing/lineup", 0, "home", 9), keeper]
    home = translated(rows).home
    player = home.lineup[1]

    assert [who.number for who in home.lineup] == ["1", "9"]
    assert [who.number for who in home.bench] == ["12"]
    assert (player.ext_id, player.name, player.short_name) == ("700009", "Jan Muster9", "Muster9")
    assert (player.position, player.country, player.gender) == ("midfield", "DK", "m")
    assert (player.height, player.weight, player.birthdate) == (183, 79000, 920592000)
    assert player.image == "https://s.hs-data.com/gfx/person/l/700009.jpg"


def test_unknown_facts_of_a_player_are_left_out():
    """Zero, empty and impossible measures are no measures; photos can be switched off."""
    who = person(9, height="0", weight="", birthday="00.00.0000", country=[], gender="")
    names = names_of({"names": {"person_image": ""}})
    found = translated([row(1, "playing/lineup", 0, "home", 9, person=who)], names=names)
    (player,) = found.home.lineup

    assert (player.height, player.weight, player.birthdate, player.country, player.gender) == (None,) * 5
    assert (player.image, found.faults) == (None, ())


def test_a_competition_inside_the_match_or_above_it_is_the_tournament():
    """The round may nest season and competition; the tree has the competition above."""
    season = {"id": "77", "name": "2025", "competition": {"id": "31", "name": "Hansepokal"}}
    nested = translated(round={"id": "4711", "season": season})
    above = translate(MATCH_ID, {"match": encoded(tree(match()))}, names=NAMES, zone=BERLIN)

    assert nested.tournament == above.tournament == Named(ext_id="31", name="Hansepokal")


@pytest.mark.parametrize(
    ("period", "clock"),
    [
        ("", Clock()),
        ("game-start", Clock(phase=1, phase_started_at=SECOND_HALF)),
        ("first-half-end", Clock(phase=1, phase_started_at=KICKOFF, in_break=True, break_started_at=SECOND_HALF)),
        ("second-half-start", Clock(phase=2, phase_started_at=SECOND_HALF)),
        ("second-half-end", Clock(phase=2, in_break=True, break_started_at=SECOND_HALF)),
        ("second-extra-start", Clock(phase=4, phase_started_at=SECOND_HALF)),
        ("penalty-start", Clock(phase=2)),
        ("game-end", Clock(phase=2)),
    ],
)
def test_the_clock_counts_phases_and_knows_breaks(period, clock):
    """A phase starts at its own row; an `-end` is a break since then."""
    rows = [row(1, "match/game-start", 1, created="14.06.2025 18:00:00")]

    assert translated(rows, current_period=period).clock == clock


def test_a_break_began_when_its_row_was_written():
    """The row's own time outranks the match's."""
    rows = [row(1, "match/first-half-end", 45, created="14.06.2025 18:47:00")]

    assert translated(rows, current_period="first-half-end").clock.break_started_at == KICKOFF + 47 * 60


def test_extra_time_alone_leaves_the_running_score_in_its_row():
    """After extra time row 0 is the score, and row 2 that of 90 minutes."""
    found = translated(match_result=results(p0="2:1", p1="0:0", p2="1:1"), match_incident={"id": "1"}, finished="yes")

    assert (found.score, found.shootout, found.winner) == (Score(2, 1), None, "home")
    assert [(part.title, str(part.score)) for part in found.periods] == [("half-time", "0:0"), ("full-time", "1:1")]


@pytest.mark.parametrize(
    ("periods", "pitch"),
    [({"p0": "3:2", "p1": "1:1", "p2": "1:1", "p21": "1:1"}, Score(1, 1)), ({"p0": "5:4", "p2": "0:0"}, Score(0, 0))],
)
def test_after_a_shoot_out_row_0_is_its_tally(periods, pitch):
    """The score on the pitch is then that after 120 minutes, or after 90 where there was no extra time."""
    found = translated(match_result=results(**periods), match_incident={"id": "2"}, finished="yes")

    assert (found.score, found.winner) == (pitch, "home")
    assert str(found.shootout) == periods["p0"]


def test_during_a_shoot_out_the_kicks_are_counted():
    """What row 0 shows meanwhile is not documented, so the kicks decide."""
    kicks = [row(1, "pso/goal", 120, "home", 9), row(2, "pso/miss", 120, "away", 8), row(3, "pso/goal", 120, "home", 7)]
    rows = results(p0="1:1", p2="1:1", p21="1:1")
    found = translated(kicks, current_period="penalty-start", match_result=rows)

    assert (found.score, found.shootout, found.winner) == (Score(1, 1), Score(2, 0), None)


def test_without_a_snapshot_the_last_goal_gives_the_score_on_the_pitch():
    """Row 21 may come late; then the highest of the known scores stands."""
    rows = [row(1, "goal/head", 12, "home", 9, content="1:0"), row(2, "goal/head", 99, "away", 9, content="1:1")]
    found = translated(rows, current_period="penalty-start", match_result=results(p0="0:0", p2="1:0"))

    assert found.score == Score(1, 1)


def test_the_named_winner_is_believed():
    """`winner_team_id` outranks the score; `0` is nobody."""
    decided = translated(finished="yes", winner_team_id=AWAY["id"], match_result=results(p0="2:0"))
    level = translated(finished="yes", winner_team_id="0", match_result=results(p0="2:0"))

    assert (decided.winner, level.winner) == ("away", None)


@pytest.mark.parametrize(
    "body",
    [
        tree(match(), sport="2"),
        tree(match(), sport="23"),
        {"match": {**match(), "sport_id": "6"}, "match_result_at": []},
    ],
)
def test_another_sport_is_refused(body):
    """A match of a sport that the service does not have is named by its id."""
    with pytest.raises(InvalidRequest) as caught:
        translate(MATCH_ID, {"match": encoded(body)}, names=NAMES, zone=BERLIN)

    assert caught.value.field == "matchId"


def test_unknown_names_are_refused_with_the_nearest():
    """A correction of a name that does not exist is a mistake in the configuration."""
    with pytest.raises(ValueError, match="added_minute"):
        names_of({"names": {"added_minutes": "x"}})


def test_events_inside_the_match_are_used_instead_of_the_list():
    """`match_event` in the match outranks the other resource."""
    found = translated([row(1, "goal/head", 9, "home", 9)], match_event=[row(2, "card/red", 9, "home", 9)])

    assert "incident:2" in {i.key for i in found.incidents}
    assert "incident:1" not in {i.key for i in found.incidents}


def test_bodies_of_lists_take_the_period_from_the_rows():
    """Where the match has no `current_period`, the last period row says it."""
    rows = [row(1, "match/game-start", 1), row(2, "match/first-half-end", 45)]

    assert translated(rows, current_period=None).status is Status.BREAK
