"""Documents as values: frozen, absent and null kept apart, and the rules of single types."""

import pytest
from pydantic import ValidationError

from mapping.documents.base import field_path, parse
from mapping.documents.event import Event
from mapping.documents.people import PlayerDraft, PlayerUpdate, TeamDraft, TeamUpdate, TournamentDraft
from tests.kit.document_models import models
from tests.mapping import documents_examples as wire


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
