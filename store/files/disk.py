"""Uploaded files on a disk: written beside their place, synced and renamed, so that there is never half a file."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from store.engine import private_files
from store.files.storage import KEY, FoundFile, StoredFile, check_key, fill, storage_errors

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
        beginning = asyncio.create_task(asyncio.to_thread(self._begin, target))
        try:
            with storage_errors():
                file = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(_discard_begun)  # the thread goes on, and the file would stay open
            raise
        try:
            stored = await fill(file, chunks)
            with storage_errors():
                await asyncio.to_thread(_finish, file, target)
            return stored
        finally:
            _discard(file)

    async def read(self, key: str, most: int, start: int = 0) -> bytes:
        check_key(key)
        with storage_errors():
            return await asyncio.to_thread(_read_part, self._path(key), most, start)

    async def delete(self, key: str) -> None:
        check_key(key)
        with storage_errors():
            await asyncio.to_thread(partial(self._path(key).unlink, missing_ok=True))

    async def keys(self, after: str, limit: int) -> list[FoundFile]:
        with storage_errors():
            return await asyncio.to_thread(lambda: list(islice(self._list_after(after), limit)))

    async def discard_unfinished(self, before: float) -> None:
        with storage_errors():
            await asyncio.to_thread(self._discard, before)

    def _path(self, key: str) -> Path:
        return self._stored / key[:BUCKET] / key

    def _begin(self, target: Path) -> BinaryIO:
        self._stored.parent.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
        for folder in (self._unfinished, self._stored, target.parent):
            folder.mkdir(mode=private_files.FOLDER, exist_ok=True)
        return open(self._unfinished / secrets.token_hex(16), "xb", opener=private_files.opener)

    def _list_after(self, after: str) -> Iterator[FoundFile]:
        for bucket in _sorted_entries(self._stored):
            if bucket.name >= after[:BUCKET]:
                for entry in _sorted_entries(Path(bucket.path)):
                    if entry.name > after and KEY.fullmatch(entry.name):
                        with suppress(FileNotFoundError):
                            yield FoundFile(entry.name, entry.stat().st_mtime)

    def _discard(self, before: float) -> None:
        for entry in _sorted_entries(self._unfinished):
            with suppress(FileNotFoundError):
                if entry.stat().st_mtime < before:
                    Path(entry.path).unlink()


def _finish(file: BinaryIO, target: Path) -> None:
    """Make the file last, and only then give it its name."""
    file.flush()
    os.fsync(file.fileno())
    Path(file.name).replace(target)
    for folder in (target.parent, target.parent.parent):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _discard_begun(beginning: asyncio.Task[BinaryIO]) -> None:
    if not beginning.cancelled() and beginning.exception() is None:
        _discard(beginning.result())


def _discard(file: BinaryIO) -> None:
    """Close it, and delete it where it did not get another name."""
    file.close()
    Path(file.name).unlink(missing_ok=True)


def _read_part(path: Path, most: int, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(most)


def _sorted_entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in the folder by name; nothing where there is none."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
