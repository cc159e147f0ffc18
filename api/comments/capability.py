"""The capability of comments."""

from __future__ import annotations

from functools import partial

from api.comments import comment_counts, comment_export, comment_page, moderation
from api.comments import endpoint as comments
from api.http.capability import Capability, PagePart, Purge
from api.http.routing import Route
from mapping.comments.documents import (
    ChannelClosing,
    ChannelClosingRequest,
    CommentCollection,
    CommentCounts,
    CommentDecision,
    CommentDraft,
    CommentLike,
    CommentLikes,
    CommentReported,
    ModeratedComment,
    ModeratedCommentCollection,
    ReaderBan,
    ReaderBanRequest,
    ReaderComment,
)
from store.comments import moderation as stored_moderation

# fmt: off
ROUTES = (
    Route("GET", comment_counts.PATH, comment_counts.counts, "reader", comment_counts.COUNTS),
    Route("GET", f"{comments.PATH}.json", comments.index, "reader", comments.INDEX),
    Route("POST", f"{comments.PATH}.json", comments.create, "reader", comments.CREATE),
    Route("POST", f"{comments.PATH}/{{commentId}}/like.json", comments.like, "reader", comments.LIKE),
    Route("POST", f"{comments.PATH}/{{commentId}}/report.json", comments.report, "reader", comments.REPORT),
    Route("GET", f"{moderation.PATH}/comments.json", moderation.list_comments, "comments", moderation.LIST),
    Route("POST", f"{moderation.PATH}/comments/{{commentId}}/moderate.json", moderation.moderate, "comments", moderation.MODERATE),
    Route("POST", f"{moderation.PATH}/readers/{{readerId}}/ban.json", moderation.ban, "comments", moderation.BAN),
    Route("POST", f"{moderation.PATH}/channels/{{channelId}}/close.json", moderation.close, "comments", moderation.CLOSE),
    Route("GET", f"{moderation.PATH}/export", moderation.export, "comments", moderation.EXPORT),
)
# fmt: on

COMMENTS = Capability(
    name="comments",
    routes=ROUTES,
    requests=(ChannelClosingRequest, CommentDecision, CommentDraft, CommentLike, ReaderBanRequest),
    responses=(
        ChannelClosing,
        CommentCollection,
        CommentCounts,
        CommentLikes,
        CommentReported,
        ModeratedComment,
        ModeratedCommentCollection,
        ReaderBan,
        ReaderComment,
    ),
    parts=lambda services, monotonic: (comment_counts.CountedComments(services.store, services.clock, monotonic),),
    extras=comment_counts.extras,
    page=PagePart(data=comment_page.page_data),
    export=lambda read, game_id, form, _content: comment_export.export_comments(read, game_id, form),
    purges=(
        Purge(
            "purge comments",
            "23 * * * *",
            lambda settings, now: (partial(stored_moderation.purge, before=now - settings.comments.rejected_kept),),
        ),
    ),
)
