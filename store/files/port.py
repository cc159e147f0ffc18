"""What a storage of uploaded files can do. Files are named by keys and never change."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterable
from typing import NamedTuple, Protocol

from mapping.errors import NotFound, StoreUnavailable

KEY = re.compile(r"[A-Za-z0-9_-]{32}")
KEY_BYTES = 24


class FileMissing(NotFound):
    """The storage has no file of that key."""


class StorageUnavailable(StoreUnavailable):
    """The storage did not take or give the file, perhaps because it is full; another try may succeed."""


class StoredFile(NamedTuple):
    """A file that is stored. `digest`: SHA-256 in hex."""

    bytes: int
    digest: str


class FoundFile(NamedTuple):
    """A file as a listing shows it. `stored_at`: Unix seconds, by the clock of the storage."""

    key: str
    stored_at: float


class FileStore(Protocol):
    """A storage. Every method raises StorageUnavailable where the storage does not do what it should."""

    async def put(self, key: str, chunks: AsyncIterable[bytes]) -> StoredFile:
        """Store the file, which lasts and can be read once this returns; nothing stays of one that `chunks` broke off."""
        ...

    async def read(self, key: str, most: int, start: int = 0) -> bytes:
        """At most `most` bytes of the file from `start` on, fewer only at its end. Raises FileMissing."""
        ...

    async def delete(self, key: str) -> None:
        """Delete the file, if it is there."""
        ...

    async def keys(self, after: str, limit: int) -> list[FoundFile]:
        """Files by their keys in the order of bytes, the first `limit` of those greater than `after`."""
        ...

    async def discard_unfinished(self, before: float) -> None:
        """Delete what was left of files whose storing broke off before that time (Unix seconds)."""
        ...


def new_key() -> str:
    """A key that nobody can guess."""
    return secrets.token_urlsafe(KEY_BYTES)


def check_key(key: str) -> None:
    """Raise FileMissing for what cannot be a key: it must not become part of a path."""
    if not KEY.fullmatch(key):
        raise FileMissing("there is no such file")
