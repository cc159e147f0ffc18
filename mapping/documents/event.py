"""A post of a liveblog, in its present and its older form."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from mapping.documents.base import Document, OpenDocument
from mapping.documents.blocks import ContentBlock, Media, SportEventContentBlock
from mapping.documents.embed_code import address_of_embed
from mapping.documents.people import Player
from mapping.documents.scalars import (
    Bool,
    Clearable,
    Count,
    Int,
    LocalId,
    LocalStatus,
    LongText,
    Many,
    ObjectId,
    Text,
    Timestamp,
    WebUrl,
)
from mapping.documents.state import GameStateInfo

Highlight = Literal["sticky", "inplace", "stickyNoHighlight", "milestone", ""]
HIGHLIGHTED: frozenset[Highlight] = frozenset({"sticky", "inplace", "milestone"})
"""Those that make a post one of the highlights."""
PINNED: frozenset[Highlight] = frozenset({"sticky", "stickyNoHighlight"})
"""Those that keep a post above all others; all of them, and no other, begin with `sticky`."""


class BasicEventInfo(Document):
    """The older form of an incident; `attributes_json` is text with spans, written as JSON in a string."""

    type_: Literal["Svc::Model::EventInfo::BasicEventInfo"] = "Svc::Model::EventInfo::BasicEventInfo"
    title: LongText | None = None
    event_type: Int | None = None
    event_reason: Int | None = None
    is_home_team: Bool | None = None
    player: Player | None = None
    other_player: Player | None = None
    attributes_json: LongText | None = None
    web_embed_urls: Many[Annotated[WebUrl, BeforeValidator(address_of_embed)]] | None = None


class Editor(OpenDocument):
    """Who wrote: a client of the API, a provider, or whom a client sends."""

    type_: Literal["Svc::Model::Editor"] = "Svc::Model::Editor"
    id_: Text | None = None
    name: Text | None = None


class EventComments(OpenDocument):
    """The channel of comments that a post has, and how many public ones are in it."""

    type_: Literal["Svc::Model::EventComments"] = "Svc::Model::EventComments"
    channel_id: Text | None = None
    count: Count | None = None


def _is_ours(value: Any) -> Any:
    """What clients send back here is ignored, whatever it is."""
    return value if isinstance(value, dict) else None


class Event(Document):
    """A post. What the service alone decides (`sort`, `user_id`, `version`) is ignored when a client sends it."""

    type_: Literal["Svc::Model::Event"] = "Svc::Model::Event"
    local_id: Clearable[LocalId] = None
    local_status: LocalStatus | None = None
    sort: Text | None = None
    user_id: Text | None = None
    version: Int | None = None
    created_at: Clearable[Timestamp] = None
    updated_at: Clearable[Timestamp] = None
    publish_at: Clearable[Timestamp] = None
    headline: Text | None = None
    highlight: Highlight | None = None
    contents: Many[ContentBlock] = ()
    sport_event: SportEventContentBlock | None = None
    media: Many[Media] = ()
    tag_ids: Many[ObjectId] | None = None
    editor: Annotated[Editor | None, BeforeValidator(_is_ours)] = None
    comments: Annotated[EventComments | None, BeforeValidator(_is_ours)] = None
    is_sticky: Bool | None = None
    state_info: GameStateInfo | None = None
    event_info: BasicEventInfo | None = None
