"""What is broken in a body of the other sports is named, and takes nothing else with it."""

import json

import pytest

from tests.kit.sport_fixtures import FOLDER, race, recorded_steps, translated


def cases():
    """Name → (match id, bodies) of the last answers of every fixture."""
    found = {f"{path.parent.name}/{path.stem}": recorded_steps(path) for path in sorted(FOLDER.glob("*/*.jsonl"))}
    return {name: (match_id, steps[-1]) for name, (match_id, steps) in found.items()} | {"motorsports/race": race()}


CASES = cases()


def spoilt_at(name, resource, change):
    """The match of a fixture, one of its bodies changed in place."""
    match_id, bodies = CASES[name]
    body = json.loads(bodies[resource])
    change(body)
    return translated(match_id, {**bodies, resource: json.dumps(body).encode()})


def without_results(body):
    body[0]["season"][0]["round"][0]["match"][0]["match_result"] = []


def without_first_id(body):
    del body[0]["id"]


def test_games_are_kept_where_their_rows_are_gone_at_once():
    """Every match of two sides has a result from before its start, so an empty one is a fault."""
    match_id, bodies = CASES["tennis/tie-break"]
    whole = translated(match_id, bodies)
    found = spoilt_at("tennis/tie-break", "match", without_results)

    assert found.incidents != whole.incidents
    assert {incident.key for incident in whole.incidents} <= found.unreadable | {i.key for i in found.incidents}
    assert [fault.field for fault in found.faults] == ["match_result"]


@pytest.mark.parametrize("resource", ["match-event", "liveticker"])
def test_a_row_without_an_id_hides_what_is_in_its_list_alone(resource):
    """Nobody knows which incident it is, or which text: the other list can still take back what it has."""
    found = spoilt_at("motorsports/race", resource, without_first_id)

    assert found.withdrawal_blocked == {resource}
    assert [(fault.row, fault.field, fault.blocks_withdrawal) for fault in found.faults] == [("#0", "id", True)]


def test_faults_that_are_counted_only_hide_as_well():
    """Of a body full of faults the first ones are reported, and nothing is taken back because of the rest."""
    found = spoilt_at("motorsports/race", "liveticker", lambda body: body.extend({"id": f"x{n}"} for n in range(300)))

    assert found.faults[-1].reason == "100 more faults"
    assert (found.faults[-1].resource, found.faults[-1].blocks_withdrawal) == ("liveticker", True)
