"""Comments as readers write and see them, and as those who moderate them do."""

from typing import Annotated, Literal

from pydantic import Field

from mapping.documents.base import Document
from mapping.documents.scalars import Bool, Count, LongText, Text, Timestamp

Status = Literal["pending", "approved", "rejected", "hidden", "deleted"]


class CommentDraft(Document):
    """A comment that a reader sends; `parent_id`: the comment that it replies to."""

    text: Annotated[LongText, Field(min_length=1, pattern=r"\S")]
    parent_id: Text | None = None


class CommentAuthor(Document):
    """Who wrote a comment, as others see it."""

    id: Text
    name: Text | None = None
    image: Text | None = None


class ReaderComment(Document):
    """A comment as readers see it; `liked` only where the reader who reads it is known."""

    id: Text
    channel_id: Text
    created_at: Timestamp
    updated_at: Timestamp
    author: CommentAuthor
    text: Text
    parent_id: Text | None = None
    status: Status
    likes: Count
    reply_count: Count
    liked: Bool | None = None


class ModeratedComment(ReaderComment):
    """A comment as those who moderate see it."""

    liveblog_id: Text
    reports: Count
    moderated_by: Text | None = None


class CommentCollection(Document):
    """Comments of a channel, newest first, replies among them; `total`: those that are public."""

    comments: tuple[ReaderComment, ...]
    next: Text | None = None
    total: Count


class ModeratedCommentCollection(Document):
    """Comments of an organization, newest first."""

    comments: tuple[ModeratedComment, ...]
    next: Text | None = None
    total: Count


class CommentCounts(Document):
    """The number of public comments by the `local_id` of the post; posts without any are left out."""

    counts: dict[str, int]


class CommentLike(Document):
    """Whether the reader likes the comment."""

    liked: Bool = True


class CommentLikes(Document):
    """The likes of a comment, and whether the reader is among them."""

    likes: Count
    liked: Bool


class CommentReported(Document):
    """The report is taken."""

    reported: Bool


class CommentDecision(Document):
    """What to do with a comment; `status`: as whoever decides has seen it, and only while it is so."""

    action: Literal["approve", "reject", "delete", "wait"]
    status: Literal["pending", "hidden", "approved", "rejected"] | None = None


class ReaderBanRequest(Document):
    """Whether the reader is banned."""

    banned: Bool = True


class ReaderBan(Document):
    """A reader, and whether it is banned."""

    reader_id: Text
    banned: Bool


class ChannelClosingRequest(Document):
    """Whether a channel takes no more comments."""

    closed: Bool = True


class ChannelClosing(Document):
    """A channel, and whether it takes no more comments."""

    channel_id: Text
    closed: Bool
