"""A decoded body is shared between who judges an answer and who translates it, so nobody may alter it."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from mapping.errors import BadBody
from providers import fetch
from providers.heim.names import names_of
from providers.heim.translate import translate
from tests.providers.heim.feed import BERLIN
from tests.sport_fixtures import FOLDER, recorded_steps

STEPPED = sorted(FOLDER.glob("*/*.jsonl"))


def test_the_same_body_is_decoded_once():
    body = json.dumps([{"a": 1}]).encode()

    assert fetch.decode("match", body) is fetch.decode("match-event", body)


def test_a_large_body_is_not_kept():
    """A hostile one would be held in memory for as long as nothing else is polled."""
    body = json.dumps(["x" * fetch.CACHED]).encode()

    assert fetch.decode("match", body) is not fetch.decode("match", body)


def test_a_fault_names_the_requested_resource():
    """Also where the same bytes have been seen under another name."""
    for resource in ("match", "liveticker"):
        with pytest.raises(BadBody, match=f"^{resource}: the answer is not JSON"):
            fetch.decode(resource, b"<html>")


@pytest.mark.parametrize("path", STEPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_translation_leaves_the_decoded_bodies_as_they_are(path):
    match_id, steps = recorded_steps(path)
    bodies = steps[-1]
    before = {name: deepcopy(fetch.decode(name, body)) for name, body in bodies.items()}
    translate(match_id, bodies, names=names_of({}), zone=BERLIN)

    assert before == {name: fetch.decode(name, body) for name, body in bodies.items()}
