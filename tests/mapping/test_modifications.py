"""Modifications as pure functions: each says what it changes, and touches nothing else."""

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.base import parse
from mapping.documents.modification import Modification, PostModifications
from mapping.liveblog.modifications import CHANGES, Editing, apply, sent_fields
from tests.kit.interface_tables import OURS, documents

PREFIX = "Svc::Model::Modification::"
TITLE = "Svc::Model::GameMetaInfo::TitleGameMetaInfo"
TEAMS = "Svc::Model::GameMetaInfo::TeamGameMetaInfo"
BOARD = "Svc::Model::Content::Scoreboard::TeamGameScoreboard"
SCORE = "Svc::Model::Content::Scoreboard::ScoreboardScore"
BEFORE = MappingProxyType(
    {
        "meta_info": {"_type": TITLE, "title": "Old", "starts_at": 5, "allow_comments": True},
        "marketplace_info": {"_type": "M", "detail": "Old", "pricing": {"_id": "p"}},
        "permissions": [{"permission": "w", "reftype": "Client", "refid": "a"}],
        "tags": ["kept"],
    }
)


def read(*modifications):
    """Modifications as the API reads them."""
    named = [{"_type": f"{PREFIX}{kind}Modification", **fields} for kind, fields in modifications]
    return [sent_fields(each) for each in parse(PostModifications, {"modifications": named}).modifications]


def applied(*modifications, document=BEFORE, local_status=0):
    return apply(Editing(document=document, local_status=local_status, sportstype="soccer"), read(*modifications))


def test_every_modification_has_its_function():
    """Nine in the reference, nine in the union, nine in the table."""
    described = {name.strip("`").removeprefix(PREFIX) for name in documents(OURS.read_text("utf-8")) if PREFIX in name}

    assert len(described) == 9
    assert set(CHANGES) == described
    assert Modification


@pytest.mark.parametrize(
    ("change", "name", "expected"),
    [
        (
            ("UpdateGameMetaInfo", {"meta_info": {"_type": TITLE, "title": None, "starts_at": 7}}),
            "meta_info",
            {"_type": TITLE, "starts_at": 7, "allow_comments": True},
        ),
        (
            ("UpdateGameMetaInfo", {"meta_info": {"_type": TEAMS, "home_team": {"name": "A"}}}),
            "meta_info",
            {
                "_type": TEAMS, "title": "Old", "starts_at": 5, "allow_comments": True,
                "home_team": {"_type": "Svc::Model::Team", "name": "A"},
            },
        ),
        (
            ("UpdateGameMarketplaceInfo", {"marketplace_info": {"detail": "New", "pricing": None}}),
            "marketplace_info",
            {"_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo", "detail": "New"},
        ),
        (
            ("UpsertScoreboard", {"scoreboard": {"_type": BOARD, "score": {"home_score": "1"}}}),
            "scoreboard",
            {"_type": BOARD, "score": {"_type": SCORE, "home_score": "1"}},
        ),
        (
            ("UpdateGameScoreInfo", {"score_info": {"home_score": 2, "away_score": 0}}),
            "scoreboard",
            {"_type": BOARD, "score": {"_type": SCORE, "home_score": "2", "away_score": "0"}},
        ),
        (("DeletePermission", {"refid": "a"}), "permissions", []),
        (("DeletePermission", {"refid": "b"}), "permissions", BEFORE["permissions"]),
        (
            ("UpsertPermission", {"permission": {"permission": "w", "reftype": "Client", "refid": "a"}}),
            "permissions",
            [{"_type": "Svc::Model::SharedPermission", "permission": "w", "reftype": "Client", "refid": "a"}],
        ),
    ],
)  # fmt: skip
def test_a_modification_changes_one_field(change, name, expected):
    """What it says; everything else is as before."""
    after = applied(change)

    assert after.document[name] == expected
    assert {key: value for key, value in after.document.items() if key != name} == {
        key: value for key, value in BEFORE.items() if key != name
    }
    assert (after.local_status, after.sportstype) == (0, "soccer")


@given(st.lists(st.tuples(st.sampled_from(["home_score", "away_score"]), st.none() | st.integers(0, 99))))
def test_scores_are_those_that_were_said_last(changes):
    """Whatever the order; one that was never said is not there."""
    after = applied(*(("UpdateGameScoreInfo", {"score_info": {side: value}}) for side, value in changes))
    expected = {side: "" if value is None else str(value) for side, value in changes}

    score = after.document.get("scoreboard", {}).get("score", {})
    assert {side: text for side, text in score.items() if side != "_type"} == expected


@given(st.lists(st.sampled_from(["grant a", "grant b", "revoke a", "revoke b"])))
def test_a_permission_is_held_once_until_it_is_taken(steps):
    """Granting twice is granting once."""
    granted, changes = {"a"}, []
    for step in steps:
        word, refid = step.split()
        permission = {"permission": "w", "reftype": "Client", "refid": refid}
        grants = word == "grant"
        changes.append(
            ("UpsertPermission", {"permission": permission}) if grants else ("DeletePermission", {"refid": refid})
        )
        granted = granted | {refid} if grants else granted - {refid}

    assert sorted(each["refid"] for each in applied(*changes).document["permissions"]) == sorted(granted)
