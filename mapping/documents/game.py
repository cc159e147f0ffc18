"""The liveblog itself: as a client sends it, decorated as the service gives it back, and a page or a delta of it."""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Discriminator
from pydantic import Tag as UnionTag

from mapping.documents.base import ByType, Document, OpenDocument
from mapping.documents.blocks import Scoreboard
from mapping.documents.event import Editor, Event
from mapping.documents.external import External
from mapping.documents.people import Location, Player, Pricing, Tag, Team, Tournament
from mapping.documents.scalars import (
    Bool,
    Clearable,
    Count,
    Int,
    Locale,
    LocalId,
    LocalStatus,
    Many,
    MediaUrl,
    Name,
    ObjectId,
    PhaseCount,
    Sportstype,
    Text,
    Timestamp,
    WebUrl,
)
from mapping.documents.state import GameStateInfo

ItemT = TypeVar("ItemT", bound=BaseModel)

COMPACT_EVENT = ("_type", "local_id", "version", "local_status", "sort", "tag_ids")
"""The names of an event's fields that the compact form of a game keeps."""

TimingType = Literal["u", "d", "au", "aui", "aud"]


class TitleGameMetaInfo(Document):
    """What a news liveblog is about; `editorial_publishing` hides new posts until somebody publishes them."""

    type_: Literal["Svc::Model::GameMetaInfo::TitleGameMetaInfo"] = "Svc::Model::GameMetaInfo::TitleGameMetaInfo"
    title: Text | None = None
    editorial_publishing: Bool | None = None
    allow_comments: Bool | None = None
    starts_at: Clearable[Timestamp] = None


class TeamGameMetaInfo(Document):
    """Who meets whom, where and when; without a `title` it is made of the teams' names."""

    type_: Literal["Svc::Model::GameMetaInfo::TeamGameMetaInfo"] = "Svc::Model::GameMetaInfo::TeamGameMetaInfo"
    title: Text | None = None
    home_team: Team | None = None
    away_team: Team | None = None
    tournament: Tournament | None = None
    location: Location | None = None
    editorial_publishing: Bool | None = None
    allow_comments: Bool | None = None
    starts_at: Clearable[Timestamp] = None


MetaInfo = Annotated[TitleGameMetaInfo | TeamGameMetaInfo, ByType()]


class BasicGameOptions(OpenDocument):
    """Options of a game without a clock."""

    type_: Literal["Svc::Model::Options::BasicGameOptions"] = "Svc::Model::Options::BasicGameOptions"


class TimedGameOptions(Document):
    """How the clock of the game runs; phase lengths are minutes."""

    type_: Literal["Svc::Model::Options::TimedGameOptions"] = "Svc::Model::Options::TimedGameOptions"
    timing_type: TimingType | None = None
    regular_phase_length: Count | None = None
    num_regular_phases: PhaseCount | None = None
    overtime_phase_length: Count | None = None
    num_overtime_phases: Count | None = None


GameOptions = Annotated[BasicGameOptions | TimedGameOptions, ByType()]


class SharedPermission(Document):
    """What another organization or client, named by `refid`, may do with the liveblog."""

    type_: Literal["Svc::Model::SharedPermission"] = "Svc::Model::SharedPermission"
    permission: Literal["w"]
    reftype: Literal["Organization", "Client"]
    refid: ObjectId


class BasicMarketplaceInfo(Document):
    """How the liveblog is offered to others."""

    type_: Literal["Svc::Model::MarketplaceInfo::BasicMarketplaceInfo"] = (
        "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo"
    )
    pricing: Pricing | None = None
    detail: Text | None = None
    cover_image: Clearable[MediaUrl] = None


class Squad(Document):
    """The players of one side: who starts in `lineup`, who may come on in `bench`."""

    type_: Literal["Svc::Model::Squad"] = "Svc::Model::Squad"
    team: Team | None = None
    lineup: Many[Player] = ()
    bench: Many[Player] = ()


class Squads(Document):
    """The squads of both sides, as far as the provider names them."""

    type_: Literal["Svc::Model::Squads"] = "Svc::Model::Squads"
    home: Squad | None = None
    away: Squad | None = None


class Organization(Document):
    """The organization that owns the liveblog."""

    type_: Literal["Svc::Model::Organization"] = "Svc::Model::Organization"
    id_: ObjectId | None = None
    name: Text | None = None


class CustomTemplate(OpenDocument):
    """A template that the operator has declared for an organization."""

    type_: Literal["Svc::Model::CustomTemplate"] = "Svc::Model::CustomTemplate"
    id_: ObjectId | None = None
    name: Text | None = None
    sportstype: Sportstype | None = None


def _kind_of_tag(value: Any) -> str:
    return "::text" if isinstance(value, str) else "::tag"


AnyTag = Annotated[
    Annotated[Name, UnionTag("::text")] | Annotated[Tag, UnionTag("::tag")],
    Discriminator(_kind_of_tag),
]


class GameDraft(Document):
    """A liveblog to be created."""

    type_: Literal["Svc::Model::Game"]
    organization_id: ObjectId
    template_id: Name
    meta_info: MetaInfo
    scoreboard: Scoreboard | None = None
    options: GameOptions | None = None
    tags: Many[AnyTag] = ()
    external_id: Clearable[LocalId] = None
    external_url: Clearable[WebUrl] = None
    use_syndication_controls: Bool | None = None
    locale: Locale | None = None
    permissions: Many[SharedPermission] = ()
    marketplace_info: BasicMarketplaceInfo | None = None


class LocalRef(Document):
    """Names a post without its contents."""

    type_: Literal["Svc::Model::LocalRef"] = "Svc::Model::LocalRef"
    local_id: LocalId | None = None
    version: Int | None = None
    local_status: LocalStatus | None = None
    sort: Text | None = None
    created_at: Timestamp | None = None


class LocalRefList(Document):
    """Posts, the newest first; `local_id` names the list, `version` is the highest of them."""

    type_: Literal["Svc::Model::LocalRefList"] = "Svc::Model::LocalRefList"
    local_id: Text | None = None
    version: Text | None = None
    refs: Many[LocalRef] = ()


class GameSummary(Document):
    """The public posts as a whole: `first_event` is the newest, `last_event` the oldest; `players` has a list for each."""

    type_: Literal["Svc::Model::GameSummary"] = "Svc::Model::GameSummary"
    first_event: LocalRef | None = None
    last_event: LocalRef | None = None
    milestones: LocalRefList | None = None
    goals: LocalRefList | None = None
    players: Many[LocalRefList] = ()
    event_cnt: Count = 0
    image_cnt: Count = 0
    video_cnt: Count = 0
    comment_channel_cnt: Count = 0


class Game(GameDraft):
    """A liveblog as the service gives it back, with its references resolved."""

    type_: Literal["Svc::Model::Game"] = "Svc::Model::Game"
    id_: ObjectId | None = None
    local_id: LocalId | None = None
    ticker_id: ObjectId | None = None
    version: Int | None = None
    local_status: LocalStatus | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    sportstype: Sportstype | None = None
    summary: GameSummary | None = None
    summary_text: Text | None = None
    owner: Organization | None = None
    editors: tuple[Editor, ...] | None = None
    custom_template: CustomTemplate | None = None
    state_info: GameStateInfo | None = None
    squads: Squads | None = None
    external: External | None = None
    events: Many[Event] = ()


class Collection(Document, Generic[ItemT]):
    """The objects of page `page`, `total` in all; `more` says whether a further page exists.

    A search counts up to 1000 objects beyond the page; `total_exact` is false where there are more.
    """

    type_: Literal["Svc::Model::Collection"] = "Svc::Model::Collection"
    objects: tuple[ItemT, ...] = ()
    total: Count = 0
    total_exact: Bool = True
    page: Count = 1
    limit: Count = 0
    more: Bool = False


class GameShowResponse(Document):
    """The liveblog without its posts, and the posts that changed; one that is gone has a status and no contents.

    `reset` (ours): forget what you have of the liveblog, the version that you named is of before a restore.
    """

    type_: Literal["Svc::Model::Api::GameShowResponse"] = "Svc::Model::Api::GameShowResponse"
    game: Game
    events: Many[Event] = ()
    version: Int
    more: Bool = False
    reset: Bool = False
