"""The schema's history: one for both databases, carried in the package, run without a configuration file.

Alembic is only loaded where there is something to migrate: a daemon that starts again is ready sooner.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from store.engine.errors import SchemaMissing, SchemaOutdated, StoreError, no_such_table, store_errors
from store.engine.settings import PoolSettings, database_file, parse_url

T = TypeVar("T")

RESTORING = "matchwire_restoring"
"""A table without rows, which stands in a PostgreSQL while a backup is restored into it (store.engine.postgres.dump)."""
HISTORY = Path(__file__).parents[1] / "migrations"
PATIENT = PoolSettings(pool_size=1, timeout=3600)
"""A migration may take as long as it takes."""
REVISION = {
    "sqlite": "SELECT version_num, NULL AS restoring FROM alembic_version",
    "postgresql": "SELECT version_num, to_regclass('matchwire_restoring') AS restoring FROM alembic_version",
}
UPGRADE_KEY = 0x6D77_7570
"""PostgreSQL's advisory lock: two processes do not upgrade at the same time."""
FIRST = "0113"
"""The schema that the history begins with: that of 0.1.0, and the last one of before."""
SAME_EXPORTS_SINCE = FIRST
"""The first schema whose exports are still taken: since then tables were added, and no exported one lost or got a column."""
_ALEMBIC = threading.Lock()  # its `op` and `context` belong to the whole process


def head() -> str:
    """The revision that this version of the code needs: that of the last file, `v0113_….py` is 0113."""
    return max(file.name for file in (HISTORY / "versions").glob("v*.py"))[1:5]


def other_schema(current: str | None, remedy: str, what: str = "the database") -> SchemaOutdated:
    """The error for a schema that is not `head()`; `remedy` helps where it is older or there is none."""
    if current is not None and current < FIRST:
        return SchemaOutdated(
            f"{what} has the schema {current} of before 0.1.0: upgrade it to {FIRST} with the last version of before,"
            " or begin with a new one (docs/running.md)"
        )
    if current is not None and current > head():
        return SchemaOutdated(
            f"{what} has the schema {current} of a newer version of matchwire than this one, which knows {head()}:"
            " install that one again, or restore a backup from before the upgrade"
        )
    return SchemaOutdated(
        f"{what} has {f'the schema {current}' if current else 'no schema'}, this version of matchwire needs {head()}: {remedy}"
    )


def current_of(conn: Connection) -> str | None:
    """The revision that the database behind `conn` is at, by one query: every start asks for it.

    Raises SchemaMissing for an empty database; on PostgreSQL the transaction has failed then. Raises StoreError where a
    restore was broken off.
    """
    try:
        row = conn.execute(text(REVISION[conn.dialect.name])).first()
    except DBAPIError as error:
        if no_such_table(error):
            raise SchemaMissing("the database has no schema yet") from error
        raise
    if row is None:
        return None
    if row.restoring:
        raise StoreError("a backup is being restored into the database, or that was broken off: run matchwire restore")
    return str(row.version_num)


def upgrade_connection(conn: Connection) -> None:
    """Bring the schema to `head()` within the transaction of `conn`: wholly or not at all.

    Raises SchemaOutdated when a newer version of matchwire has been here.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_KEY})
    current = MigrationContext.configure(conn).get_current_revision()
    if current not in {None, *(script.revision for script in ScriptDirectory(HISTORY).walk_revisions())}:
        raise other_schema(current, "no version that this one has followed knows it")
    config = Config(attributes={"connection": conn})
    config.set_main_option("script_location", str(HISTORY).replace("%", "%%"))
    with _ALEMBIC:
        command.upgrade(config, "head")


def upgrade(url: str) -> None:
    """`upgraded`, where no event loop runs."""
    asyncio.run(bring_up_to_date(url))


async def bring_up_to_date(url: str) -> None:
    """Bring the database at `url` to `head()`; on SQLite the event loop stands still meanwhile.

    Raises AlreadyRunning while a daemon holds the SQLite file, DatabaseRefused where the user may not, StoreUnavailable.
    """
    parsed = parse_url(url)
    with file_locked(parsed):
        await _run(parsed, upgrade_connection)


def current(url: str) -> str | None:
    """The revision of the database at `url`, None for an empty one. Not to be called from a running event loop."""
    parsed = parse_url(url)
    file = database_file(parsed)
    if file is not None and not file.exists():
        return None
    try:
        return asyncio.run(_run(parsed, current_of))
    except SchemaMissing:
        return None


@contextmanager
def file_locked(url: URL) -> Iterator[None]:
    """Hold the lock of a SQLite file, whose daemon could not write meanwhile; PostgreSQL has room for both."""
    if (file := database_file(url)) is None:
        yield
        return
    from store.engine.sqlite.backend import FileLock

    lock = FileLock(file)
    try:
        yield
    finally:
        lock.release()


async def _run(url: URL, work: Callable[[Connection], T]) -> T:
    if url.get_backend_name() == "sqlite":
        from store.engine.sqlite import backend as sqlite

        with store_errors():
            return sqlite.run_once(url, PATIENT, work)
    from store.engine.postgres import backend as postgres

    return await postgres.run_once(url, PATIENT, work)
