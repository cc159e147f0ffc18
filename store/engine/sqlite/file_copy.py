"""A whole copy of a SQLite file as it stood at one instant, while a daemon goes on writing to it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from glob import escape
from itertools import count
from pathlib import Path

from store.engine import private_files
from store.engine.errors import StoreError

BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a file in WAL mode."""
RESTORED, REPLACED = ".restored", ".replaced-"
"""What stands behind the name of a database while it is restored, and of one that was replaced, before its number."""


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
    private_files.make(part)
    try:
        with closing(open_to_read(source)) as reader, closing(sqlite3.connect(part)) as writer:
            reader.backup(writer)
            writer.execute("PRAGMA journal_mode=DELETE")
            check(writer, source)
        _flush(part)
        part.rename(target)
        _flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def open_to_read(file: Path) -> sqlite3.Connection:
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


def schema_of(file: Path) -> str:
    """The revision of the database `file`. Raises StoreError unless it is a sound one of matchwire."""
    try:
        with closing(open_to_read(file)) as conn:
            check(conn, file)
            [[revision]] = conn.execute("SELECT version_num FROM alembic_version")
    except sqlite3.Error as error:
        raise StoreError(f"{file} is no backup of matchwire: {error}") from error
    return str(revision)


def fresh(file: Path) -> Path:
    """The name under which a restored database is made, beside the one that it will replace; nothing is there yet."""
    made = file.with_name(f"{file.name}{RESTORED}")
    for name in ("", *BESIDE):
        made.with_name(made.name + name).unlink(missing_ok=True)
    return made


def fold_wal(file: Path) -> None:
    """Bring what stands in the WAL of a database that nobody uses into its file. Raises sqlite3.Error."""
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def exchange(file: Path, fresh: Path) -> Path | None:
    """Put the database `fresh` in the place of `file`, which nobody uses, and give that one another name: the result.

    Whatever happens on the way, `file` is the old database or the new one: the old one gets its second name first, and
    what its WAL holds is in it by then. One that SQLite cannot open keeps its WAL beside it under the second name.
    """
    aside = None
    if file.exists():
        with suppress(sqlite3.Error):
            fold_wal(file)
        aside = next(
            each
            for each in (file.with_name(f"{file.name}{REPLACED}{number}") for number in count(1))
            if not each.exists()
        )
        os.link(file, aside)
        for name in BESIDE:
            beside = file.with_name(file.name + name)
            if beside.exists():
                beside.rename(aside.with_name(aside.name + name))
    _flush(fresh)
    fresh.replace(file)
    _flush(file.parent)
    return aside


def leftovers(file: Path) -> list[Path]:
    """What stands beside a database that is not there: a restore that was broken off, or a file that was taken away."""
    beside = [file.with_name(file.name + name) for name in (RESTORED, BESIDE[0])]
    return [each for each in (*beside, *sorted(file.parent.glob(f"{escape(file.name)}{REPLACED}*"))) if each.exists()]


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
