"""Moderates comments, for requests of the API and forms of the desk alike, and writes comments as documents.

Whether the caller may do it at all is checked before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sqlalchemy import Connection

from api.comments.comment_counts import CountedComments
from api.http.json_path import Json, node
from api.http.request import Caller, Services
from api.media.proxy import ImageProxy
from api.view.post_files import reader_picture
from mapping.comments.documents import CommentDecision
from mapping.errors import NotFound
from store.comments import moderation
from store.comments.comments import CommentPage, StoredComment
from store.comments.tables import CommentStatus
from store.engine.liveblog_records import StoredGame
from store.engine.unit import Unit
from store.liveblogs import liveblogs

ACTIONS = {
    "approve": CommentStatus.APPROVED,
    "reject": CommentStatus.REJECTED,
    "delete": CommentStatus.DELETED,
    "wait": CommentStatus.PENDING,
}
"""Action → the status that the comment has then; one that waits again has been decided by nobody."""


NO_CHANNEL = "there is no such channel of comments"


async def decide(
    services: Services, caller: Caller, organization_id: str, comment_id: str, decision: CommentDecision
) -> StoredComment:
    """Decide about a comment of the organization. Raises NotFound, and Conflict where somebody else was faster."""
    change = partial(
        moderation.decide,
        organization_id=organization_id,
        comment_id=comment_id,
        status=ACTIONS[decision.action],
        client_id=caller.client_id,
        seen=decision.status,
    )
    decided = await services.store.write(change)
    _forget_kept(services)
    return decided


async def set_ban(services: Services, caller: Caller, organization_id: str, reader_id: str, *, banned: bool) -> None:
    """Ban a reader from the organization, or lift that. Raises NotFound."""
    change = partial(
        moderation.ban,
        organization_id=organization_id,
        reader_id=reader_id,
        banned=banned,
        client_id=caller.client_id,
    )
    await services.store.write(change)
    _forget_kept(services)


async def close(services: Services, caller: Caller, organization_id: str, channel_id: str, *, closed: bool) -> None:
    """Take no more comments of a post, or take them again; those there are stay. Raises NotFound."""

    def write(unit: Unit) -> None:
        game = liveblog_of_channel(unit.conn, organization_id, channel_id, public=False)
        moderation.close(unit, game.id, channel_id, closed=closed, client_id=caller.client_id)

    await services.store.write(write)


def _forget_kept(services: Services) -> None:
    """Lists and numbers of comments, and pictures of their authors, are looked up anew: no step of a liveblog says so."""
    services[CountedComments].note_moderation()
    if (images := services.find(ImageProxy)) is not None:
        images.forget()


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


def page_document(page: CommentPage, shown: Callable[[StoredComment], Json]) -> Json:
    """A page of comments, each as it is `shown`."""
    return {
        "comments": list(map(shown, page.comments)),
        "next": page.comments[-1].id if page.more else None,
        "total": page.total,
    }
