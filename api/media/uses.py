"""Uploads that documents name: those of the record's own organization alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.http.json_path import Json, nodes, text
from mapping.documents.scalars import UPLOADED
from mapping.errors import Unprocessable
from mapping.liveblog.file_addresses import addresses_in
from store.media import uploads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from store.media.uploads import Upload


def check_uploads(conn: Connection, organization_id: str, sent: Json, before: Any) -> None:
    """Raise Unprocessable, with the path, for an address that is new to the record and no upload of its organization.

    An unknown upload, one of somebody else and an address of another form are the same to the client.
    """
    known = {url for _, url in addresses_in(before)}
    for path, url in addresses_in(sent, named=False):
        if url.lower().startswith(UPLOADED) and url not in known and _upload(conn, organization_id, url) is None:
            raise Unprocessable("there is no such upload", field=path)


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


def _upload(conn: Connection, organization_id: str, url: str) -> Upload | None:
    found = uploads.find(conn, url)
    return found if found is not None and found.organization_id == organization_id else None
