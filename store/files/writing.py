"""A file that is written to the disk as it comes, and what goes wrong with that."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import structlog

from store.files.port import FileMissing, StorageUnavailable, StoredFile

log = structlog.get_logger()


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
