"""Which files a record's document names: noted with every write of the record. Uploads stay as long, images are shown as long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection

from mapping.documents.scalars import LocalStatus
from mapping.liveblog.file_addresses import addresses_in
from mapping.rules.public import file_is_public
from store.engine.unit import Unit
from store.media import image_uses, uploads
from store.media.uploads import Kind

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
    now, then = (_used(unit.conn, organization_id, document or {}) for document in (after, before))
    if now.uploads != then.uploads:
        uploads.refer(unit, kind, record_id, now.uploads)
    if now.images != then.images:
        image_uses.refer(unit, kind, record_id, organization_id, now.images)


class Used(NamedTuple):
    """Keys of uploads and addresses of others' images → whether readers of the record are shown them."""

    uploads: dict[str, bool]
    images: dict[str, bool]


def _used(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> Used:
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
