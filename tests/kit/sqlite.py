"""SQLite files with a current schema, copied from one that is migrated once per process: a copy costs a fiftieth of it.

So are those that hold what many tests begin with.
"""

import asyncio
import functools
import tempfile
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from store.engine import migrate


def migrated_url(file: Path) -> str:
    """The address of `file`, which is made an empty database with a current schema where it is not there yet."""
    return copied_url(file, empty_database)


def copied_url(file: Path, content: Callable[[], bytes]) -> str:
    """The address of `file`, which is made a database with this content where it is not there yet."""
    if not file.exists():
        file.touch(mode=0o600)
        file.write_bytes(content())
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


def filled_database(
    fill: Callable[[str], Coroutine[Any, Any, None]], before: Callable[[], bytes] = empty_database
) -> bytes:
    """The bytes of a copy of `before` that `fill` opens by its address, writes to, and closes; in an event loop of its own."""
    with tempfile.TemporaryDirectory(prefix="matchwire-filled-") as folder, ThreadPoolExecutor(1) as thread:
        file = Path(folder, "filled.db")
        thread.submit(asyncio.run, fill(copied_url(file, before))).result()
        assert [*file.parent.glob("*-wal")] == []  # all of it is in the file
        return file.read_bytes()
