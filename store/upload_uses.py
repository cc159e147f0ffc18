"""Which uploads a record's document names: noted with every write of the record, so that they stay as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mapping.documents.scalars import LocalStatus
from mapping.file_addresses import addresses_in
from mapping.rules.public import file_is_public
from store import uploads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from store.unit import Unit
    from store.uploads import Kind


def note_uses(
    unit: Unit,
    kind: Kind,
    record_id: str,
    organization_id: str,
    *,
    after: Mapping[str, Any] | None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Note which uploads the record names now, `after` as it is stored (None: deleted), `before` as it was (None: new).

    Raises Unprocessable where one of them has gone since it was looked up.
    """
    now, then = (_used(unit.conn, organization_id, document or {}) for document in (after, before))
    if now != then:
        uploads.refer(unit, kind, record_id, now)


def _used(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> dict[str, bool]:
    """The uploads of its organization that a document names by itself: key → whether its readers are shown them."""
    found: dict[str, bool] = {}
    for path, url in addresses_in(document, named=False):
        upload = uploads.find(conn, url) if url.startswith(uploads.PREFIX) else None
        entry = _entry(document, path)
        deleted = entry.get("local_status") == LocalStatus.DELETED
        if upload is not None and upload.organization_id == organization_id and not deleted:
            found[upload.key] = found.get(upload.key, False) or file_is_public(entry)
    return found


def _entry(document: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The entry of `media` in which the address stands; an empty one, where it stands elsewhere."""
    first, _, rest = path.partition(".")
    entry: Mapping[str, Any] = document["media"][int(rest.partition(".")[0])] if first == "media" else {}
    return entry
