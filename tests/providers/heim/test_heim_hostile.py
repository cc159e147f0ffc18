"""Rows and bodies that are not as documented: never a crash, never a loss of the rest."""

import pytest

from mapping.match.match import Fault
from tests.kit.steps import calls
from tests.providers.heim.feed import row, translated

GOOD = row(2, "goal/head", 60, "home", 7, 8, content="1:0")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"minute": {}}, ("minute", "text expected, not dict")),
        ({"minute": "zwölf"}, ("minute", "number expected, not 'zwölf'")),
        ({"action": None}, ("action", "missing")),
        ({"action": "var"}, ("action", "unknown event var/head")),
        ({"team": "SVN"}, ("team", "object expected, not str")),
        ({"person": [1]}, ("person", "object expected, not list")),
    ],
)
def test_a_row_that_cannot_be_understood_is_named(changes, fault):
    """The fault names resource, row, field and reason; the row is left out."""
    found = translated([{**row(1, "goal/head", 12, "home", 9), **changes}])

    assert found.faults == (Fault(resource="match-event", row="1", field=fault[0], reason=fault[1]),)
    assert "incident:1" not in {incident.key for incident in found.incidents}


def test_of_two_rows_with_one_id_the_last_stands():
    """Also where one id is text and the other a number."""
    first, second = row(1, "goal/head", 12, "home", 9), {**row(1, "goal/head", 13, "home", 9), "id": 1}

    assert [i.minute for i in translated([first, second]).incidents if not i.marks_period] == [13]


def test_the_order_of_the_rows_changes_nothing_but_the_order():
    """A reversed feed says the same incidents with the same phases."""
    rows = [
        row(1, "match/game-start", 1),
        row(2, "goal/head", 45, "home", 9),
        row(3, "match/first-half-end", 45),
        row(4, "match/second-half-start", 46),
        row(5, "playing/substitute-out", 60, "home", 9),
        row(6, "playing/substitute-in", 60, "home", 12),
    ]
    plain, turned = ({i.key: (i.phase, i.people) for i in translated(r).incidents} for r in (rows, rows[::-1]))

    assert plain == turned


def test_twice_as_many_substitutions_cost_twice_as_much():
    """Rows of one team and minute are paired one by one, in a number of steps that grows with theirs."""
    words = ("playing/substitute-out", "playing/substitute-in")
    few, many = (
        [row(number, words[number % 2], 60, "home", number % 90 + 1) for number in range(1, last)]
        for last in (301, 601)
    )
    steps, twice = calls(translated, few), calls(translated, many)

    assert {len(each.people) for each in translated(many).incidents if each.kind == "soccer.substitution"} == {2}
    assert twice <= 2 * steps


def test_a_row_of_a_third_team_has_no_side():
    """It happened all the same; the fault says what is odd."""
    stray = row(1, "card/red", 12, "home", 9, team={"id": "999", "name": "Fremde"})
    found = translated([stray])
    reported = {incident.key: incident for incident in found.incidents}["incident:1"]

    assert reported.side is None
    assert [(fault.field, fault.reason) for fault in found.faults] == [("team", "plays for neither side")]
