"""The capability of comments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from api.comments import comment_counts, moderation
from api.comments import endpoint as comments
from api.http.capability import Capability, PagePart, Purge
from api.http.errors import json_bytes
from api.http.json_path import Json, node
from api.http.routing import Route
from config import Settings
from mapping.locales import Translator
from mapping.locales.labels import CommentLabel
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


def page_data(settings: Settings, organization_id: str, game: Json, texts: Translator) -> Mapping[str, object]:
    """What it says, as JSON; nothing where the organization or the liveblog takes no comments."""
    if (
        not settings.organization(organization_id).takes_comments
        or node(game, "meta_info").get("allow_comments") is not True
    ):
        return {}
    return {"comments": json_bytes({each.name.lower(): texts.text(each) for each in CommentLabel}).decode()}


COMMENTS = Capability(
    name="comments",
    routes=ROUTES,
    parts=lambda services, monotonic: (comment_counts.CountedComments(services.store, services.clock, monotonic),),
    extras=comment_counts.extras,
    page=PagePart(data=page_data),
    export=lambda read, game_id, form, _content: moderation.export_comments(read, game_id, form),
    purges=(
        Purge(
            "purge comments",
            "23 * * * *",
            lambda settings, now: (partial(stored_moderation.purge, before=now - settings.comments.rejected_kept),),
        ),
    ),
)
