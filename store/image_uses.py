"""Which images of third parties something published shows: one that nothing shows is served to nobody, however it is signed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, delete, exists, or_, select

from store import uploads
from store.comment_tables import comments
from store.media_tables import image_uses, purged_files
from store.public import comment_is_public, liveblog_is_shown, post_is_shown
from store.sql.bulk_write import insert_ignore, write_batch
from store.sql.insert_new import insert_new
from store.tables import events

if TYPE_CHECKING:
    from collections.abc import Mapping

    from store.unit import Unit

KEY_DIGITS = 32


def key_of(url: str) -> str:
    """The address as the tables name it, whatever its length."""
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:KEY_DIGITS]


def refer(unit: Unit, kind: str, record_id: str, organization_id: str, images: Mapping[str, bool]) -> None:
    """Say which images the record names from now on: address → whether readers of the record are shown it."""
    unit.conn.execute(delete(image_uses).where(image_uses.c.kind == kind, image_uses.c.record_id == record_id))
    add(unit.conn, [use(kind, record_id, organization_id, url, shown=shown) for url, shown in images.items()])


def use(kind: str, record_id: str, organization_id: str, url: str, *, shown: bool = True) -> dict[str, object]:
    """The row that says so of one image."""
    return {
        "organization_id": organization_id,
        "image": key_of(url),
        "kind": kind,
        "record_id": record_id,
        "shown": shown,
    }


def add(conn: Connection, rows: list[dict[str, object]]) -> None:
    """Say so of records that named none of these images before."""
    write_batch(conn, insert_ignore(image_uses, rows))


def release_posts(unit: Unit, game_id: str) -> None:
    """Let the posts of a liveblog that is deleted show no image any more."""
    posts = select(events.c.local_id).where(events.c.game_id == game_id)
    unit.conn.execute(delete(image_uses).where(image_uses.c.kind == "event", image_uses.c.record_id.in_(posts)))


def file_is_shown(conn: Connection, organization_id: str, url: str) -> bool:
    """Whether everybody may see the file, an upload or somebody else's image: something published of the organization names it.

    An upload is of the organization in its address. What an operator has purged nobody may see.
    """
    if is_purged(conn, url):
        return False
    if not url.startswith(uploads.PREFIX):
        return _is_named(conn, organization_id, url)
    found = uploads.find(conn, url)
    return found is not None and uploads.shown(conn, found.key)


def _is_named(conn: Connection, organization_id: str, url: str) -> bool:
    """Whether something that is published names the image: master data, a liveblog, a post, a comment of its author."""
    record = image_uses.c.record_id
    commented = exists().where(comments.c.id == record, comment_is_public(comments))
    published = or_(
        and_(image_uses.c.kind == "event", post_is_shown(record)),
        and_(image_uses.c.kind == "game", liveblog_is_shown(record)),
        and_(image_uses.c.kind == "comment", commented),
        image_uses.c.kind.in_(("team", "player", "tournament")),
    )
    mine = image_uses.c.organization_id == organization_id, image_uses.c.image == key_of(url)
    return bool(conn.scalar(select(exists().where(*mine, image_uses.c.shown, published))))


def purge(unit: Unit, url: str) -> bool:
    """Show the file of that address to nobody any more, whatever names it; False where that is so already."""
    return insert_new(unit.conn, purged_files, file=key_of(url), purged_at=unit.now)


def restore(unit: Unit, url: str) -> bool:
    """Show it again where it is named; False where it was not purged."""
    return bool(unit.conn.execute(delete(purged_files).where(purged_files.c.file == key_of(url))).rowcount)


def is_purged(conn: Connection, url: str) -> bool:
    """Whether an operator has decided that nobody is shown the file."""
    return bool(conn.scalar(select(exists().where(purged_files.c.file == key_of(url)))))
