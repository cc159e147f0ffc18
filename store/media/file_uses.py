"""Notes which files a document names, with every write of it; and blocks files that an operator shows to nobody.

Uploads stay, and images of third parties are shown, as long as something names them; `store.published_files` says to whom.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, exists, select

from mapping.documents.scalars import LocalStatus, file_is_public
from mapping.match.references import addresses_in
from store.engine.statements import insert_ignore, insert_new, write_batch
from store.engine.unit import Unit
from store.media import uploads
from store.media.tables import image_uses, purged_files
from store.media.uploads import Kind
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
    """The row that marks one image as in use by a record."""
    return {
        "organization_id": organization_id,
        "image": key_of(url),
        "kind": kind,
        "record_id": record_id,
        "shown": shown,
    }


def add(conn: Connection, rows: list[dict[str, object]]) -> None:
    """Mark images as in use by records that named none of them before."""
    write_batch(conn, insert_ignore(image_uses, rows))


def release_posts(unit: Unit, game_id: str) -> None:
    """Let the posts of a liveblog that is deleted show no image any more."""
    posts = select(events.c.local_id).where(events.c.game_id == game_id)
    unit.conn.execute(delete(image_uses).where(image_uses.c.kind == "event", image_uses.c.record_id.in_(posts)))


def block(unit: Unit, url: str) -> bool:
    """Show the file of that address to nobody any more, whatever names it; False where that is so already."""
    return insert_new(unit.conn, purged_files, file=key_of(url), purged_at=unit.now)


def unblock(unit: Unit, url: str) -> bool:
    """Show it again where it is named; False where it was not blocked."""
    return bool(unit.conn.execute(delete(purged_files).where(purged_files.c.file == key_of(url))).rowcount)


def is_blocked(conn: Connection, url: str) -> bool:
    """Whether an operator has decided that nobody is shown the file."""
    return bool(conn.scalar(select(exists().where(purged_files.c.file == key_of(url)))))


HOLDERS: dict[str, Kind] = {"players": "player", "teams": "team", "tournaments": "tournament"}
"""Tables of master data whose records name files → what they are called as users of files."""


def note_uses(
    unit: Unit,
    kind: Kind,
    record_id: str,
    organization_id: str,
    *,
    after: Mapping[str, Any] | None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Note which files the record names now, `after` as it is stored (None: deleted), `before` as it was (None: new).

    Raises Unprocessable where an upload has gone since it was looked up.
    """
    now, then = (_find_uses(unit.conn, organization_id, document or {}) for document in (after, before))
    if now.uploads != then.uploads:
        uploads.refer(unit, kind, record_id, now.uploads)
    if now.images != then.images:
        refer(unit, kind, record_id, organization_id, now.images)


class Used(NamedTuple):
    """Keys of uploads and addresses of others' images → whether readers of the record are shown them."""

    uploads: dict[str, bool]
    images: dict[str, bool]


def _find_uses(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> Used:
    """The files that a document names by itself, of uploads those of its organization."""
    found = Used({}, {})
    for path, url in addresses_in(document, named=False):
        entry = _entry(document, path)
        if entry.get("local_status") == LocalStatus.DELETED:
            continue
        if not url.startswith(uploads.PREFIX):
            found.images[url] = found.images.get(url, False) or file_is_public(entry)
        elif (upload := uploads.find(conn, url)) is not None and upload.organization_id == organization_id:
            found.uploads[upload.key] = found.uploads.get(upload.key, False) or file_is_public(entry)
    return found


def _entry(document: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The entry of `media` in which the address stands or which its block shows; an empty one, where it stands elsewhere."""
    media: list[Mapping[str, Any]] = document.get("media") or []
    match path.split("."):
        case ["media", index, *_]:
            return media[int(index)]
        case ["contents", block, "items", index, *_]:
            shown = document["contents"][int(block)]["items"][int(index)].get("media_local_id")
            return next((each for each in media if shown and each.get("local_id") == shown), {})
    return {}
