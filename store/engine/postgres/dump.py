"""Dumps of a PostgreSQL by its own tools, which see one snapshot and let everybody write meanwhile.

A sign in the database says that a restore is under way: what is there meanwhile is neither the old one nor the new one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from store.engine import private_files
from store.engine.errors import StoreError
from store.engine.migrate import RESTORING

PLAIN = ("--no-owner", "--no-privileges")
"""Who owns the tables is a matter of the server that they are put into."""
FREE = text(f"SELECT to_regclass('alembic_version') IS NULL OR to_regclass('{RESTORING}') IS NOT NULL")


def dump(url: URL, target: Path) -> None:
    """Write the database at `url` to the new file `target`, in PostgreSQL's custom format.

    Raises StoreError where there is such a file, or `pg_dump` is missing or fails, OSError.
    """
    if target.exists():
        raise StoreError(f"{target} is there already")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    private_files.make(part)
    try:
        _run(url, "pg_dump", "--format=custom", *PLAIN, f"--file={part}")
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)


def load(url: URL, source: Path) -> None:
    """Put the dump `source` in the place of what the database at `url` holds: wholly, or nothing of it.

    Raises StoreError where `pg_restore` is missing or fails, OSError.
    """
    how = ("--clean", "--if-exists", "--single-transaction", "--exit-on-error", *PLAIN)
    _run(url, "pg_restore", *how, str(source))


def schema_of(source: Path) -> str:
    """The revision that the dump `source` holds. Raises StoreError where it is none of matchwire, or `pg_restore` is missing."""
    said = _call("pg_restore", "--data-only", "--table=alembic_version", "--file=-", str(source))
    found = re.search(r"^\d{4}$", said, re.MULTILINE)
    if found is None:
        raise StoreError(f"{source} is no backup of matchwire")
    return found[0]


def _run(url: URL, tool: str, *words: str) -> None:
    address = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    _call(tool, *words[:-1], f"--dbname={address}", words[-1], password=url.password)


def _call(tool: str, *words: str, password: str | None = None) -> str:
    """What the tool writes. Raises StoreError where it is missing or fails."""
    program = shutil.which(tool)
    if program is None:
        raise StoreError(f"{tool} is not installed: it comes with PostgreSQL's client (Debian: postgresql-client)")
    environment = {**os.environ} if password is None else {**os.environ, "PGPASSWORD": password}
    done = subprocess.run(  # noqa: S603 -- the tool that the operator's PATH names, and no shell
        [program, *words],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise StoreError(f"{tool} failed: {' '.join(done.stderr.split()) or done.returncode}")
    return done.stdout


def is_free(conn: Connection) -> bool:
    """Whether a backup overwrites nothing: there is no schema, or a restore that was broken off."""
    return conn.execute(FREE).scalar_one() is True


def begin_restore(conn: Connection) -> None:
    """From now on nobody but a restore uses the database. A dump knows nothing of the sign, so loading one leaves it there."""
    conn.execute(text(f"CREATE TABLE IF NOT EXISTS {RESTORING} ()"))


def end_restore(conn: Connection) -> None:
    """The database is whole again."""
    conn.execute(text(f"DROP TABLE IF EXISTS {RESTORING}"))
