"""Images and videos of a post: the facts about each file, and where the post displays them."""

from typing import Annotated, Literal

from mapping.documents.base import ByType, Document
from mapping.documents.scalars import Clearable, Count, Int, LocalId, LocalStatus, MediaUrl, Text, Timestamp


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
