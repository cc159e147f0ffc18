"""The channel of comments that belongs to a post, and comments as documents."""

from __future__ import annotations

from sqlalchemy import Connection

from api.http.json_path import Json, node
from api.http.request import Services
from api.view.post_files import reader_picture
from mapping.errors import NotFound
from store.comments.comments import StoredComment
from store.liveblogs import liveblogs
from store.liveblogs.liveblogs import StoredGame

NO_CHANNEL = "there is no such channel of comments"


def liveblog_of_channel(conn: Connection, organization_id: str, channel_id: str, *, public: bool = True) -> StoredGame:
    """The liveblog of the post that the channel belongs to. Raises NotFound; `public`: also where readers do not see it."""
    event = liveblogs.event(conn, channel_id)
    game = None if event is None else liveblogs.find_game(conn, event.game_id)
    if event is None or game is None or game.organization_id != organization_id:
        raise NotFound(NO_CHANNEL)
    if public and not (event.public and game.public):
        raise NotFound(NO_CHANNEL)
    return game


def allows_comments(game: StoredGame) -> bool:
    """Whether the liveblog takes comments."""
    return node(game.document, "meta_info").get("allow_comments") is True


def as_read(services: Services, comment: StoredComment, *, personal: bool) -> Json:
    """The comment as a reader sees it; `personal`: whether that reader is known."""
    return {
        "id": comment.id,
        "channel_id": comment.channel_id,
        "created_at": comment.created_at,
        "updated_at": comment.updated_at,
        "author": {
            "id": comment.reader_id,
            "name": comment.author_name,
            "image": reader_picture(services, comment.organization_id, comment.author_image),
        },
        "text": comment.text,
        "parent_id": comment.parent_id,
        "status": comment.status,
        "likes": comment.likes,
        "reply_count": comment.reply_count,
        **({"liked": comment.liked} if personal else {}),
    }


def as_moderated(services: Services, comment: StoredComment) -> Json:
    """The comment as those see it who moderate it."""
    more = {"liveblog_id": comment.game_id, "reports": comment.reports, "moderated_by": comment.moderated_by}
    return {**as_read(services, comment, personal=False), **more}
