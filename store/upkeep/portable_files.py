"""Files of uploads on their way from one storage to another, checked against their rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from store.engine.errors import StoreError
from store.files.port import FileMissing, FileStore

CHUNK = 1 << 20


def copy_files(uploads: Iterable[Mapping[str, Any]], source: FileStore, target: FileStore) -> int:
    """Copy the file of each row; how many the source does not have. Not to be called from a running event loop.

    Raises StoreError for one that is not what its row says, which the target does not keep; StorageUnavailable.
    """

    async def copied() -> int:
        return sum([not await _copy(upload, source, target) for upload in uploads])

    return asyncio.run(copied())


def delete_files(keys: Iterable[str], target: FileStore) -> None:
    """Delete what was copied. Not to be called from a running event loop. Raises StorageUnavailable."""

    async def deleted() -> None:
        for key in keys:
            await target.delete(key)

    asyncio.run(deleted())


async def _copy(upload: Mapping[str, Any], source: FileStore, target: FileStore) -> bool:
    key: str = upload["key"]
    try:
        first = await source.read(key, CHUNK)
    except FileMissing:
        return False
    stored = await target.put(key, _chunks(key, source, first, upload["bytes"]))
    if (stored.bytes, stored.digest) != (upload["bytes"], upload["digest"]):
        await target.delete(key)
        raise StoreError(f"the file of the upload {key} is not the one that its row names")
    return True


async def _chunks(key: str, source: FileStore, first: bytes, size: int) -> AsyncIterator[bytes]:
    """The file piece by piece, no further than one beyond its size."""
    chunk, read = first, 0
    while chunk:
        yield chunk
        read += len(chunk)
        chunk = b"" if read > size or len(chunk) < CHUNK else await source.read(key, CHUNK, read)
