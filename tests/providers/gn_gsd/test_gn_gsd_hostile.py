"""Every field of every body removed, emptied, of another type, repeated and out of order: the rest stands, and is reported."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from mapping.errors import DownstreamRejected, InvalidRequest
from mapping.match import Fault, Match
from providers.gn_gsd.translate import translate
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, NAMES, encoded, lineups, match, race

RACE_ID = "phase:GNF057JFZJSXMEX"
DOCUMENTS = {
    "match": {"match": match()},
    "lineups": {"lineups": lineups()},
    "actions": {"actions": ACTIONS},
    "phase": {"phase": race()},
}
REJECTED = {("match",), ("match", "id"), ("phase",), ("phase", "id")}
"""Without these there is nothing that could be followed."""

Path = tuple[str | int, ...]


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """Every place below the top of a document; of lists of players the first and the last will do."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    members = list(members)
    for key, member in members:
        if isinstance(key, int) and 3 < len(members) and 0 < key < len(members) - 1 and at[-1] != "actions":
            continue
        yield (*at, key)
        yield from paths(member, (*at, key))


def holder(document: Any, path: Path) -> Any:
    for key in path[:-1]:
        document = document[key]
    return document


def remove(document: Any, path: Path) -> None:
    del holder(document, path)[path[-1]]


def nullify(document: Any, path: Path) -> None:
    holder(document, path)[path[-1]] = None


def retype(document: Any, path: Path) -> None:
    value = holder(document, path)[path[-1]]
    holder(document, path)[path[-1]] = "wrong" if isinstance(value, dict | list) else [["wrong"]]


def garble(document: Any, path: Path) -> None:
    """Text that means nothing where a keyword, a number or a date should be."""
    value = holder(document, path)[path[-1]]
    holder(document, path)[path[-1]] = {"wrong": 1} if isinstance(value, dict | list) else "\x00\ud800 ?"


CHANGES = {change.__name__: change for change in (remove, nullify, retype, garble)}


def translated(resource: str, document: Any) -> Match:
    if resource == "phase":
        return translate(RACE_ID, {"phase": json.dumps(document).encode()}, names=NAMES)
    bodies = {name: encoded(DOCUMENTS[name]) for name in ("match", "lineups", "actions")}
    return translate(MATCH_ID, bodies | {resource: json.dumps(document).encode()}, names=NAMES)


WHOLE = {resource: translated(resource, document) for resource, document in DOCUMENTS.items()}


@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("resource", sorted(DOCUMENTS))
def test_one_broken_field_breaks_nothing_else(resource, change):
    """No field can crash the translation or take more than its own row along; what is lost is reported by its name."""
    whole = WHOLE[resource]
    for path in paths(DOCUMENTS[resource]):
        document = copy.deepcopy(DOCUMENTS[resource])
        CHANGES[change](document, path)
        try:
            found = translated(resource, document)
        except DownstreamRejected:
            assert path in REJECTED, path
            continue
        except InvalidRequest:
            assert "sport" in path, path
            continue

        own = int(resource == "actions") * (len(whole.incidents) if len(path) == 1 else 1)
        assert len(found.incidents) >= len(whole.incidents) - own, path
        if resource != "lineups":
            assert [len(side.lineup) for side in found.sides] == [11] * len(found.sides), path
        if lost(whole, found):
            assert gone_altogether(path, change) or names(found.faults, resource, path), (path, found.faults)
        if change == "retype" and differs(whole, found):
            assert names(found.faults, resource, path), (path, found.faults)


def lost(whole: Match, found: Match) -> bool:
    """Whether incidents or players are missing that a row stood for."""
    return len(found.incidents) < len(whole.incidents)


def gone_altogether(path: Path, change: str) -> bool:
    """A row or a whole list that is simply not there is nothing that could be reported."""
    return len(path) == 1 or (len(path) == 2 and change == "remove")


def differs(whole: Match, found: Match) -> bool:
    return plain(whole) != plain(found)


def plain(found: Match) -> Any:
    return {name: getattr(found, name) for name in Match.__slots__ if name != "faults"}


def names(faults: tuple[Fault, ...], resource: str, path: Path) -> bool:
    """Whether a fault points at the path, at what holds it or at what it holds; rows are named by themselves."""
    steps = [str(step) for step in path]
    ways = {".".join(steps), ".".join(steps[1:]), ".".join(steps[2:])} - {""}
    return any(
        not fault.field or any(fault.field.startswith(way) or way.startswith(fault.field) for way in ways)
        for fault in faults
        if fault.resource in (resource, "match")
    ) or (len(path) <= 2 and bool(faults))


@pytest.mark.parametrize("resource", sorted(DOCUMENTS))
def test_rows_in_another_order_or_twice_say_the_same(resource):
    """Every list of every body, backwards and doubled; the order of relatives and of a start list is the provider's."""
    for path in paths(DOCUMENTS[resource]):
        rows = holder(DOCUMENTS[resource], path)[path[-1]]
        if not isinstance(rows, list):
            continue
        for changed in (rows[::-1], [*rows, *rows], [*rows, None, 7, {}]):
            document = copy.deepcopy(DOCUMENTS[resource])
            holder(document, path)[path[-1]] = changed
            found = translated(resource, document)
            if path[-1] not in ("relatedSportsEvents", "participants") or changed[: len(rows)] == rows:
                assert not differs(WHOLE[resource], found), path


def test_the_same_bodies_make_the_same_match():
    """Nothing but the bodies has a say."""
    assert all(translated(resource, document) == WHOLE[resource] for resource, document in DOCUMENTS.items())


@pytest.mark.parametrize("resource", ["lineups", "actions"])
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"<html>", b"[1]", b'{"x":1}', b"7", b'{"actions":7,"lineups":7}', b"[" * 99]
)
def test_a_body_that_is_no_such_resource_leaves_the_match(resource, body):
    """Line-ups and actions never make the match fail."""
    bodies = {name: encoded(DOCUMENTS[name]) for name in ("match", "lineups", "actions")}
    found = translate(MATCH_ID, bodies | {resource: body}, names=NAMES)

    assert ("SV Nordhafen", "FC Südtor") == (found.home.name, found.away.name)


def test_the_walk_reaches_the_fields():
    """Four changes each are made to more than two hundred places."""
    assert sum(1 for document in DOCUMENTS.values() for _ in paths(document)) > 200
