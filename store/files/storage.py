"""The interface of a storage of uploaded files, and its errors. Files are named by keys and never change.

The formats of images that it takes are named here, apart from Pillow, which no start waits for.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple, Protocol

import structlog

from mapping.errors import NotFound, StoreUnavailable

HEAD: Final = 262_144
"""Bytes from which an image is identified."""
CONTENT_TYPES: Final = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
}
"""Formats that the service takes, each with its media type. SVG is none: it is a document that can run scripts."""


KEY = re.compile(r"[A-Za-z0-9_-]{32}")


log = structlog.get_logger()


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


def check_key(key: str) -> None:
    """Raise FileMissing for what cannot be a key: it must not become part of a path."""
    if not KEY.fullmatch(key):
        raise FileMissing("there is no such file")


async def fill(file: BinaryIO, chunks: AsyncIterable[bytes]) -> StoredFile:
    """Write all of it; the disk is worked on in threads. Raises StorageUnavailable, and what `chunks` raises."""
    digest, size = hashlib.sha256(), 0

    def add(chunk: bytes) -> None:
        file.write(chunk)
        digest.update(chunk)

    async for chunk in chunks:
        with storage_errors():
            await asyncio.to_thread(add, chunk)
        size += len(chunk)
    return StoredFile(size, digest.hexdigest())


@contextmanager
def storage_errors() -> Iterator[None]:
    """Errors of the disk as those of a storage."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileMissing("there is no such file") from error
    except OSError as error:
        raise unavailable(error.strerror) from error


def unavailable(cause: str | None) -> StorageUnavailable:
    """The error for it, once the log has its cause."""
    log.warning("storage.failed", cause=cause)
    return StorageUnavailable("the storage of files is not available")
