"""Line-ups and actions that are no such resource never make the match fail; what is wrong inside of them is the contract's."""

from __future__ import annotations

import pytest

from providers.gn_gsd.translate import translate
from tests.providers.gn_gsd.gsd import ACTIONS, MATCH_ID, NAMES, encoded, lineups, match

BODIES = {
    "match": encoded({"match": match()}),
    "lineups": encoded({"lineups": lineups()}),
    "actions": encoded({"actions": ACTIONS}),
}


@pytest.mark.parametrize("resource", ["lineups", "actions"])
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"<html>", b"[1]", b'{"x":1}', b"7", b'{"actions":7,"lineups":7}', b"[" * 99]
)
def test_a_body_that_is_no_such_resource_leaves_the_match(resource, body):
    found = translate(MATCH_ID, BODIES | {resource: body}, names=NAMES)

    assert ("SV Nordhafen", "FC Südtor") == (found.home.name, found.away.name)
