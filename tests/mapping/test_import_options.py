"""The terms of a liveblog survive being stored."""

import json

import pytest

from mapping.documents.import_options import ImportOptions

FULL = ImportOptions(
    sport="soccer",
    locale="de",
    auto_post=True,
    exclude_events=frozenset({"soccer.yellow-card", "soccer.goal"}),
    exclude_scoreboard=True,
    text=True,
    title="Derby",
)


@pytest.mark.parametrize("terms", [FULL, ImportOptions(sport="soccer")])
def test_terms_come_back_from_json_as_they_were(terms):
    """Written as JSON and read again, terms are equal."""
    assert ImportOptions.from_dict(json.loads(json.dumps(terms.as_dict()))) == terms


def test_equal_terms_are_written_equally():
    """The order in which types were excluded makes no difference."""
    other = ImportOptions.from_dict({**FULL.as_dict(), "exclude_events": ["soccer.yellow-card", "soccer.goal"]})

    assert json.dumps(other.as_dict()) == json.dumps(FULL.as_dict())


def test_what_was_not_stored_takes_its_default():
    """Terms of an older version lack what came later."""
    assert ImportOptions.from_dict({"sport": "soccer"}) == ImportOptions(sport="soccer")


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (ImportOptions(sport="soccer"), True),
        (ImportOptions(sport="soccer", auto_post=True), False),
        (ImportOptions(sport="soccer", auto_post=True, exclude_events=frozenset({"soccer.goal"})), True),
        (ImportOptions(sport="soccer", auto_post=True, exclude_events=frozenset({"soccer.end"})), False),
    ],
)
def test_what_is_not_requested_is_a_draft(terms, expected):
    """A goal is a draft unless everything is posted and goals are not excluded."""
    assert terms.drafts("soccer.goal") is expected
