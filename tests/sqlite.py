"""SQLite files with a current schema, copied from one that is migrated once per process: a copy costs a fiftieth of it."""

from __future__ import annotations

import functools
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from store import migrate


def migrated_url(file: Path) -> str:
    """The address of `file`, which is made an empty database with a current schema where it is not there yet."""
    if not file.exists():
        file.touch(mode=0o600)
        file.write_bytes(empty_database())
    return url_of(file)


def url_of(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


@functools.cache
def empty_database() -> bytes:
    """The bytes of such a file. A thread of its own has no event loop, which `upgrade` needs to be free."""
    with tempfile.TemporaryDirectory(prefix="matchwire-schema-") as folder, ThreadPoolExecutor(1) as thread:
        file = Path(folder, "schema.db")
        thread.submit(migrate.upgrade, url_of(file)).result()
        return file.read_bytes()
