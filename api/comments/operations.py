"""What is done with comments by those who moderate, for a request of the API or a form of the desk.

Whether the caller may do it at all is checked before.
"""

from __future__ import annotations

from functools import partial

from api.comments.channel import liveblog_of_channel
from api.comments.comment_counts import CountedComments
from api.http.request import Caller, Services
from api.media.proxy import ImageProxy
from mapping.comments.documents import CommentDecision
from store.comments import moderation
from store.comments.comments import StoredComment
from store.comments.tables import CommentStatus
from store.engine.unit import Unit

ACTIONS = {
    "approve": CommentStatus.APPROVED,
    "reject": CommentStatus.REJECTED,
    "delete": CommentStatus.DELETED,
    "wait": CommentStatus.PENDING,
}
"""Action → the status that the comment has then; one that waits again has been decided by nobody."""


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
