"""Backups: the whole database as it stood at one instant, taken beside a daemon that writes, and put back while none runs.

The backup of a SQLite file is a SQLite file, that of a PostgreSQL a dump of `pg_dump`. The files of uploads stand elsewhere.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from store import migrate
from store.errors import AlreadyRunning, StoreError, store_errors
from store.naming import name_of, parse_url
from store.sqlite import file_copy as files
from store.sqlite.backend import database_file
from store.sqlite.file_lock import FileLock

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import URL

LOOKS, AGAIN = 10, 0.2
"""How often it is looked again for connections of a process that may have just ended, and seconds between two looks."""
OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND application_name LIKE 'matchwire%' AND pid <> pg_backend_pid()"
)


def backup(url: str, target: Path) -> None:
    """Write what the database at `url` holds to the new file `target`.

    Raises StoreError where there is such a file, or no database, or the copy is not sound; StoreUnavailable.
    """
    parsed = parse_url(url)
    with store_errors():
        if parsed.get_backend_name() == "sqlite":
            files.copy(_file(parsed, must_exist=True), target)
            return
        from store.postgres.dump import dump

        if migrate.current(url) is None:
            raise StoreError(f"the database {name_of(url)} is empty: there is nothing to keep")
        dump(parsed, target)


def restore(url: str, source: Path, *, replace: bool = False) -> Path | None:
    """Put the backup `source` into the database at `url`, and bring it to this version's schema.

    A SQLite file that stands there is kept under another name, which is the result; a PostgreSQL is emptied first, in the
    same transaction. Raises AlreadyRunning while a daemon uses the database, StoreError where there is one and `replace`
    does not say that it may go, or where `source` is no sound backup, SchemaOutdated where it is newer; StoreUnavailable.
    """
    parsed = parse_url(url)
    with store_errors():
        if parsed.get_backend_name() == "sqlite":
            aside = _restore_file(_file(parsed), source, replace)
        else:
            aside = None
            _restore_dump(url, parsed, source, replace)
    migrate.upgrade(url)
    return aside


def _restore_file(file: Path, source: Path, replace: bool) -> Path | None:
    files.require_known(source, migrate.head())
    lock = FileLock(file)
    try:
        if not file.exists():
            files.copy(source, file)
            return None
        if not replace:
            raise StoreError(f"{file} is there already: --replace puts it aside")
        fresh = file.with_name(f"{file.name}.restored")
        fresh.unlink(missing_ok=True)
        files.copy(source, fresh)
        aside = files.put_aside(file)
        fresh.rename(file)
        return aside
    finally:
        lock.release()


def _restore_dump(url: str, parsed: URL, source: Path, replace: bool) -> None:
    from store.postgres.dump import load

    if migrate.current(url) is not None and not replace:
        raise StoreError(f"the database {name_of(url)} is not empty: --replace overwrites it")
    if others := asyncio.run(_count(parsed)):
        raise AlreadyRunning(f"{others} connections of matchwire are open: stop all its processes first")
    load(parsed, source)


async def _count(url: URL) -> int:
    """Connections of matchwire that stay: a busy server takes a moment to see that a process has ended."""
    from store.postgres.backend import run_once

    def others(conn: Connection) -> int:
        return int(conn.execute(OTHERS).scalar_one())

    found = await run_once(url, migrate.PATIENT, others)
    for _ in range(LOOKS):
        if found:
            await asyncio.sleep(AGAIN)
            found = await run_once(url, migrate.PATIENT, others)
    return found


def _file(url: URL, *, must_exist: bool = False) -> Path:
    file = database_file(url)
    if file is None or (must_exist and not file.exists()):
        raise StoreError(f"there is no database {file or url.database}")
    return file
