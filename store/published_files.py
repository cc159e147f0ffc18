"""Whether something published shows a file: one that nothing shows is served to nobody, however its address is signed."""

from __future__ import annotations

from sqlalchemy import Connection, and_, exists, or_, select

from store.comments.tables import comment_is_public, comments
from store.media import uploads
from store.media.file_uses import is_blocked, key_of
from store.media.tables import image_uses
from store.public import liveblog_is_shown, post_is_shown


def file_is_shown(conn: Connection, organization_id: str, url: str) -> bool:
    """Whether everybody may see the file, an upload or somebody else's image: something published of the organization names it.

    An upload is of the organization in its address. What an operator has purged nobody may see.
    """
    if is_blocked(conn, url):
        return False
    if not url.startswith(uploads.PREFIX):
        return _is_named(conn, organization_id, url)
    found = uploads.find(conn, url)
    return found is not None and uploads.is_shown(conn, found.key)


def _is_named(conn: Connection, organization_id: str, url: str) -> bool:
    """Whether something that is published names the image: master data, a liveblog, a post, a comment of a post by its author."""
    record = image_uses.c.record_id
    commented = exists().where(
        comments.c.id == record, comment_is_public(comments), post_is_shown(comments.c.channel_id)
    )
    published = or_(
        and_(image_uses.c.kind == "event", post_is_shown(record)),
        and_(image_uses.c.kind == "game", liveblog_is_shown(record)),
        and_(image_uses.c.kind == "comment", commented),
        image_uses.c.kind.in_(("team", "player", "tournament")),
    )
    mine = image_uses.c.organization_id == organization_id, image_uses.c.image == key_of(url)
    return bool(conn.scalar(select(exists().where(*mine, image_uses.c.shown, published))))
