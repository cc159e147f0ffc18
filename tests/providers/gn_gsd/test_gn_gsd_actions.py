"""The main actions: what they become, when they happened, and who did it."""

import pytest

from mapping.match.match import Score
from providers.gn_gsd.names import names_of
from tests.providers.gn_gsd.gsd import ACTIONS, action, kinds_of, result, translated


@pytest.mark.parametrize(
    ("changes", "kind", "method"),
    [
        ({"kind": "GOAL"}, "soccer.goal", None),
        ({"kind": "Goal", "reason": "Penalty"}, "soccer.goal", "penalty"),
        ({"kind": "PENALTY_GOAL"}, "soccer.goal", "penalty"),
        ({"kind": "PENALTY", "typeDetail": "SCORED"}, "soccer.goal", "penalty"),
        ({"kind": "OWN_GOAL"}, "soccer.goal", "own-goal"),
        ({"kind": "GOAL", "typeDetail": "OWN_GOAL"}, "soccer.goal", "own-goal"),
        ({"kind": "GOAL", "reason": "Own goal"}, "soccer.goal", "own-goal"),
        ({"kind": "Penalty missed", "reason": "Hit post"}, "soccer.penalty-kick-missed", None),
        ({"kind": "PENALTY_SAVED"}, "soccer.penalty-kick-missed", None),
        ({"kind": "PENALTY", "typeDetail": "MISSED"}, "soccer.penalty-kick-missed", None),
        ({"kind": "YELLOW"}, "soccer.yellow-card", None),
        ({"kind": "CARD", "typeDetail": "YELLOW"}, "soccer.yellow-card", None),
        ({"kind": "Red (straight)"}, "soccer.red-card", None),
        ({"kind": "Red (2 yellow)"}, "soccer.red-card", "yellow-red"),
        ({"kind": "RED", "reason": "SECOND_YELLOW"}, "soccer.red-card", "yellow-red"),
        ({"kind": "SECOND_YELLOW"}, "soccer.red-card", "yellow-red"),
        ({"kind": {"code": "SUBSTITUTION"}}, "soccer.substitution", None),
    ],
)
def test_an_action_becomes_its_type(changes, kind, method):
    """Words are compared without case and punctuation, the special ones before the general."""
    found = translated([action(1, clock="14:20", side="home", who=9, **changes)])

    assert [(kind, method)] == [(each.kind, each.method) for each in found.incidents]


def test_an_own_goal_counts_for_the_team_that_it_is_credited_to():
    """The action's team gets the goal, its person plays for the other one and is named as who scored the own goal."""
    (goal,) = translated([action(1, "OWN_GOAL", "46:00", "home", 55)]).incidents

    assert "home" == goal.side
    assert [("own-goal", "Jan Muster55", "FC Südtor")] == [
        (each.role, each.person.name, each.team.name) for each in goal.people
    ]


def test_the_second_person_of_a_goal_gave_the_pass():
    """But from the spot nobody did."""
    goal, penalty = translated([
        action(1, "GOAL", "14:20", "home", 9, 7, reason="Assist"),
        action(2, "GOAL", "20:20", "home", 9, 7, reason="Penalty"),
    ]).incidents  # fmt: skip

    assert [["scorer", "assist"], ["scorer"]] == [[each.role for each in found.people] for found in (goal, penalty)]


def test_without_a_team_the_squad_shows_the_side():
    """Of an own goal the other side, which it counts for; that the team is missing is noted."""
    found = translated([action(1, "YELLOW", "14:20", who=54), action(2, "OWN_GOAL", "15:20", who=54)])

    assert ["away", "home"] == [each.side for each in found.incidents]
    assert {"participant.id"} == {fault.field for fault in found.faults}


@pytest.mark.parametrize(
    ("time", "period", "minute", "added", "phase"),
    [
        ("00:00", 1, 1, None, 1), ("14:59", 1, 15, None, 1), ("46:30", 1, 45, 2, 1), ("45:00", 2, 46, None, 2),
        ("93:10", "2H", 90, 4, 2), ("105:40", "EXTRA_TIME_FIRST_HALF", 105, 1, 3), ("119:00", 4, 120, None, 4),
        (23, 1, 23, None, 1), ("23'", 1, 23, None, 1), ("45+2", 1, 45, 2, 1), ("45+2'", 1, 45, 2, 1),
        ("90' + 4'", 2, 90, 4, 2), (2_457_000, "First half", 41, None, 1), (2_760_000, "Second half", 47, None, 2),
        ("2704000", 1, 45, 1, 1),
    ],
)  # fmt: skip
def test_the_clock_is_read_in_every_form(time, period, minute, added, phase):
    """`mm:ss`, minutes and milliseconds; what runs past the end of its period is added time."""
    (card,) = translated([action(1, "YELLOW", time, "home", 4, period=period, eventTime={
        "periodNumber": period, "time": time,
    })]).incidents  # fmt: skip

    assert (minute, added, phase) == (card.minute, card.added, card.phase)


def test_a_plain_number_counts_what_the_table_of_names_says():
    """Seconds are not guessed, but can be configured."""
    row = action(1, "YELLOW", None, "home", 4, eventTime={"time": 2700})
    (seconds,) = translated([row], names=names_of({"names": {"clock_unit": "seconds"}})).incidents

    assert (46, 2) == (seconds.minute, seconds.phase)


def test_the_order_is_that_of_the_clock_then_of_the_sequence():
    """Ids and rows are in no order."""
    found = translated([
        action(9, "YELLOW", "14:20", "home", 4, sequence=2),
        action(3, "GOAL", "14:20", "home", 9, sequence=1),
        action(5, "YELLOW", "46:10", "away", 54, period=1),
        action(1, "YELLOW", "45:10", "away", 55, period=2),
    ]).incidents  # fmt: skip

    assert ["GNA000000000003", "GNA000000000009", "GNA000000000005", "GNA000000000001"] == [
        each.key.removeprefix("incident:") for each in found
    ]
    assert [0, 1, 2, 3] == [each.order for each in found]


@pytest.mark.parametrize("mark", [{"deleted": True}, {"meta": {"updateAction": "DELETE"}}])
def test_a_deleted_action_is_gone(mark):
    """However it is marked."""
    assert () == translated([action(1, "GOAL", "14:20", "home", 9, **mark)]).incidents


GOALS = (
    action(1, "GOAL", "14:20", "home", 9),
    action(2, "OWN_GOAL", "24:20", "away", 9),
    action(3, "GOAL", "34:20", "home", 9),
)


@pytest.mark.parametrize(
    ("scores", "counted"),
    [
        ({"score": "2:1"}, True),
        ({"score": "1:1"}, True),  # the score comes behind the rows
        ({"score": "0:0"}, True),
        ({"score": "3:1"}, False),  # a goal has no row
        ({"score": "0:1"}, False),
        ({"score": "3:1", "halfTimeScore": "1:0"}, False),
        ({"score": "0:2", "fullTimeScore": "2:1"}, True),  # by decision
    ],
)
def test_the_score_after_a_goal_is_counted_where_the_rows_lead_to_the_score_of_the_match(scores, counted):
    """Or the first of them do; where rows say it themselves, it is taken as it is."""
    found = translated(GOALS, result=result(**scores)).incidents
    (given,) = translated([{**GOALS[0], "score": {"home": 4, "away": 2}}]).incidents

    assert (["1:0", "1:1", "2:1"] if counted else [None] * 3) == [each.score and str(each.score) for each in found]
    assert {None} == {each.score for each in translated(GOALS, result=None).incidents}
    assert Score(4, 2) == given.score


@pytest.mark.parametrize(
    ("total", "credited", "faults"),
    [
        ("1:1", ["home", "away"], ["GNA000000000002"]),  # line-up and score say so
        ("2:0", ["home", "home"], []),  # the score says what the row says
        ("3:0", ["home", "home"], []),  # the score says neither
    ],
)
def test_an_own_goal_whose_row_contradicts_line_up_and_score_goes_where_both_say(total, credited, faults):
    """The scorer plays for the team to which the row credits the goal."""
    found = translated([GOALS[0], action(2, "OWN_GOAL", "24:20", "home", 9)], result=result(total))

    assert credited == [each.side for each in found.incidents]
    assert faults == [each.row for each in found.faults]
    assert [None if total == "3:0" else total] == [each.score and str(each.score) for each in found.incidents[1:]]
    team = found.home if faults else found.away
    assert [team.name] == [each.team.name for each in found.incidents[1].people]


def test_what_is_not_wanted_is_passed_over_and_what_is_unknown_is_noted():
    """So that the operator sees which keyword to put into the table of names."""
    found = translated([*ACTIONS, action(7, "VAR", "50:00"), action(8, "BICYCLE_KICK", "51:00", "home", 9)])

    assert 5 == len(kinds_of(found))
    assert [("actions", "GNA000000000008", "type")] == [(each.resource, each.row, each.field) for each in found.faults]


def test_a_word_is_corrected_by_the_config():
    """A licensed user needs no code for it."""
    names = names_of({"names": {"kind_goal": "TOR", "action_kind": "event.word"}})
    row = action(1, "x", "14:20", "home", 9, event={"word": "Tor"})

    assert [("soccer.goal", 15)] == kinds_of(translated([row], names=names))
