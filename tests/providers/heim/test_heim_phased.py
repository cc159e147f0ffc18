"""American football and ice hockey: the scores of the parts, the clock, overtime and the shoot-out."""

import json

import pytest

from mapping.documents.import_options import ImportOptions
from mapping.liveblog.display_clock import display
from mapping.liveblog.prefill import game_document
from mapping.match.match import Score, Status
from providers.heim.sports.phased import part_scores
from tests.kit.sport_fixtures import FOLDER, NOBODY, encoded, recorded_steps, stepped, translated


def parts(match):
    return {part.title: str(part.score) for part in match.periods}


def board(match, locale="en"):
    return game_document(match, ImportOptions(sport=match.sport, locale=locale), NOBODY)


def test_a_super_bowl_has_four_quarters_and_overtime():
    """Points are reported by quarter, and the title beside the score says how it was decided."""
    final = stepped("american_football", "overtime")[-1]

    assert {"1": "0:0", "2": "3:10", "3": "10:0", "4": "6:9", "overtime": "6:3"} == parts(final)
    assert (Score(25, 22), "home", "overtime") == (final.score, final.winner, final.decided)
    document = board(final)
    assert "OT" == document["scoreboard"]["score"]["title"]
    assert ["1", "2", "3", "4", "OT"] == [each["title"] for each in document["scoreboard"]["scores"]]
    assert not final.incidents
    assert () == final.faults


def test_a_quarter_counts_down():
    """The clock shows what is left of the quarter, and nothing in the breaks."""
    matches = stepped("american_football", "overtime")
    third = next(match for match in matches if match.clock.phase == 3 and match.status is Status.LIVE)
    half_time = next(match for match in matches if match.clock.phase == 2 and match.status is Status.BREAK)
    document = board(third)

    began = document["state_info"]["check_time"]
    assert "10:30" == display(document["options"], document["state_info"], began + 270)
    assert {"recurrence": 2, "is_break": True}.items() <= board(half_time)["state_info"].items()
    assert "" == display(document["options"], board(half_time)["state_info"], began)


def test_running_totals_differ_from_points_within_a_quarter():
    """Quarters that add up to more than the score are totals, and become what was scored within each."""
    totals = {"0": Score(17, 10), "1": Score(7, 0), "2": Score(10, 10), "3": Score(10, 10), "4": Score(17, 10)}
    within = {"0": Score(17, 10), "1": Score(7, 0), "2": Score(3, 10), "3": Score(0, 0), "4": Score(7, 0)}

    assert part_scores(4, totals) == part_scores(4, within)


def test_an_olympic_final_ends_in_overtime():
    """Thirds and overtime are reported one by one, and their names in the language of the liveblog."""
    final = stepped("icehockey", "overtime")[-1]

    assert {"1": "1:0", "2": "0:1", "3": "2:2", "overtime": "1:0"} == parts(final)
    assert "n. V." == board(final, "de")["scoreboard"]["score"]["title"]
    assert (Status.FINISHED, 4) == (final.status, final.clock.phase)


def test_a_shoot_out_adds_one_goal_for_its_winner():
    """The score is the feed's, overtime stays 0:0, and the title says penalties."""
    matches = stepped("icehockey", "shoot-out")

    assert matches[-2].status is Status.SHOOTOUT
    assert (Score(2, 3), "away", "shootout") == (matches[-1].score, matches[-1].winner, matches[-1].decided)
    assert {"1": "0:1", "2": "1:0", "3": "1:1", "overtime": "0:0"} == parts(matches[-1])
    assert "SO" == board(matches[-1])["scoreboard"]["score"]["title"]


@pytest.mark.parametrize(
    ("sport", "name"), [("american_football", "overtime"), ("icehockey", "overtime"), ("icehockey", "shoot-out")]
)
def test_a_bare_envelope_is_recognized_by_its_words(sport, name):
    """Without a sport, the names of the parts decide which it is."""
    match_id, steps = recorded_steps(FOLDER / sport / f"{name}.jsonl")
    for bodies in steps[2:]:
        inner = json.loads(bodies["match"])[0]["season"][0]["round"][0]["match"][0]
        ids = ("0", "1", "2", "3", *(("4",) if sport == "american_football" else ()), "21")
        bare = encoded({"match": inner, "match_result_at": [{"id": each} for each in ids]})

        assert translated(match_id, {"match": bare}).sport == sport


def test_an_unknown_word_is_a_running_match_with_a_fault():
    """A part that nobody knows stops nothing."""
    match_id, steps = recorded_steps(FOLDER / "icehockey" / "overtime.jsonl")
    tree = json.loads(steps[1]["match"])
    tree[0]["season"][0]["round"][0]["match"][0]["current_period"] = "fourth-third-start"
    match = translated(match_id, {"match": encoded(tree)})

    assert match.status is Status.LIVE
    assert ["current_period"] == [fault.field for fault in match.faults]
