"""Documents as values: frozen, absent and null kept apart, and the rules of single types."""

import pytest
from pydantic import ValidationError

from mapping.documents.base import dump, field_path, parse
from mapping.documents.event import Event
from mapping.documents.game import GameDraft
from mapping.documents.people import Player, PlayerDraft, PlayerUpdate, Team, TeamDraft, TeamUpdate, TournamentDraft
from tests.kit.document_models import models
from tests.mapping import documents_examples as wire
from tests.mapping import documents_examples_game as games


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


def test_documents_are_values():
    """A document cannot be changed, its collections neither, and equal ones are equal."""
    event = parse(Event, wire.EVENT)

    with pytest.raises(ValidationError, match="frozen"):
        event.headline = "Other"
    assert isinstance(event.contents, tuple)
    assert parse(Event, wire.EVENT) == event


def test_python_names_build_documents():
    """Code writes `id_` where the wire says `_id`."""
    team = Team(id_="t1", name="Croatia")

    assert dump(team) == {"_type": "Svc::Model::Team", "_id": "t1", "name": "Croatia"}


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (TeamDraft, wire.TEAM_DRAFT | {"_type": "Svc::Model::PlayersTeam"}),
        (Team, {"_type": "Tik::Model::PlayersTeam"}),
        (
            GameDraft,
            games.GAME_DRAFT | {"meta_info": games.TEAM_META | {"home_team": {"_type": "Svc::Model::PlayersTeam"}}},
        ),
    ],
)
def test_players_teams_are_refused_with_a_reason(model, document):
    """Beach volleyball's teams of players are refused wherever a team may stand, and the message says why."""
    with pytest.raises(ValidationError, match=r"PlayersTeam .* is not supported"):
        parse(model, document)


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


def test_any_event_type_goes_with_any_sport():
    """The catalogue of event types does not restrict what editors post."""
    block = parse(models.SportEventContentBlock, {"sportstype": "curling", "event_type": "soccer.goal"})

    assert (block.sportstype, block.event_type) == ("curling", "soccer.goal")


def test_embedded_people_need_nothing():
    """Every field of an embedded player or team is optional."""
    assert dump(parse(Player, {})) == {"_type": "Svc::Model::Player"}
    assert dump(parse(Team, {})) == {"_type": "Svc::Model::Team"}


def test_compact_events_keep_fields_of_events():
    """What the compact form keeps are names that an event has on the wire."""
    assert set(models.COMPACT_EVENT) <= set(wire.EVENT)
