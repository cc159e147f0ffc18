"""Sports master data, as stored, as embedded in liveblogs, and as the create and update documents allow."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from mapping.documents.base import Document, canonical_type, one_of_required
from mapping.documents.scalars import (
    ID_LENGTH,
    Bool,
    Clearable,
    Count,
    CountryCode,
    GenderType,
    ImageRef,
    LocalId,
    LongText,
    Name,
    ObjectId,
    Sportstype,
    Text,
    Timestamp,
)


def _no_players_team(kind: Any) -> Any:
    if isinstance(kind, str) and canonical_type(kind) == "Svc::Model::PlayersTeam":
        raise ValueError("Svc::Model::PlayersTeam (beach_volleyball) is not supported through the API")
    return kind


ExtId = Annotated[LongText, Field(max_length=ID_LENGTH)]
TeamType = Annotated[Literal["Svc::Model::Team"], BeforeValidator(_no_players_team)]


class _PlayerDetails(Document):
    """What the create and the update document of a player have in common; null and empty text clear a field."""

    type_: Literal["Svc::Model::Player"] = "Svc::Model::Player"
    ext_id: Clearable[ExtId] = None
    name: Name
    short_name: Clearable[Text] = None
    country: Clearable[CountryCode] = None
    number: Clearable[Text] = None
    team_member_since: Clearable[Timestamp] = None
    position: Clearable[Text] = None
    birthdate: Clearable[Timestamp] = None
    gender: Clearable[GenderType] = None
    height: Clearable[Count] = None
    weight: Clearable[Count] = None
    about: Clearable[Text] = None
    facebook: Clearable[Text] = None
    twitter: Clearable[Text] = None
    instagram: Clearable[Text] = None
    image: Clearable[ImageRef] = None


class PlayerDraft(_PlayerDetails):
    """A player to be created."""

    owner_id: ObjectId
    sportstype: Sportstype
    team_id: Clearable[ObjectId] = None


class PlayerUpdate(_PlayerDetails):
    """What may change of the player named by `_id`."""

    id_: ObjectId


class Player(Document):
    """A player; embedded in a liveblog every field is optional. `height` in centimeters, `weight` in grams."""

    type_: Literal["Svc::Model::Player"] = "Svc::Model::Player"
    id_: ObjectId | None = None
    local_id: LocalId | None = None
    team_local_id: LocalId | None = None
    ext_id: Text | None = None
    name: Text | None = None
    owner_id: ObjectId | None = None
    sportstype: Sportstype | None = None
    team_id: ObjectId | None = None
    short_name: Text | None = None
    country: Clearable[CountryCode] = None
    number: Text | None = None
    team_member_since: Clearable[Timestamp] = None
    position: Text | None = None
    birthdate: Clearable[Timestamp] = None
    gender: Clearable[GenderType] = None
    height: Clearable[Count] = None
    weight: Clearable[Count] = None
    about: Text | None = None
    facebook: Text | None = None
    twitter: Text | None = None
    instagram: Text | None = None
    image: Clearable[ImageRef] = None
    inactive: Bool | None = None


class _TeamDetails(Document):
    """What the create and the update document of a team have in common."""

    type_: TeamType = "Svc::Model::Team"
    name: Name
    short_name: Clearable[Text] = None
    name_addition: Clearable[Text] = None
    image: Clearable[ImageRef] = None
    banner_image: Clearable[ImageRef] = None


class TeamDraft(_TeamDetails):
    """A team to be created."""

    owner_id: ObjectId
    sportstype: Sportstype


class TeamUpdate(_TeamDetails):
    """What may change of the team named by `_id`."""

    id_: ObjectId


class Team(Document):
    """A team, or a reference to one: by `_id`, by `local_id` where it was imported, or new by `name`."""

    type_: TeamType = "Svc::Model::Team"
    id_: ObjectId | None = None
    local_id: LocalId | None = None
    name: Text | None = None
    owner_id: ObjectId | None = None
    sportstype: Sportstype | None = None
    short_name: Text | None = None
    name_addition: Text | None = None
    image: Clearable[ImageRef] = None
    banner_image: Clearable[ImageRef] = None


class TournamentDraft(Document):
    """A tournament to be created."""

    type_: Literal["Svc::Model::Tournament"] = "Svc::Model::Tournament"
    name: Name
    sportstype: Sportstype
    owner_id: ObjectId


class TournamentUpdate(Document):
    """The new name of the tournament named by `_id`; nothing else can change."""

    type_: Literal["Svc::Model::Tournament"] = "Svc::Model::Tournament"
    id_: ObjectId
    name: Name


class Tournament(Document):
    """A tournament or a reference to one."""

    type_: Literal["Svc::Model::Tournament"] = "Svc::Model::Tournament"
    id_: ObjectId | None = None
    local_id: LocalId | None = None
    name: Text | None = None
    sportstype: Sportstype | None = None
    owner_id: ObjectId | None = None


class Location(Document):
    """A venue; declared by the operator or brought by an import."""

    type_: Literal["Svc::Model::Location"] = "Svc::Model::Location"
    id_: ObjectId | None = None
    local_id: LocalId | None = None
    name: Text | None = None
    city: Text | None = None
    country: Clearable[CountryCode] = None


class Pricing(Document):
    """A price that the operator has declared."""

    type_: Literal["Svc::Model::Pricing"] = "Svc::Model::Pricing"
    id_: ObjectId | None = None
    name: Text | None = None


class Tag(Document):
    """A label for liveblogs and events."""

    model_config = ConfigDict(json_schema_extra=one_of_required("_id", "name"))

    type_: Literal["Svc::Model::Tag"] = "Svc::Model::Tag"
    id_: ObjectId | None = None
    name: Text | None = None
