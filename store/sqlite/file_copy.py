"""A whole copy of a SQLite file as it stood at one instant, while a daemon goes on writing to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING

from store import private
from store.errors import SchemaOutdated, StoreError

if TYPE_CHECKING:
    from pathlib import Path

BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a file in WAL mode."""


def copy(source: Path, target: Path) -> None:
    """Copy the database `source` to the new file `target`, in one piece that its owner and group alone may read.

    The copy is one read of SQLite's: writers go on, and nothing that they commit meanwhile is in it. It is on the disk, and
    has passed SQLite's own check, before it has its name.

    Raises StoreError where there is such a file or the copy is not sound, sqlite3.Error, OSError.
    """
    if target.exists():
        raise StoreError(f"{target} is there already")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    private.make(part)
    try:
        with closing(opened(source)) as reader, closing(sqlite3.connect(part)) as writer:
            reader.backup(writer)
            writer.execute("PRAGMA journal_mode=DELETE")
            check(writer, source)
        _flush(part)
        part.rename(target)
        _flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def opened(file: Path) -> sqlite3.Connection:
    """A connection that only reads."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=30.0)


def check(conn: sqlite3.Connection, file: Path) -> None:
    """Raises StoreError unless SQLite finds the database sound."""
    try:
        [[said], *_] = conn.execute("PRAGMA integrity_check(1)")
    except sqlite3.DatabaseError as error:
        said = str(error)
    if said != "ok":
        raise StoreError(f"{file} is not sound: {said}")


def require_known(file: Path, known: str) -> None:
    """Raises StoreError unless `file` is a sound database of matchwire, SchemaOutdated when its schema is newer than `known`."""
    try:
        with closing(opened(file)) as conn:
            check(conn, file)
            [[revision]] = conn.execute("SELECT version_num FROM alembic_version")
    except sqlite3.Error as error:
        raise StoreError(f"{file} is no backup of matchwire: {error}") from error
    if revision > known:
        raise SchemaOutdated(
            f"{file} has the schema {revision} of a newer version of matchwire than this one, which knows {known}:"
            " install that one first"
        )


def put_aside(file: Path) -> Path:
    """Give a database that nobody uses another name, which is the result; its WAL goes with it, and first of all.

    A file without its WAL would only be older than it says; the WAL of another file would spoil the next one.
    """
    suffix = next(
        each for each in map(".replaced-{}".format, count(1)) if not file.with_name(file.name + each).exists()
    )
    for name in (*BESIDE, ""):
        each = file.with_name(file.name + name)
        if each.exists():
            each.rename(file.with_name(file.name + suffix + name))
    return file.with_name(file.name + suffix)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
