"""The request for a liveblog of an external match, the terms that are stored with it, and documents as values."""

import json

import pytest
from pydantic import ValidationError

from mapping.documents.base import describe, field_path, parse
from mapping.documents.event import Event
from mapping.documents.external import AutoPostConfiguration, CreateFromExternal
from mapping.documents.game import GameDraft
from mapping.documents.import_options import ImportOptions
from mapping.documents.modification import PostModifications
from mapping.documents.people import PlayerDraft, PlayerUpdate, TeamDraft, TeamUpdate, TournamentDraft
from tests.kit.document_models import models
from tests.mapping import documents_examples as wire
from tests.mapping import documents_examples_game as games


def errors_of(model, document):
    with pytest.raises(ValidationError) as refused:
        parse(model, document)
    return refused.value.errors()


def test_defaults_are_those_of_the_interface():
    """English, no text, no automatic posting, and no configuration."""
    request = parse(CreateFromExternal, {"provider": "heim"})

    assert request == CreateFromExternal(
        provider="heim",
        match_id=None,
        locale="en",
        include_text_content=False,
        auto_post_enabled=False,
        auto_post_configuration=None,
    )


def test_null_says_the_same_as_leaving_a_field_out():
    """A client that writes all fields with null gets the defaults."""
    nulls = dict.fromkeys(games.REQUEST) | {"provider": "heim", "autoPostConfiguration": dict.fromkeys(games.AUTO_POST)}
    request = parse(CreateFromExternal, nulls)

    assert (request.locale, request.include_text_content, request.match_id) == ("en", False, None)
    assert request.auto_post_configuration == AutoPostConfiguration()


def test_a_missing_provider_differs_from_a_wrong_one():
    """Absent and null are `missing`, which the API answers differently from a wrong type."""
    assert [error["type"] for error in errors_of(CreateFromExternal, {})] == ["missing"]
    assert [error["type"] for error in errors_of(CreateFromExternal, {"provider": None})] == ["missing"]
    assert [error["type"] for error in errors_of(CreateFromExternal, {"provider": 5})] == ["string_type"]


def test_python_names_are_not_names_of_the_wire():
    """`match_id` in a request is an unknown field."""
    assert parse(CreateFromExternal, {"provider": "heim", "match_id": "5"}).match_id is None


@pytest.mark.parametrize(
    ("model", "document", "path"),
    [
        (GameDraft, {"meta_info": games.TEAM_META | {"home_team": {"_id": 5}}}, "meta_info.home_team._id"),
        (GameDraft, {"meta_info": {"title": "x"}}, "meta_info._type"),
        (GameDraft, {"tags": ["a", {"_id": 5}]}, "tags.1._id"),
        (GameDraft, {"tags": [""]}, "tags.0"),
        (GameDraft, {"options": games.TIMED_OPTIONS | {"num_regular_phases": 10}}, "options.num_regular_phases"),
        (Event, {"contents": [wire.RICH_TEXT, {"text": "x"}]}, "contents.1._type"),
        (Event, {"contents": [wire.POLL | {"options": [{"id": 5}]}]}, "contents.0.options.0.id"),
        (Event, {"media": [{"url": "data:x"}]}, "media.0.url"),
        (Event, {"created_at": 1530446400000}, "created_at"),
        (Event, {"sport_event": {"players": [{"player": {"gender": "x"}}]}}, "sport_event.players.0.player.gender"),
        (PostModifications, {"modifications": [{}]}, "modifications.0._type"),
        (PostModifications, {}, "modifications"),
    ],
)
def test_paths_are_written_as_the_interface_writes_them(model, document, path):
    """Names of the wire and positions, joined by dots; the chosen type of a union is no part of it."""
    base = games.GAME_DRAFT if model is GameDraft else {}
    (error,) = errors_of(model, base | document)

    assert path == field_path(error)


def test_messages_are_for_people():
    """The library's own preamble is left out."""
    (error,) = errors_of(Event, {"created_at": 1530446400000})

    assert describe(error) == "Timestamp is beyond 100000000000 seconds; milliseconds?"


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


def test_absent_differs_from_null():
    """An update knows which fields were sent; a blank time says the same as null."""
    update = parse(PlayerUpdate, {"_id": "p", "name": "Ana", "country": None, "birthdate": ""})

    sent = {name: getattr(update, name) for name in update.model_fields_set}
    assert sent == {"id_": "p", "name": "Ana", "country": None, "birthdate": None}
    assert "gender" not in update.model_fields_set


def test_null_empties_a_collection():
    """Null says that a collection was cleared, which is not the same as leaving it out."""
    cleared, untouched = parse(Event, {"contents": None}), parse(Event, {})

    assert cleared.contents == untouched.contents == ()
    assert "contents" in cleared.model_fields_set
    assert "contents" not in untouched.model_fields_set


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (PlayerDraft, wire.PLAYER_DRAFT),
        (PlayerUpdate, wire.PLAYER_UPDATE),
        (TeamDraft, wire.TEAM_DRAFT),
        (TeamUpdate, wire.TEAM_UPDATE),
        (TournamentDraft, wire.TOURNAMENT_DRAFT),
    ],
)
@pytest.mark.parametrize("name", [None, "", 5])
def test_records_need_a_name(model, document, name):
    """A record of the master data is neither created nor updated without a name."""
    with pytest.raises(ValidationError) as refused:
        parse(model, document | {"name": name})

    assert [field_path(error) for error in refused.value.errors()] == ["name"]


def test_scores_are_text_on_boards_and_numbers_in_score_infos():
    """A number on a scoreboard is refused, and so is text in a score update."""
    with pytest.raises(ValidationError):
        parse(models.ScoreboardScore, {"home_score": 1})
    with pytest.raises(ValidationError):
        parse(models.TeamGameScoreInfo, {"home_score": "1"})
