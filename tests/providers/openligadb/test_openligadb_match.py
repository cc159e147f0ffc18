"""What volunteers enter becomes a match: goals in any order, halves without whistles, results before and after the end."""

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mapping.match.match import Score, Status
from providers.openligadb.catalog import CATALOG, names_of
from providers.openligadb.translate import translate

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "openligadb" / "soccer"
BERLIN = ZoneInfo("Europe/Berlin")
KICKOFF = 1749916800


def body(name="cup-final"):
    return json.loads((FOLDER / f"{name}.match.json").read_text(encoding="utf-8"))


def read(match, **names):
    return translate("70001", {"match": json.dumps(match).encode()}, names=names_of({"names": names}), zone=BERLIN)


def kinds_of(match):
    return [(i.kind, i.minute, i.added, i.phase, i.side) for i in match.incidents]


def goal(number, home, away, minute=None, **more):
    return {"goalID": number, "scoreTeam1": home, "scoreTeam2": away, "matchMinute": minute, **more}


def test_a_cup_final_is_posted_in_the_order_of_play():
    """Goals that came in any order stand by their scores, added time apart from the half after it, kicks nowhere."""
    final = read(body())

    assert kinds_of(final) == [
        ("soccer.start", 1, None, 1, None),
        ("soccer.goal", 45, 3, 1, "home"),
        ("soccer.own-goal", 58, None, 2, "home"),
        ("soccer.goal", 98, None, 3, "away"),
        ("soccer.goal", None, None, None, "home"),
        ("soccer.end", 120, None, 5, None),
    ]
    assert [i.method for i in final.incidents] == [None, None, None, None, "penalty", None]
    assert {i.kind for i in final.incidents} == set(CATALOG["soccer"])
    assert final.faults == ()


def test_teams_places_and_times_are_read():
    """Icons only where they are safe to show, times in seconds, scorers by their id or their name."""
    final = read(body())

    assert (final.home.name, final.home.short_name, final.home.image) == (
        "SV Nordhafen",
        "Nordhafen",
        "https://images.example.org/501.png",
    )
    assert final.away.image is None
    assert (final.location.name, final.location.town, final.tournament.name) == (
        "Hafenstadion",
        "Nordhafen",
        "Hansepokal 2024/2025",
    )
    assert final.kickoff == KICKOFF
    assert [person.person.ext_id for i in final.incidents for person in i.people] == ["2101", "2102", "name:J. Amsel"]


@pytest.mark.parametrize(
    ("name", "status", "score", "phase"),
    [
        ("cup-final-planned", Status.SCHEDULED, None, 0),
        ("cup-final-running", Status.LIVE, Score(1, 1), 2),
        ("cup-final", Status.FINISHED, Score(2, 2), 5),
    ],
)
def test_the_state_follows_from_goals_results_and_the_flag(name, status, score, phase):
    """There is no field for the state of play."""
    match = read(body(name))

    assert (match.status, match.score, match.clock.phase) == (status, score, phase)


def test_a_match_that_nobody_has_entered_anything_for_has_not_begun():
    """That kick-off time has passed says nothing: matches are postponed without the feed's knowing."""
    planned = body("cup-final-planned") | {"lastUpdateDateTime": "2025-06-14T19:00:00"}

    assert read(planned).status is Status.SCHEDULED
    assert read(planned).incidents == ()


def test_results_from_long_before_kick_off_are_not_believed():
    """A league that is copied with its results has not been played yet."""
    early = body() | {"lastUpdateDateTime": "2025-06-01T10:00:00"}
    match = read(early)

    assert (match.status, match.incidents, match.score) == (Status.SCHEDULED, (), None)
    assert [fault.field for fault in match.faults] == ["lastUpdateDateTime"]


def test_the_end_waits_for_its_result():
    """The flag is often set before the result: the match is over, and is shown so when the score is known."""
    hasty = body("cup-final-running") | {"matchIsFinished": True}
    match = read(hasty)

    assert match.status is Status.FINISHED
    assert "soccer.end" not in {i.kind for i in match.incidents}
    hasty["matchResults"].append({"resultID": 1, "resultTypeID": 2, "pointsTeam1": 1, "pointsTeam2": 1})
    assert read(hasty).incidents[-1].key == "period:soccer.end"


def test_a_goal_keeps_its_key_whatever_its_id_and_place():
    """Goals are deleted and entered again; the score after a goal says which one it is."""
    again = body()
    again["goals"].reverse()
    for at, row in enumerate(again["goals"]):
        row["goalID"] = 99000 + at

    assert read(again).incidents == read(body()).incidents


def test_a_goal_entered_twice_counts_once():
    """The later entry stands, and the fault says that there were two."""
    twice = body("cup-final-running")
    twice["goals"].append(goal(99999, 1, 1, 59, isOwnGoal=True, goalGetterName="P. Nagel"))
    match = read(twice)

    assert [i.minute for i in match.incidents] == [1, 45, 59]
    assert [(fault.field, fault.reason) for fault in match.faults] == [("scoreTeam1", "a second goal for 1:1")]


def test_a_missing_goal_is_not_guessed():
    """Where both sides scored in between, the next goal belongs to nobody, and the fault says so."""
    gap = body("cup-final-running")
    gap["goals"] = [goal(1, 1, 2, 60)]
    match = read(gap)

    assert match.incidents[-1].side is None
    assert [fault.field for fault in match.faults] == ["goals"]


def test_a_goal_without_a_score_is_left_out():
    """Nothing identifies it; its neighbours stand."""
    bare = body("cup-final-running")
    bare["goals"].append(goal(3, None, None, 70, goalGetterName="N. N."))

    assert read(bare).incidents == read(body("cup-final-running")).incidents
    assert [fault.field for fault in read(bare).faults] == ["scoreTeam1"]


@pytest.mark.parametrize(
    ("minute", "overtime", "half", "expected"),
    [
        (45, False, None, (45, None, 1)), (50, True, None, (45, 5, 1)), (50, False, None, (50, None, 2)),
        (50, False, (1, 0), (45, 5, 1)), (50, True, (0, 0), (50, None, 2)), (93, True, None, (90, 3, 2)),
        (93, False, None, (90, 3, 2)), (112, True, None, (112, None, 4)), (121, True, None, (120, 1, 4)),
        (None, True, None, (None, None, None)),
    ],
)  # fmt: skip
def test_minutes_are_read_with_the_half_that_results_give(minute, overtime, half, expected):
    """The flag is set for added time and for extra time alike; the half-time result outranks it."""
    match = body("cup-final-running")
    match["goals"] = [goal(1, 1, 0, minute, isOvertime=overtime)]
    match["matchResults"] = (
        [] if half is None else [{"resultID": 1, "resultTypeID": 1, "pointsTeam1": half[0], "pointsTeam2": half[1]}]
    )
    found = read(match).incidents[-1]

    assert (found.minute, found.added, found.phase) == expected


@pytest.mark.parametrize(
    ("comment", "expected"),
    [("45+5", (45, 5, 1)), ("90 + 3, Kopfball", (90, 3, 2)), ("120+1", (120, 1, 4)), ("145+5", (45, None, 1))],
)
def test_added_time_may_stand_in_the_comment(comment, expected):
    """Some volunteers write it there, and outrank every guess."""
    match = body("cup-final-running")
    match["goals"], match["matchResults"] = [goal(1, 1, 0, 45, comment=comment)], []
    found = read(match).incidents[-1]

    assert (found.minute, found.added, found.phase) == expected


def test_results_without_a_type_go_by_their_names():
    """Leagues of earlier years have 0 for all kinds."""
    old = body()
    for row in old["matchResults"]:
        row["resultTypeID"] = 0

    assert read(old) == read(body())


def test_a_result_after_extra_time_that_takes_goals_back_is_not_believed():
    """Volunteers enter 0:0 after an extra time that was never played."""
    wrong = body("cup-final-running")
    wrong["matchResults"] += [
        {"resultID": 2, "resultTypeID": 2, "pointsTeam1": 2, "pointsTeam2": 0},
        {"resultID": 3, "resultTypeID": 3, "pointsTeam1": 0, "pointsTeam2": 0},
    ]
    wrong["goals"], wrong["matchIsFinished"] = [], True
    match = read(wrong)

    assert (match.score, match.incidents[-1].phase, match.winner) == (Score(2, 0), 2, "home")
    assert "lower than before" in match.faults[0].reason


def test_a_shoot_out_that_only_its_kicks_show_is_understood():
    """Some cups have no kinds of results beyond ninety minutes."""
    silent = body()
    silent["matchResults"] = [row for row in silent["matchResults"] if row["resultTypeID"] < 3]
    match = read(silent)

    assert (match.score, match.shootout, match.winner) == (Score(2, 2), Score(4, 2), "home")


def test_the_goals_may_be_ahead_of_the_result_and_behind_it():
    """Both are entered by hand, one after the other; whichever is further on is the score."""
    match = body("cup-final-running")
    match["matchResults"].append({"resultID": 2, "resultTypeID": 2, "pointsTeam1": 2, "pointsTeam2": 1})
    assert read(match).score == Score(2, 1)

    match["matchResults"].pop()
    assert read(match).score == Score(1, 1)


def test_names_can_be_corrected():
    """A league that counts its kinds of results otherwise is mended by the config."""
    other = body()
    for row in other["matchResults"]:
        row["resultTypeID"] += 10
        row["resultName"] = "?"

    fixed = {"result_half_time": 11, "result_full_time": 12, "result_extra_time": 13, "result_shootout": 14}
    assert read(other, **fixed) == read(body())
    with pytest.raises(ValueError, match="did you mean 'result_full_time'"):
        read(other, result_fulltime=1)
