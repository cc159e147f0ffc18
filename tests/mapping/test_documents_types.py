"""Every document: read from the wire and written back, distinguished by `_type`, absent and null kept apart."""

from typing import get_args

import pytest
from pydantic import TypeAdapter, ValidationError

from mapping.documents.base import OpenDocument, dump, field_path, parse
from mapping.documents.event import Event
from mapping.documents.game import Collection, MetaInfo
from mapping.documents.people import Team
from tests.kit.document_models import MODELS as CLASSES
from tests.kit.document_models import models
from tests.mapping import documents_examples as wire
from tests.mapping import documents_examples_game as games

UNIONS = {
    "ContentBlock": models.ContentBlock, "GameOptions": models.GameOptions, "GameStateInfo": models.GameStateInfo,
    "MediaContent": models.MediaContent, "MetaInfo": models.MetaInfo, "Modification": models.Modification,
    "Scoreboard": models.Scoreboard,
}  # fmt: skip
EXAMPLES = {
    "PlayerDraft": wire.PLAYER_DRAFT,
    "PlayerUpdate": wire.PLAYER_UPDATE,
    "Player": wire.PLAYER,
    "TeamDraft": wire.TEAM_DRAFT,
    "TeamUpdate": wire.TEAM_UPDATE,
    "Team": wire.TEAM,
    "TournamentDraft": wire.TOURNAMENT_DRAFT,
    "TournamentUpdate": wire.TOURNAMENT_UPDATE,
    "Tournament": wire.TOURNAMENT,
    "Location": wire.LOCATION,
    "Pricing": wire.PRICING,
    "Editor": wire.EVENT["editor"],
    "EventComments": wire.EVENT["comments"],
    "LocalRef": games.REF,
    "LocalRefList": games.SUMMARY["goals"],
    "GameSummary": games.SUMMARY,
    "Tag": wire.TAG,
    "ScoreboardScore": wire.SCORE,
    "TeamGameScoreboard": wire.TEAM_BOARD,
    "SetBasedGameScoreboard": wire.SET_BOARD,
    "BasicGameStateInfo": wire.BASIC_STATE,
    "TimeBasedGameStateInfo": wire.TIMED_STATE,
    "BaseballGameStateInfo": wire.BASEBALL_STATE,
    "RankedEntry": wire.RANKED_ENTRY,
    "RankedGameStateInfo": wire.RANKED_STATE,
    "TennisGameStateInfo": wire.TENNIS_STATE,
    "TeamGameScoreInfo": wire.SCORE_INFO,
    "Media": wire.MEDIA,
    "ImageMediaContent": wire.IMAGE,
    "VideoMediaContent": wire.VIDEO,
    "Choice": wire.CHOICE,
    "SportEventPlayer": wire.SPORT_PLAYER,
    "SportPhase": wire.PHASE,
    "BasicEventInfo": wire.EVENT_INFO,
    "Event": wire.EVENT,
    "TitleGameMetaInfo": games.TITLE_META,
    "TeamGameMetaInfo": games.TEAM_META,
    "BasicGameOptions": games.BASIC_OPTIONS,
    "TimedGameOptions": games.TIMED_OPTIONS,
    "SharedPermission": games.PERMISSION,
    "BasicMarketplaceInfo": games.MARKETPLACE,
    "Squad": games.SQUAD,
    "Squads": games.SQUADS,
    "Organization": games.ORGANIZATION,
    "CustomTemplate": games.TEMPLATE,
    "GameDraft": games.GAME_DRAFT,
    "Game": games.GAME,
    "GameShowResponse": {
        "_type": "Svc::Model::Api::GameShowResponse", "game": games.GAME, "events": [wire.EVENT], "version": 7,
        "more": False, "reset": True,
    },
    "AutoPostConfiguration": games.AUTO_POST,
    "CreateFromExternal": games.REQUEST,
    "ExternalChange": games.CHANGE,
    "AttachToExternal": games.ATTACH,
    "HandBack": {"fields": ["scoreboard"], "events": ["e1"]},
    "ExternalSource": games.SOURCE,
    "StandbyMatch": games.STANDBY,
    "SourceOfMatch": games.SOURCE_OF_MATCH,
    "SourceDisagreement": games.DISAGREEMENT,
    "ExternalSelector": games.SELECTOR,
    "ExternalAutoPost": games.EXTERNAL_AUTO_POST,
    "FeedHealth": games.HEALTH,
    "External": games.EXTERNAL,
    "ExternalPreview": games.PREVIEW,
    "Collection": games.COLLECTION,
    "PostModifications": games.POST_MODIFICATIONS,
    **{block["_type"].rpartition("::")[2]: block for block in wire.BLOCKS},
    **{change["_type"].rpartition("::")[2]: change for change in games.MODIFICATIONS},
}  # fmt: skip


def model_of(name):
    return Collection[Team] if name == "Collection" else CLASSES[name]


def wire_names(model):
    return {field.serialization_alias for field in model.model_fields.values()}


def with_prefix(value, prefix):
    """`value` with another type prefix, at every depth."""
    if isinstance(value, list):
        return [with_prefix(item, prefix) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: prefix + inner.removeprefix("Svc") if key == "_type" else with_prefix(inner, prefix)
        for key, inner in value.items()
    }


def objects(value):
    """Every object inside a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def test_every_document_has_an_example_with_all_its_fields():
    """No document escapes the tests below, and no field of it does."""
    assert set(CLASSES) == set(EXAMPLES)
    for name, model in CLASSES.items():
        assert set(EXAMPLES[name]) == wire_names(model), name


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_document_is_written_as_it_was_read(name):
    """Reading and writing a complete document loses, adds and changes nothing."""
    document = parse(model_of(name), EXAMPLES[name])

    assert EXAMPLES[name] == dump(document)
    assert document == parse(model_of(name), dump(document))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_type_comes_first(name):
    """Every object with a type begins with it, at every depth, whatever the order of the request."""
    shuffled = dict(reversed(EXAMPLES[name].items()))

    for part in objects(dump(parse(model_of(name), shuffled))):
        assert "_type" not in part or next(iter(part)) == "_type"


@pytest.mark.parametrize("prefix", ["Tik", "X", "", "svc"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_any_prefix_is_understood(name, prefix):
    """What follows the first `::` names the type; answers spell our own prefix."""
    assert EXAMPLES[name] == dump(parse(model_of(name), with_prefix(EXAMPLES[name], prefix)))


@pytest.mark.parametrize("name", [name for name in EXAMPLES if "_type" in EXAMPLES[name] and name != "GameDraft"])
def test_the_only_possible_type_may_be_missing(name):
    """Where one type is possible it is filled in, but in a new liveblog; another one is an error at `_type`."""
    without = {key: value for key, value in EXAMPLES[name].items() if key != "_type"}

    assert EXAMPLES[name] == dump(parse(model_of(name), without))
    with pytest.raises(ValidationError) as refused:
        parse(model_of(name), without | {"_type": "Svc::Model::Else"})
    assert field_path(refused.value.errors()[0]) == "_type"


@pytest.mark.parametrize("name", UNIONS)
@pytest.mark.parametrize("kind", [None, "Svc::Model::Else", "RichTextContentBlock", 5, [], "", "Svc::"])
def test_where_several_types_are_possible_the_allowed_ones_are_named(name, kind):
    """A missing or unknown type is an error at `_type` that lists every allowed type."""
    union = UNIONS[name]
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(union).validate_python({} if kind is None else {"_type": kind})
    (error,) = refused.value.errors()

    assert field_path(error) == "_type"
    for member in get_args(get_args(union)[0]):
        assert member.model_fields["type_"].default in error["msg"]


@pytest.mark.parametrize("value", [None, 5, "text", [], True])
def test_a_union_takes_objects_alone(value):
    """What is no object is an error too, and no crash."""
    with pytest.raises(ValidationError, match="_type is one of"):
        TypeAdapter(MetaInfo).validate_python(value)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if not issubclass(CLASSES[name], OpenDocument)])
def test_closed_documents_ignore_unknown_fields(name):
    """An unknown field is no error, and it is not given back."""
    assert EXAMPLES[name] == dump(
        parse(model_of(name), EXAMPLES[name] | {"unknown": {"_type": 5}, "type_": 5, "id_": 5})
    )


@pytest.mark.parametrize("name", [name for name in EXAMPLES if issubclass(CLASSES[name], OpenDocument)])
def test_open_documents_give_unknown_fields_back(name):
    """Unknown fields, nulls and depths included, come back unchanged."""
    more = {"unknown": {"a": [1, None, {"b": 1.5}]}, "void": None, "Odd::Name": "x"}

    assert EXAMPLES[name] | more == dump(parse(model_of(name), EXAMPLES[name] | more))


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        "a\0",
        ["\ud800"],
        {"\ud800": 1},
        {"a": 2**63},
        {"a": float("inf")},
        pytest.param(object(), id="object"),
    ],
    ids=repr,
)
def test_open_documents_refuse_what_cannot_be_stored(value):
    """Unknown fields are checked as deeply as they go."""
    with pytest.raises(ValidationError):
        parse(models.EmojiContentBlock, {"unknown": value})
    with pytest.raises(ValidationError):
        parse(models.EmojiContentBlock, {"a\0b": 1})


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_unions_require_the_type_in_the_schema(mode):
    """The JSON schema says that `_type` chooses the block, and shows the fields of open documents."""
    schema = Event.model_json_schema(mode=mode)

    assert schema["properties"]["contents"]["items"]["required"] == ["_type"]
    assert "question" in schema["$defs"]["PollContentBlock"]["properties"]
