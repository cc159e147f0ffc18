"""The ten kinds of content that a post may be made of, with the scores, scoreboards, images and videos that stand in them."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from mapping.documents import strict_json
from mapping.documents.base import ByType, Document, OpenDocument
from mapping.documents.embed_code import address_of_embed
from mapping.documents.people import Player, Team
from mapping.documents.scalars import (
    Bool,
    Clearable,
    Count,
    Int,
    LocalId,
    LocalStatus,
    LongText,
    Many,
    MediaUrl,
    Side,
    Sportstype,
    Text,
    Timestamp,
    WebUrl,
)


def _storable(value: Any) -> Any:
    strict_json.check(value)
    return value


OembedJson = Annotated[Text | dict[str, Any], AfterValidator(_storable)]
"""What a site says of a page by oEmbed, as JSON or as JSON written into a text."""


class ScoreboardScore(Document):
    """One pair of scores; `title` names the period or set it belongs to."""

    type_: Literal["Svc::Model::Content::Scoreboard::ScoreboardScore"] = (
        "Svc::Model::Content::Scoreboard::ScoreboardScore"
    )
    home_score: Text | None = None
    away_score: Text | None = None
    title: Text | None = None


class TeamGameScoreboard(Document):
    """Two teams and one score; `scores` holds the periods of sports that show them."""

    type_: Literal["Svc::Model::Content::Scoreboard::TeamGameScoreboard"] = (
        "Svc::Model::Content::Scoreboard::TeamGameScoreboard"
    )
    home_team: Team | None = None
    away_team: Team | None = None
    score: ScoreboardScore | None = None
    scores: tuple[ScoreboardScore, ...] | None = None


class SetBasedGameScoreboard(OpenDocument):
    """Sets won in `score`, one entry a set in `scores`, the running game in `current_score`; who won, at the end, in `winner`."""

    type_: Literal["Svc::Model::Content::Scoreboard::SetBasedGameScoreboard"] = (
        "Svc::Model::Content::Scoreboard::SetBasedGameScoreboard"
    )
    home_team: Team | None = None
    away_team: Team | None = None
    score: ScoreboardScore | None = None
    scores: tuple[ScoreboardScore, ...] | None = None
    current_score: ScoreboardScore | None = None
    serving: Clearable[Side] = None
    winner: Clearable[Side] = None


Scoreboard = Annotated[TeamGameScoreboard | SetBasedGameScoreboard, ByType()]


class Media(Document):
    """The facts about one file; `title` and `credit` belong to the older form of posting media."""

    type_: Literal["Svc::Model::Media"] = "Svc::Model::Media"
    local_id: Clearable[LocalId] = None
    subtype: Literal["i", "v"] | None = None
    url: MediaUrl | None = None
    local_status: LocalStatus | None = None
    duration_ms: Count | None = None
    width: Count | None = None
    height: Count | None = None
    created_at: Clearable[Timestamp] = None
    updated_at: Clearable[Timestamp] = None
    user_id: Text | None = None
    version: Int | None = None
    title: Text | None = None
    credit: Text | None = None


class _MediaContent(Document):
    """Displays one entry of the post's `media`; `source_url` posts a new one without such an entry."""

    type_: str
    media_local_id: Clearable[LocalId] = None
    content_warning: Text | None = None
    credit: Text | None = None
    title: Text | None = None
    source_url: Clearable[MediaUrl] = None


class ImageMediaContent(_MediaContent):
    """Displays an image; an empty `content_warning` asks for the generic warning."""

    type_: Literal["Svc::Model::Content::ImageMediaContent"] = "Svc::Model::Content::ImageMediaContent"


class VideoMediaContent(_MediaContent):
    """Displays a video; an empty `content_warning` asks for the generic warning."""

    type_: Literal["Svc::Model::Content::VideoMediaContent"] = "Svc::Model::Content::VideoMediaContent"


MediaContent = Annotated[ImageMediaContent | VideoMediaContent, ByType()]


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
