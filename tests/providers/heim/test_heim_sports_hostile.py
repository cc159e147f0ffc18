"""Each fixture of the other sports with each field removed, nulled, retyped, reordered, duplicated: never a crash."""

import json
import random

import pytest

from mapping.errors import DownstreamRejected, InvalidRequest
from mapping.import_options import ImportOptions
from mapping.prefill import game_document
from tests.kit.hostile import SHARES, broken
from tests.kit.sport_fixtures import FOLDER, NOBODY, posted, race, recorded_steps, translated

RETYPED = (None, "", "x", "0", -1, 3.5, True, [], {}, [{}], "9" * 50)


def cases():
    """Name → (match id, bodies) of the last answers of every fixture."""
    found = {f"{path.parent.name}/{path.stem}": recorded_steps(path) for path in sorted(FOLDER.glob("*/*.jsonl"))}
    return {name: (match_id, steps[-1]) for name, (match_id, steps) in found.items()} | {"motorsports/race": race()}


CASES = cases()


def thinned(value):
    """The body with two members of each list at most: rows are alike."""
    if isinstance(value, list):
        return [thinned(each) for each in value[:2]]
    return {key: thinned(each) for key, each in value.items()} if isinstance(value, dict) else value


def of_each_kind(body):
    """The body with one row of each kind in its list of rows: those of one kind take the same way."""
    rows = json.loads(body)
    if isinstance(rows, list):
        rows = list({(row.get("action"), row.get("kind")): row for row in reversed(rows)}.values())[::-1]
    return json.dumps(rows).encode()


def shuffled(value, mix):
    if isinstance(value, list):
        twice = [shuffled(each, mix) for each in value] * 2
        mix.shuffle(twice)
        return twice
    return {key: shuffled(each, mix) for key, each in value.items()} if isinstance(value, dict) else value


def used(match):
    """Everything that is made of a match."""
    for locale in ("en", "zh-tw"):
        posted(match, locale, text=True)
    try:
        return game_document(match, ImportOptions(sport=match.sport), NOBODY)
    except DownstreamRejected:
        return None


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("name", CASES)
def test_no_broken_field_is_a_crash(name, share):
    """The match stands without what is broken, or the bodies are refused as one of our errors."""
    match_id, bodies = CASES[name]
    lean = {resource: of_each_kind(body) for resource, body in bodies.items()}
    survived = 0
    for resource, body in bodies.items():
        for path, other in broken(thinned(json.loads(body)), RETYPED, share):
            hurt = {**lean, resource: json.dumps(other).encode()}
            try:
                match = translated(match_id, hurt)
            except (DownstreamRejected, InvalidRequest):
                continue
            used(match)
            assert match == translated(match_id, hurt), path
            survived += 1

    assert survived > 100


@pytest.mark.parametrize("name", CASES)
def test_rows_in_another_order_and_twice_give_the_same(name):
    """Order and repetition of rows carry no meaning where ids and times are known."""
    match_id, bodies = CASES[name]
    whole = translated(match_id, bodies)
    for seed in range(5):
        mix = random.Random(seed)
        mixed = {resource: json.dumps(shuffled(json.loads(body), mix)).encode() for resource, body in bodies.items()}
        found = translated(match_id, mixed)

        assert found.incidents == whole.incidents
        assert (found.score, found.periods, found.status, found.race) == (
            whole.score,
            whole.periods,
            whole.status,
            whole.race,
        )


@pytest.mark.parametrize(
    ("name", "resource", "path", "field"),
    [
        ("tennis/tie-break", "match", ("match_result", 2, "match_result"), "match_result"),
        ("tennis/tie-break", "match", ("match_result", 2, "place"), "place"),
        ("american_football/overtime", "match", ("current_period",), "current_period"),
        ("american_football/overtime", "match", ("finished",), "finished"),
        ("icehockey/overtime", "match", ("match_incident",), "match_incident"),
        ("motorsports/race", "match-event", (3, "lap"), "lap"),
        ("motorsports/race", "match-event", (3, "kind"), "kind"),
        ("motorsports/race", "match-event", (3, "person"), "person"),
        ("motorsports/race", "match", ("match_result", 0, "rank"), "rank"),
    ],
)
def test_the_health_names_the_field(name, resource, path, field):
    """A field of another type is a fault with its name, and takes nothing else with it."""
    match_id, bodies = CASES[name]
    body = json.loads(bodies[resource])
    node = body
    if resource == "match":
        node = body["match"] if "match" in body else body[0]["season"][0]["round"][0]["match"][0]
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = ["of another type"]
    found = translated(match_id, {**bodies, resource: json.dumps(body).encode()})

    assert [fault.field for fault in found.faults] == [field]


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
