"""The ten kinds of content that a post may be made of."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from mapping.documents import strict_json
from mapping.documents.base import ByType, Document, OpenDocument
from mapping.documents.embed_code import address_of_embed
from mapping.documents.media import MediaContent
from mapping.documents.people import Player, Team
from mapping.documents.scalars import Bool, Clearable, LocalId, LongText, Many, Sportstype, Text, Timestamp, WebUrl
from mapping.documents.scoreboard import Scoreboard, ScoreboardScore


def _storable(value: Any) -> Any:
    strict_json.check(value)
    return value


OembedJson = Annotated[Text | dict[str, Any], AfterValidator(_storable)]
"""What a site says of a page by oEmbed, as JSON or as JSON written into a text."""


class RichTextContentBlock(Document):
    """Text with markup; sanitised before it is stored."""

    type_: Literal["Svc::Model::Content::RichTextContentBlock"] = "Svc::Model::Content::RichTextContentBlock"
    local_id: Clearable[LocalId] = None
    text: LongText | None = None


class MultiMediaContentBlock(Document):
    """Where the post displays its media; no `display_type` means `default`."""

    type_: Literal["Svc::Model::Content::MultiMediaContentBlock"] = "Svc::Model::Content::MultiMediaContentBlock"
    local_id: Clearable[LocalId] = None
    items: Many[MediaContent] = ()
    display_type: Literal["slideshow", "default", ""] | None = None


class WebEmbedContentBlock(Document):
    """A page of another site to be embedded; of an embed code as `url`, the address in it. `oembed_json` is never shown."""

    type_: Literal["Svc::Model::Content::WebEmbedContentBlock"] = "Svc::Model::Content::WebEmbedContentBlock"
    local_id: Clearable[LocalId] = None
    url: Annotated[WebUrl | None, BeforeValidator(address_of_embed)] = None
    oembed_json: OembedJson | None = None


class QuoteContentBlock(Document):
    """What somebody said, and where."""

    type_: Literal["Svc::Model::Content::QuoteContentBlock"] = "Svc::Model::Content::QuoteContentBlock"
    local_id: Clearable[LocalId] = None
    text: LongText | None = None
    author: Text | None = None
    source: Text | None = None


class EmojiContentBlock(OpenDocument):
    """One large emoji, and what it is called."""

    type_: Literal["Svc::Model::Content::EmojiContentBlock"] = "Svc::Model::Content::EmojiContentBlock"
    local_id: Clearable[LocalId] = None
    emoji: Text | None = None
    title: Text | None = None


class PlayerCardContentBlock(OpenDocument):
    """A player introduced to the readers, under a title."""

    type_: Literal["Svc::Model::Content::PlayerCardContentBlock"] = "Svc::Model::Content::PlayerCardContentBlock"
    local_id: Clearable[LocalId] = None
    title: Text | None = None
    player: Player | None = None


class SportPhase(Document):
    """The phase of play an incident belongs to."""

    type_: Literal["Svc::Model::Content::SportPhase"] = "Svc::Model::Content::SportPhase"
    name: Text | None = None


class SportEventPlayer(Document):
    """A player's part in an incident, such as scorer or substitute."""

    type_: Literal["Svc::Model::Content::SportEventPlayer"] = "Svc::Model::Content::SportEventPlayer"
    event_player_type: Text | None = None
    event_player_title: Text | None = None
    player: Player | None = None


class SportEventContentBlock(Document):
    """An incident of the match; any event type goes with any sport."""

    type_: Literal["Svc::Model::Content::SportEventContentBlock"] = "Svc::Model::Content::SportEventContentBlock"
    local_id: Clearable[LocalId] = None
    sportstype: Clearable[Sportstype] = None
    time_of_play: Text | None = None
    event_type: Text | None = None
    title: Text | None = None
    team: Team | None = None
    players: Many[SportEventPlayer] = ()
    phase: SportPhase | None = None
    score: ScoreboardScore | None = None


class ScoreboardContentBlock(OpenDocument):
    """The scoreboard as it stood when the post was written."""

    type_: Literal["Svc::Model::Content::ScoreboardContentBlock"] = "Svc::Model::Content::ScoreboardContentBlock"
    local_id: Clearable[LocalId] = None
    scoreboard: Scoreboard | None = None


class ShowResults(StrEnum):
    """When readers see the results of a poll: at any time, once they have voted, once it is closed."""

    ALWAYS = "always"
    VOTED = "voted"
    CLOSED = "closed"


class Choice(OpenDocument):
    """One option of a poll or quiz; `correct` is a quiz's, and no reader sees it before voting."""

    id: Clearable[LocalId] = None
    text: Text | None = None
    correct: Bool | None = None


class PollContentBlock(OpenDocument):
    """A question to the readers; `local_id` is the poll's identifier."""

    type_: Literal["Svc::Model::Content::PollContentBlock"] = "Svc::Model::Content::PollContentBlock"
    local_id: Clearable[LocalId] = None
    question: Text | None = None
    options: Many[Choice] | None = None
    multiple: Bool | None = None
    closes_at: Clearable[Timestamp] = None
    closed: Bool | None = None
    results: Clearable[ShowResults] = None


class QuizContentBlock(OpenDocument):
    """A question with a right option, named by `correct_option_id`, or several, marked `correct`."""

    type_: Literal["Svc::Model::Content::QuizContentBlock"] = "Svc::Model::Content::QuizContentBlock"
    local_id: Clearable[LocalId] = None
    question: Text | None = None
    options: Many[Choice] | None = None
    multiple: Bool | None = None
    closes_at: Clearable[Timestamp] = None
    closed: Bool | None = None
    results: Clearable[ShowResults] = None
    correct_option_id: Text | None = None
    explanation: Text | None = None


ContentBlock = Annotated[
    RichTextContentBlock
    | MultiMediaContentBlock
    | WebEmbedContentBlock
    | QuoteContentBlock
    | EmojiContentBlock
    | PlayerCardContentBlock
    | SportEventContentBlock
    | ScoreboardContentBlock
    | PollContentBlock
    | QuizContentBlock,
    ByType(),
]
