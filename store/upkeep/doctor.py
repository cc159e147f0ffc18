"""Whether what the database holds is in order: checks that only read, beside a daemon that goes on."""

from __future__ import annotations

import asyncio
import time

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DatabaseError

from store.engine import migrate
from store.engine.errors import StoreError, store_errors
from store.engine.settings import database_file, parse_url
from store.engine.sqlite import backend as sqlite
from store.engine.unit import Transaction
from store.upkeep.doctor_rows import CheckResult, examine_rows

COLLATION_KNOWN = 150_000
"""The first version of PostgreSQL that notes how texts were sorted."""
COLLATIONS = "SELECT datcollversion, pg_database_collation_actual_version(oid) FROM pg_database WHERE datname = current_database()"
CLOCK_TOLERANCE = 2.0
"""Seconds by which the clocks of this machine and of the database's may differ."""


def examine(url: str) -> list[CheckResult]:
    """What each check of the database at `url` finds; where its schema or its files are at fault, no further ones run.

    Not to be called from a running event loop. Raises StoreError where there is no database, SchemaMissing for an empty
    one; StoreUnavailable.
    """
    parsed = parse_url(url)
    with store_errors():
        return asyncio.run(_examined(parsed))


async def _examined(url: URL) -> list[CheckResult]:
    if url.get_backend_name() != "sqlite":
        from store.engine.postgres.backend import run_once

        return await run_once(url, migrate.PATIENT, _findings, Transaction.READ)
    file = database_file(url)
    if file is None or not file.exists():
        raise StoreError(f"there is no database {file or url.database}")
    return await sqlite.read_once(url, migrate.PATIENT, _findings)


def _findings(conn: Connection) -> list[CheckResult]:
    on_server = conn.dialect.name == "postgresql"
    found = _server(conn) if on_server else _file(conn)
    if any(finding.outcome == "fault" for finding in found):
        return found
    found.append(_schema(conn))
    if found[-1].outcome == "ok":
        found += examine_rows(conn)
    return found


def _schema(conn: Connection) -> CheckResult:
    current, needed = migrate.current_of(conn), migrate.head()
    if current == needed:
        return CheckResult("schema", "ok", f"revision {current}")
    return CheckResult("schema", "fault", f"revision {current}, this version of matchwire needs {needed}")


def _file(conn: Connection) -> list[CheckResult]:
    try:
        said = conn.execute(text("PRAGMA integrity_check(1)")).scalar_one()
        orphans = conn.execute(text("PRAGMA foreign_key_check")).all() if said == "ok" else []
    except DatabaseError as error:
        return [CheckResult("integrity", "fault", str(error.orig))]
    if said != "ok":
        return [CheckResult("integrity", "fault", said)]
    tables = ", ".join(sorted({row[0] for row in orphans}))
    return [
        CheckResult("integrity", "ok"),
        CheckResult("orphans", "fault", f"{len(orphans)} rows in {tables}")
        if orphans
        else CheckResult("orphans", "ok"),
    ]


def _collation(conn: Connection) -> CheckResult:
    """Whether texts are sorted as when the indexes were made, which another version of the system's library may do otherwise."""
    if int(conn.execute(text("SHOW server_version_num")).scalar_one()) < COLLATION_KNOWN:
        return CheckResult("collation", "ok", "not known before PostgreSQL 15")
    made, now = conn.execute(text(COLLATIONS)).one()
    if made == now:
        return CheckResult("collation", "ok", now or "of no version")
    how = "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION"
    return CheckResult("collation", "fault", f"indexes are sorted as in {made}, the system sorts as in {now}: {how}")


def _server(conn: Connection) -> list[CheckResult]:
    encoding = conn.execute(text("SHOW server_encoding")).scalar_one()
    invalid = conn.execute(
        text("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid ORDER BY 1")
    ).scalars()
    names = ", ".join(invalid)
    ahead = float(conn.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()) - time.time()
    return [
        CheckResult("encoding", "ok" if encoding == "UTF8" else "fault", encoding),
        _collation(conn),
        CheckResult("indexes", "fault", f"not valid: {names}") if names else CheckResult("indexes", "ok"),
        CheckResult(
            "clock", "ok" if abs(ahead) <= CLOCK_TOLERANCE else "warning", f"the database's is {ahead:+.1f} s ahead"
        ),
    ]
