"""Uploads that documents name: those of the record's own organization alone, noted with the record, so that they stay as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.json_path import Json, nodes, number, text
from mapping.documents.scalars import UPLOADED, LocalStatus
from mapping.errors import Unprocessable
from mapping.file_addresses import addresses_in
from store import uploads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from store.unit import Unit
    from store.uploads import Kind, Upload


def check_uploads(conn: Connection, organization_id: str, sent: Json, before: Any) -> None:
    """Raise Unprocessable, with the path, for an address that is new to the record and no upload of its organization.

    An unknown upload, one of somebody else and an address of another form are the same to the client.
    """
    known = {url for _, url in addresses_in(before)}
    for path, url in addresses_in(sent, named=False):
        if url.lower().startswith(UPLOADED) and url not in known and _upload(conn, organization_id, url) is None:
            raise Unprocessable("there is no such upload", field=path)


def note_uses(
    unit: Unit,
    kind: Kind,
    record_id: str,
    organization_id: str,
    *,
    after: Mapping[str, Any] | None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Note which uploads the record names now, `after` as it is stored (None: deleted), `before` as it was."""
    used = _used(unit.conn, organization_id, after or {})
    if used or _used(unit.conn, organization_id, before or {}):
        uploads.refer(unit, kind, record_id, used)


def with_sizes(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The post with width and height of each uploaded file whose entry does not say them."""
    media = nodes(document, "media")
    if not any(text(file, "url").startswith(uploads.PREFIX) for file in media):
        return document
    return {**document, "media": [_with_size(conn, organization_id, file) for file in media]}


def _with_size(conn: Connection, organization_id: str, file: Json) -> Json:
    if file.get("width") and file.get("height"):
        return file
    upload = _upload(conn, organization_id, text(file, "url"))
    if upload is None or not upload.width or not upload.height:
        return file
    return {**file, "width": upload.width, "height": upload.height}


def _used(conn: Connection, organization_id: str, document: Mapping[str, Any]) -> dict[str, bool]:
    """The uploads that a stored document names by itself: key → whether its readers are shown them."""
    files = [(text(file, "url"), number(file, "local_status") or 0) for file in nodes(document, "media")]
    others = {name: value for name, value in document.items() if name != "media"}
    found: dict[str, bool] = {}
    for url, status in (*files, *((url, 0) for _, url in addresses_in(others, named=False))):
        upload = _upload(conn, organization_id, url)
        if upload is not None and status != LocalStatus.DELETED:
            found[upload.key] = found.get(upload.key, False) or status == LocalStatus.PUBLISHED
    return found


def _upload(conn: Connection, organization_id: str, url: str) -> Upload | None:
    found = uploads.find(conn, url)
    return found if found is not None and found.organization_id == organization_id else None
