"""Which records name images of third parties, and what an operator shows to nobody; `store.published_files` says who sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sqlalchemy import Connection, delete, exists, select

from store.engine.statements import insert_ignore, insert_new, write_batch
from store.engine.unit import Unit
from store.media.tables import image_uses, purged_files
from store.tables import events

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


def purge(unit: Unit, url: str) -> bool:
    """Show the file of that address to nobody any more, whatever names it; False where that is so already."""
    return insert_new(unit.conn, purged_files, file=key_of(url), purged_at=unit.now)


def restore(unit: Unit, url: str) -> bool:
    """Show it again where it is named; False where it was not purged."""
    return bool(unit.conn.execute(delete(purged_files).where(purged_files.c.file == key_of(url))).rowcount)


def is_purged(conn: Connection, url: str) -> bool:
    """Whether an operator has decided that nobody is shown the file."""
    return bool(conn.scalar(select(exists().where(purged_files.c.file == key_of(url)))))
