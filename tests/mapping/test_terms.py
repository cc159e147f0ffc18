"""The terms of a liveblog survive being stored."""

import json

import pytest

from mapping.terms import Terms

FULL = Terms(
    sport="soccer",
    locale="de",
    auto_post=True,
    exclude_events=frozenset({"soccer.yellow-card", "soccer.goal"}),
    exclude_scoreboard=True,
    text=True,
    title="Derby",
)


@pytest.mark.parametrize("terms", [FULL, Terms(sport="soccer")])
def test_terms_come_back_from_json_as_they_were(terms):
    """Written as JSON and read again, terms are equal."""
    assert Terms.from_dict(json.loads(json.dumps(terms.as_dict()))) == terms


def test_equal_terms_are_written_equally():
    """The order in which types were excluded makes no difference."""
    other = Terms.from_dict({**FULL.as_dict(), "exclude_events": ["soccer.yellow-card", "soccer.goal"]})

    assert json.dumps(other.as_dict()) == json.dumps(FULL.as_dict())


def test_what_was_not_stored_takes_its_default():
    """Terms of an older version lack what came later."""
    assert Terms.from_dict({"sport": "soccer"}) == Terms(sport="soccer")


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (Terms(sport="soccer"), True),
        (Terms(sport="soccer", auto_post=True), False),
        (Terms(sport="soccer", auto_post=True, exclude_events=frozenset({"soccer.goal"})), True),
        (Terms(sport="soccer", auto_post=True, exclude_events=frozenset({"soccer.end"})), False),
    ],
)
def test_what_is_not_requested_is_a_draft(terms, expected):
    """A goal is a draft unless everything is posted and goals are not excluded."""
    assert terms.drafts("soccer.goal") is expected
