"""Uploads as the image proxy reads them: the file of one storage, and what the database says of who sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapping.errors import NotFound
from store import uploads

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.database import Store
    from store.files.port import FileStore


@dataclass(frozen=True, slots=True)
class StoredUploads:
    """The uploads of all organizations, by their `imageservice://` addresses."""

    store: Store
    files: FileStore

    async def read(self, url: str, most: int) -> bytes | None:
        """The bytes of an upload, None where the organization of the address has none of it, or it is larger than `most`."""
        found = await self.store.read(lambda conn: uploads.find(conn, url))
        if found is None or found.bytes > most:
            return None
        try:
            return await self.files.read(found.key, most)
        except NotFound:
            return None

    async def shown(self, url: str) -> bool:
        """Whether something that is published refers to it."""

        def look_up(conn: Connection) -> bool:
            found = uploads.find(conn, url)
            return found is not None and uploads.shown(conn, found.key)

        return await self.store.read(look_up)
