"""Uploaded files on a disk: written beside their place, synced and renamed, so that there is never half a file."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import structlog

from store import private
from store.files.port import KEY, FileMissing, FoundFile, StorageUnavailable, StoredFile, check_key

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterator

log = structlog.get_logger()

CHUNK = 262_144
"""Bytes that are read at a time."""
BUCKET = 2
"""Characters of a key that name its folder."""


class DiskFiles:
    """Files below `folder`, which several processes may share. Work on the disk is done in threads."""

    def __init__(self, folder: Path) -> None:
        self._stored = folder / "uploads"
        self._unfinished = folder / "unfinished"

    async def put(self, key: str, chunks: AsyncIterable[bytes]) -> StoredFile:
        check_key(key)
        target = self._path(key)
        with storage_errors():
            part = await asyncio.to_thread(self._begin, target)
        try:
            return await self._write(part, target, chunks)
        finally:
            part.file.close()
            part.path.unlink(missing_ok=True)

    async def open(self, key: str) -> AsyncIterator[bytes]:
        check_key(key)
        with storage_errors():
            file = await asyncio.to_thread(self._path(key).open, "rb")
        with file:
            while chunk := await self._read(file):
                yield chunk

    async def read(self, key: str, most: int) -> bytes:
        check_key(key)
        with storage_errors():
            return await asyncio.to_thread(_head, self._path(key), most)

    async def delete(self, key: str) -> None:
        check_key(key)
        with storage_errors():
            await asyncio.to_thread(partial(self._path(key).unlink, missing_ok=True))

    async def keys(self, after: str, limit: int) -> list[FoundFile]:
        with storage_errors():
            return await asyncio.to_thread(lambda: list(islice(self._listed(after), limit)))

    async def discard_unfinished(self, before: float) -> None:
        with storage_errors():
            await asyncio.to_thread(self._discard, before)

    def _path(self, key: str) -> Path:
        return self._stored / key[:BUCKET] / key

    def _begin(self, target: Path) -> Part:
        self._stored.parent.mkdir(mode=private.FOLDER, parents=True, exist_ok=True)
        for folder in (self._unfinished, self._stored, target.parent):
            folder.mkdir(mode=private.FOLDER, exist_ok=True)
        path = self._unfinished / secrets.token_hex(16)
        return Part(path, open(path, "xb", opener=private.opener))

    async def _write(self, part: Part, target: Path, chunks: AsyncIterable[bytes]) -> StoredFile:
        async for chunk in chunks:
            with storage_errors():
                await asyncio.to_thread(part.add, chunk)
        with storage_errors():
            await asyncio.to_thread(part.finish, target)
        return StoredFile(part.bytes, part.digest.hexdigest())

    @staticmethod
    async def _read(file: BinaryIO) -> bytes:
        with storage_errors():
            return await asyncio.to_thread(file.read, CHUNK)

    def _listed(self, after: str) -> Iterator[FoundFile]:
        for bucket in _sorted(self._stored):
            if bucket.name >= after[:BUCKET]:
                for entry in _sorted(Path(bucket.path)):
                    if entry.name > after and KEY.fullmatch(entry.name):
                        with suppress(FileNotFoundError):
                            yield FoundFile(entry.name, entry.stat().st_mtime)

    def _discard(self, before: float) -> None:
        for entry in _sorted(self._unfinished):
            with suppress(FileNotFoundError):
                if entry.stat().st_mtime < before:
                    Path(entry.path).unlink()


class Part:
    """A file that is being written."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self.file = file
        self.bytes = 0
        self.digest = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        self.file.write(chunk)
        self.digest.update(chunk)
        self.bytes += len(chunk)

    def finish(self, target: Path) -> None:
        """Make it last, and only then give it its name."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.path.replace(target)
        for folder in (target.parent, target.parent.parent):
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Errors of the disk as those of a storage."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileMissing("there is no such file") from error
    except OSError as error:
        log.warning("storage.failed", cause=error.strerror)
        raise StorageUnavailable("the storage of files is not available") from error


def _head(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


def _sorted(folder: Path) -> list[os.DirEntry[str]]:
    """What is in the folder by name; nothing where there is none."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
