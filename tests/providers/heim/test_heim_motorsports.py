"""Motorsports: the session's incidents by laps, its flags, its ranking and its podium."""

from dataclasses import replace

import pytest

from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.liveblog.prefill import game_document
from mapping.match.match import ALL_PARTS, Status
from tests.kit.sport_fixtures import NOBODY, encoded, event, posted, race, session, texts_of, translated, who


def place(number, rank, **changes):
    row = {"match_result": "0", "match_result_at": "0", "rank": str(rank), "comment": "", **who(number)}
    return {**row, "person_id": row["person"]["id"], "team_id": row["team"]["id"], **changes}


def kinds(match):
    return [incident.kind.removeprefix("motorsports.") for incident in match.incidents]


def test_a_grand_prix_is_posted_from_the_start_to_the_podium():
    """Every incident of the fixture arrives, in order, with laps, drivers and teams; nothing is left unread."""
    match = translated(*race())
    found = kinds(match)

    assert () == match.faults
    assert "Formula 1, Großer Preis von São Paulo: Rennen" == match.title
    assert ["weather-info", "start", "overtake"] == found[:3]
    assert ["end", "podium"] == found[-2:]
    assert 18 == found.count("pit-stop"), "the interruption was none"
    assert (2, 4, 2, 2) == tuple(
        found.count(kind) for kind in ("virtual-safety-car", "safety-car", "red-flag", "yellow-flag")
    )
    texts = texts_of(match)
    assert "Pit stop for Leclerc (Ferrari): 24.573 seconds." in texts
    assert "On the podium: Verstappen ahead of Ocon and Gasly." == texts[-1]
    assert "Auf dem Podium: Verstappen vor Ocon und Gasly." == texts_of(match, "de")[-1]
    assert "Boxenstopp von Leclerc (Ferrari): 24,573 Sekunden." in texts_of(match, "de")


def test_the_liveblog_has_a_title_drivers_and_teams_and_no_scoreboard():
    """The state is a ranking of drivers and teams; their master data can be imported."""
    match = translated(*race())
    document = game_document(match, ImportOptions(sport="motorsports"), NOBODY)
    state = document["state_info"]

    assert document["meta_info"]["_type"].endswith("::TitleGameMetaInfo")
    assert {"scoreboard", "squads", "options"}.isdisjoint(document)
    assert state["_type"].endswith("::RankedGameStateInfo")
    assert (31, 69, "chequered-flag") == (state["gamestate"], state["total_laps"], state["flag"])
    first, second = state["ranking"][:2]
    assert ("Max Verstappen", "Red Bull", 1, "2:06:54.430") == (
        first["player"]["name"],
        first["team"]["name"],
        first["position"],
        first["time"],
    )
    assert "+19.477" == second["gap"]
    assert {"DNF", "DNS", "DSQ"} == {each.status for each in match.race.ranking if each.position is None}
    assert 20 == sum(len(team.lineup) for team in match.teams)
    assert {"Red Bull", "Kick Sauber"} <= {team.name for team in match.teams}


@pytest.mark.parametrize(
    ("given", "lap"),
    [
        ({"laps": "69", "rounds": ("0", "0")}, 12),
        ({"laps": "69", "rounds": ("30", "29")}, 31),
        ({"laps": "69", "rounds": ("5", "4")}, 12),
        ({"laps": "69", "rounds": ("69", "68")}, 69),
        ({"laps": "69", "rounds": ("30", "?")}, 31),
        ({"laps": "69", "rounds": ("30", "29"), "lap": "33"}, 33),
        ({"laps": "69", "rounds": ("9", "9"), "lap": "10"}, 12),
        ({"laps": "11", "rounds": ("9", "9"), "lap": "10"}, 11),
        ({"laps": "69", "rounds": ("68", "67"), "current_period": "game-end", "finished": "yes"}, 68),
        ({"rounds": ("30", "29")}, 12),
        ({"laps": "0", "rounds": ("30", "29")}, 12),
    ],
)
def test_the_running_lap_is_the_providers_own(given, lap):
    """What it names, or what its leader has completed and one; the page has one lap, so it is never behind an incident's."""
    rounds, changes = given["rounds"], {name: value for name, value in given.items() if name != "rounds"}
    result = [place(number, number, rounds=done) for number, done in enumerate(rounds, 1)]
    match = session(event(7, "pit-stop", 12, at="17:20:00", **who(1)), result=result, **changes)

    assert match.race.lap == lap


def test_the_ranking_has_laps_gaps_and_numbers():
    """As far as the provider has them, down to the document of the liveblog."""
    result = [
        place(1, 1, rounds="30", match_result="1:02:03.4", team_person={"id": "801", "shirtnumber": "33"}),
        place(2, 2, rounds="29", comment="+1 lap"),
        place(3, 3, rounds="0"),
    ]
    ranking = game_document(session(result=result), ImportOptions(sport="motorsports"), NOBODY)["state_info"]["ranking"]

    assert [(each["position"], each.get("laps"), each.get("gap")) for each in ranking] == [
        (1, 30, None),
        (2, 29, "+1 lap"),
        (3, None, None),
    ]
    assert ranking[0]["player"]["number"] == "33"


def test_yellow_flags_of_one_incident_are_one_post():
    """Three sectors and the end are one incident; the next lap's flag is another; a lone end is shown as such."""
    match = session(
        event(1, "yellow-flag", 12, content="1", at="17:00:00"),
        event(2, "yellow-flag", 12, content="2", at="17:00:04"),
        event(3, "overtake", 12, at="17:00:05", **who(4)),
        event(4, "yellow-flag", 12, content="3", at="17:00:09"),
        event(5, "yellow-flag", 13, content="clear", at="17:01:40"),
        event(6, "yellow-flag", 13, content="1", at="17:01:55"),
        event(7, "yellow-flag", 20, content="2", at="17:13:00"),
    )

    flags = [incident for incident in match.incidents if incident.kind == "motorsports.yellow-flag"]
    assert [("incident:1", "1, 2, 3"), ("incident:6", "1"), ("incident:7", "2")] == [
        (flag.key, flag.detail) for flag in flags
    ]
    assert texts_of(match)[1] == "Yellow flag in sector 1, 2, 3."


def test_yellow_flags_without_laps_belong_together_for_two_minutes():
    """Where no lap is known, time decides."""
    near = session(event(1, "yellow-flag", at="17:00:00"), event(2, "yellow-flag", at="17:01:59"))
    far = session(event(1, "yellow-flag", at="17:00:00"), event(2, "yellow-flag", at="17:02:01"))

    assert (1, 2) == (kinds(near).count("yellow-flag"), kinds(far).count("yellow-flag"))


TIMED = ("1. Training", "Practice 2", "Zeittraining", "Qualifying", "Sprint Shoot-Out")
RACES = ("Qualifikationsrennen", "Superpole Race", "Sprint", "Rennen", "")


@pytest.mark.parametrize(("name", "timed"), [*((each, True) for each in TIMED), *((each, False) for each in RACES)])
def test_the_name_of_a_session_says_whether_somebody_wins_it(name, timed):
    """In practice and qualifying somebody is fastest, and there is no podium; what is called a race is one."""
    row = {"match_result_at": "0", "rank": "1", "match_result": "1:27.097", "comment": "", **who(1), "person_id": "801"}
    found = session(event(1, "podium"), result=[row], finished="yes", round={"id": "5", "name": name})

    assert (found.race.timed, [each.kind for each in found.incidents if each.people]) == (
        (True, ["motorsports.end"]) if timed else (False, ["motorsports.end", "motorsports.podium"])
    )
    assert texts_of(found)[1] == (
        "Chequered flag! Muster1 (Team 0) is fastest." if timed else "Chequered flag! Muster1 (Team 0) wins."
    )


def test_a_red_flag_is_a_break_until_the_restart():
    """The session stands still, then goes on; both are shown."""
    red = event(1, "red-flag", 32, at="17:20:00")
    restart = event(2, "red-flag", 33, content="restart", at="17:45:00")
    stopped, going = session(red), session(red, restart)

    assert (Status.BREAK, "red-flag") == (stopped.status, stopped.race.flag)
    assert (Status.LIVE, "green-flag") == (going.status, going.race.flag)
    assert "The session is restarted after the red flag." == texts_of(going)[-1]


@pytest.mark.parametrize(
    ("rows", "flag"),
    [
        ([], "green-flag"),
        ([("safety-car", 3, "deployed")], "safety-car"),
        ([("safety-car", 3, "deployed"), ("safety-car", 6, "in")], "green-flag"),
        ([("virtual-safety-car", 3, "deployed")], "virtual-safety-car"),
        ([("yellow-flag", 3, "2")], "yellow-flag"),
        ([("yellow-flag", 3, "2"), ("overtake", 4, "")], "green-flag"),
    ],
)
def test_the_flag_in_force_is_the_last_word(rows, flag):
    """Safety cars stay until they come in, a yellow flag is forgotten in the next lap."""
    events = [
        event(number, kind, lap, content=content, at=f"17:00:{number:02}", **(who(1) if kind == "overtake" else {}))
        for number, (kind, lap, content) in enumerate(rows, 1)
    ]

    assert session(*events).race.flag == flag


def test_the_podium_comes_from_the_result():
    """Rank 1 to 3 of a finished session; a disqualification moves it, and before the end there is none."""
    over = {"finished": "yes", "current_period": "game-end"}
    first = session(result=[place(1, 1), place(2, 2), place(3, 3), place(4, 4)], **over)
    after = session(result=[place(1, 0, comment="DSQ"), place(2, 1), place(3, 2), place(4, 3)], **over)

    assert texts_of(first)[-1] == "On the podium: Muster1 ahead of Muster2 and Muster3."
    assert texts_of(after)[-1] == "On the podium: Muster2 ahead of Muster3 and Muster4."
    assert posted(first).keys() == posted(after).keys()
    assert "podium" not in kinds(session(result=[place(1, 1), place(2, 2), place(3, 3)]))
    assert "podium" not in kinds(session(result=[place(1, 0)], **over))


DISQUALIFIED = {
    "all others moved up": [place(1, 0, comment="DSQ"), place(2, 1), place(3, 2), place(4, 3)],
    "nobody moved": [place(1, 1, comment="DSQ"), place(2, 2), place(3, 3), place(4, 4)],
    "without a place, and nobody moved": [
        place(1, 0, comment="disqualifiziert"),
        place(2, 2),
        place(3, 3),
        place(4, 4),
    ],
    "two share the first place": [place(1, 1, comment="DSQ"), place(2, 1), place(3, 2), place(4, 3)],
}


@pytest.mark.parametrize("rows", DISQUALIFIED.values(), ids=DISQUALIFIED.keys())
def test_the_next_one_wins_where_the_winner_is_disqualified(rows):
    """However the feed has it: the next ones have the places, and who had won has none."""
    match = session(result=rows, finished="yes", current_period="game-end")

    assert [1, 2, 3, None] == [each.position for each in match.race.ranking]
    assert [None, None, None, rows[0]["comment"]] == [each.status for each in match.race.ranking]
    assert texts_of(match)[-2:] == [
        "Chequered flag! Muster2 (Team 1) wins.",
        "On the podium: Muster2 ahead of Muster3 and Muster4.",
    ]


def test_the_posts_of_the_end_say_who_has_lost_a_place_on_the_podium():
    """As long as that holds; without the disqualification everything is as it was."""
    over = {"finished": "yes", "current_period": "game-end"}
    won = session(result=[place(1, 1), place(2, 2), place(3, 3), place(4, 4)], **over)
    lost = session(result=DISQUALIFIED["nobody moved"], **over)
    before = confirm_answer(None, won, good=ALL_PARTS)
    after = confirm_answer(before, lost, good=ALL_PARTS)
    later = confirm_answer(after, replace(lost, tournament=None), good=ALL_PARTS)

    for each in (after, later):
        assert texts_of(each.match)[-2:] == [
            "Chequered flag! Muster2 (Team 1) wins. Muster1 is disqualified.",
            "On the podium: Muster2 ahead of Muster3 and Muster4. Muster1 is disqualified.",
        ]
    assert posted(won).keys() == posted(after.match).keys()
    assert texts_of(won) == texts_of(confirm_answer(later, won, good=ALL_PARTS).match)


def test_a_result_with_ids_alone_takes_its_names_from_the_events():
    """A row without person and team is still somebody, as soon as an event has named them."""
    rows = [{"match_result": "0", "match_result_at": "0", "rank": "1", "person_id": "816", "team_id": "608"}]
    named = session(event(1, "pit-stop", 2, **who(16)), result=rows).race.ranking

    assert ["Jan Muster16"] == [each.person.name for each in named]
    assert ["Team 8"] == [each.team.name for each in named]


def test_every_word_can_be_corrected():
    """A licensed user names what the feed really calls a kind and the field of the lap."""
    row = {**event(1, "boxenstopp", at="17:00:00", **who(3)), "runde": "9"}
    bodies = {"match": encoded({"match": {"id": "1", "finished": "no"}}), "match-event": encoded([row])}
    match = translated("1", bodies, **{"race_pit-stop": "boxenstopp", "lap": "runde"})

    assert [("motorsports.pit-stop", 9)] == [(each.kind, each.lap) for each in match.incidents if each.lap]
    assert ["kind"] == [fault.field for fault in translated("1", bodies).faults]
