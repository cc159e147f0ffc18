"""Exports everything that an organization has as JSON Lines, as of one instant, while a daemon goes on."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import Connection

from store.engine import migrate
from store.engine.columns import dumps
from store.engine.errors import StoreError
from store.engine.portable_table import ORGANIZATION
from store.files.storage import FileMissing, FileStore
from store.media.tables import uploads
from store.upkeep import command
from store.upkeep.portable_rows import FORMAT, FORMAT_VERSION, PORTABLE, line_of, value_of

PAGE = 500
"""Rows that are read at a time."""
PATIENCE = 3600.0
"""Seconds that a large organization may take."""
OWNER_ALONE = 0o600


CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class TransferResult:
    """What was exported or imported: rows, uploads among them, and uploads whose files were missing or not wanted."""

    rows: int
    uploads: int
    without_file: int


def export_organization(
    url: str, organization: str, target: Path, *, files: FileStore, media: FileStore | None
) -> TransferResult:
    """Write all that the database at `url` holds of the organization to the new file `target`; its secrets stay.

    Those in addresses of webhooks do not, as subscriptions are found by them. `files`: the storage of uploads; `media`: where
    their files are copied to, None for rows alone. Nobody but the owner may read the file, which has its name once it is
    whole. Not to be called from a running event loop.

    Raises StoreError where there is such a file or no such organization, SchemaOutdated, StoreUnavailable, OSError.
    """
    if target.exists():
        raise StoreError(f"{target} is there already")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        with open(part, "xb", opener=partial(os.open, mode=OWNER_ALONE)) as file:
            counts = asyncio.run(command.look(url, lambda conn: _write(conn, organization, file), timeout=PATIENCE))
            file.flush()
            os.fsync(file.fileno())
        rows = sum(counts.values())
        if not rows:
            raise StoreError(f"the database holds nothing of an organization {organization}")
        uploaded = counts[uploads.name]
        missing = uploaded if media is None else copy_files(_uploads(part), files, media)
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    return TransferResult(rows, uploaded, missing)


def _write(conn: Connection, organization: str, file: BinaryIO) -> dict[str, int]:
    """Write what one snapshot holds; how many rows of each table."""
    file.seek(0)
    file.truncate()  # a read that PostgreSQL broke off begins again
    if (current := migrate.current_of(conn)) != migrate.head():
        raise migrate.other_schema(current, "run `matchwire db upgrade`")
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": version("matchwire"),
        "schema": current,
        "organization": organization,
        "at": int(time.time()),
    }
    file.write(dumps(head).encode() + b"\n")
    counts = {each.table.name: 0 for each in PORTABLE}
    for each in PORTABLE:
        of = {ORGANIZATION.key: organization}
        rows = conn.execute(each.rows(conn.dialect.name), of, execution_options={"yield_per": PAGE})
        for row in rows.mappings():
            file.write(line_of(each.table.name, dict(row)))
            counts[each.table.name] += 1
    file.write(dumps({"end": True, "rows": sum(counts.values())}).encode() + b"\n")
    return counts


def _uploads(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of uploads, which are the first ones of the file."""
    with file.open("rb") as lines:
        next(lines)
        for value in takewhile(lambda value: value.get("table") == uploads.name, map(value_of, lines)):
            yield value["row"]


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
