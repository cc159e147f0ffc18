"""Files as the image proxy reads them: uploads of one storage, and what the database says of who sees any of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mapping.errors import NotFound
from store.media import uploads
from store.published_files import file_is_shown

if TYPE_CHECKING:
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

    async def shown(self, organization_id: str, url: str) -> bool:
        """Whether something of the organization that is published refers to it, and no operator has purged it."""
        return await self.store.read(partial(file_is_shown, organization_id=organization_id, url=url))
