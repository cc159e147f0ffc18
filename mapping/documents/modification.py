"""The nine changes that a client may make to a liveblog, and the request that carries them."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from mapping.documents.base import ByType, Document, one_of_required
from mapping.documents.blocks import Scoreboard
from mapping.documents.game import AnyTag, BasicMarketplaceInfo, GameOptions, MetaInfo, SharedPermission
from mapping.documents.scalars import Clearable, Locale, LocalId, LocalStatus, Many, ObjectId, Sportstype, WebUrl
from mapping.documents.state import GameStateInfo, TeamGameScoreInfo

MOST_MODIFICATIONS = 100
"""How many a request may carry."""


class UpdateGameMetaInfoModification(Document):
    """Changes the meta info, and with it the sport, the locale, the article's address and the tags."""

    type_: Literal["Svc::Model::Modification::UpdateGameMetaInfoModification"] = (
        "Svc::Model::Modification::UpdateGameMetaInfoModification"
    )
    sportstype: Clearable[Sportstype] = None
    meta_info: MetaInfo
    locale: Locale | None = None
    external_url: Clearable[WebUrl] = None
    tags: Many[AnyTag] | None = None


class UpdateGameMarketplaceInfoModification(Document):
    """Changes how the liveblog is offered to others."""

    type_: Literal["Svc::Model::Modification::UpdateGameMarketplaceInfoModification"] = (
        "Svc::Model::Modification::UpdateGameMarketplaceInfoModification"
    )
    marketplace_info: BasicMarketplaceInfo


class UpsertScoreboardModification(Document):
    """Sets the scoreboard."""

    type_: Literal["Svc::Model::Modification::UpsertScoreboardModification"] = (
        "Svc::Model::Modification::UpsertScoreboardModification"
    )
    scoreboard: Scoreboard


class UpdateGameStateModification(Document):
    """Replaces the state of play."""

    type_: Literal["Svc::Model::Modification::UpdateGameStateModification"] = (
        "Svc::Model::Modification::UpdateGameStateModification"
    )
    state_info: GameStateInfo


class UpdateGameOptionsModification(Document):
    """Replaces the options."""

    type_: Literal["Svc::Model::Modification::UpdateGameOptionsModification"] = (
        "Svc::Model::Modification::UpdateGameOptionsModification"
    )
    options: GameOptions


class UpdateGameScoreInfoModification(Document):
    """Sets the score alone."""

    type_: Literal["Svc::Model::Modification::UpdateGameScoreInfoModification"] = (
        "Svc::Model::Modification::UpdateGameScoreInfoModification"
    )
    score_info: TeamGameScoreInfo


class DeleteGameModification(Document):
    """Sets the liveblog's status; 100, as text or number, deletes it."""

    type_: Literal["Svc::Model::Modification::DeleteGameModification"] = (
        "Svc::Model::Modification::DeleteGameModification"
    )
    local_status: LocalStatus


class UpsertPermissionModification(Document):
    """Grants or changes a permission."""

    type_: Literal["Svc::Model::Modification::UpsertPermissionModification"] = (
        "Svc::Model::Modification::UpsertPermissionModification"
    )
    permission: SharedPermission


class DeletePermissionModification(Document):
    """Takes a permission back."""

    type_: Literal["Svc::Model::Modification::DeletePermissionModification"] = (
        "Svc::Model::Modification::DeletePermissionModification"
    )
    refid: ObjectId


Modification = Annotated[
    UpdateGameMetaInfoModification
    | UpdateGameMarketplaceInfoModification
    | UpsertScoreboardModification
    | UpdateGameStateModification
    | UpdateGameOptionsModification
    | UpdateGameScoreInfoModification
    | DeleteGameModification
    | UpsertPermissionModification
    | DeletePermissionModification,
    ByType(),
]


class PostModifications(Document):
    """Modifications of one liveblog, to be applied in order, all or none."""

    model_config = ConfigDict(json_schema_extra=one_of_required("local_id", "ticker_local_id", "ticker_id"))

    local_id: Clearable[LocalId] = None
    ticker_local_id: Clearable[LocalId] = None
    ticker_id: Clearable[ObjectId] = None
    modifications: Annotated[tuple[Modification, ...], Field(json_schema_extra={"maxItems": MOST_MODIFICATIONS})]
