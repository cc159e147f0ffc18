"""Runs one unit or one read of a command, beside a daemon that may be serving the same database.

A unit waits for SQLite's own locks for the moment that the daemon's take; a read changes and locks nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from store.engine import migrate
from store.engine.errors import StoreError, store_errors
from store.engine.settings import PoolSettings, database_file, parse_url
from store.engine.sqlite import backend as sqlite
from store.engine.unit import Transaction, Unit

T = TypeVar("T")
NOT_YET = " yet: start the daemon first"


def run(url: str, work: Callable[[Unit], T], *, timeout: float, clock: Callable[[], float] = time.time) -> T:
    """The result of `work`, committed, on the database at `url`. Not to be called from a running event loop.

    `timeout`: seconds to wait for a lock, on PostgreSQL for a statement and the whole unit too.

    Raises StoreError where there is no database, SchemaOutdated, StoreUnavailable, and what `work` raises.
    """
    parsed = parse_url(url)

    def checked(conn: Connection) -> T:
        if (current := migrate.current_of(conn)) != migrate.head():
            raise migrate.other_schema(current, "run `matchwire db upgrade`")
        return work(Unit(conn, int(clock())))

    with store_errors():
        if parsed.get_backend_name() == "sqlite":
            require_file(parsed, NOT_YET)
            return sqlite.run_once(parsed, _pool(timeout), checked)
        from store.engine.postgres import backend as postgres

        return asyncio.run(postgres.run_once(parsed, _pool(timeout), checked))


async def look(url: str, query: Callable[[Connection], T], *, timeout: float) -> T:  # noqa: ASYNC109 -- the database keeps it
    """The result of `query` on committed data. Raises StoreError where there is no such file, StoreUnavailable."""
    parsed = parse_url(url)
    require_file(parsed, NOT_YET)
    with store_errors():
        return await read_once(parsed, _pool(timeout), query)


async def read_once(url: URL, settings: PoolSettings, query: Callable[[Connection], T]) -> T:
    """The result of `query` on one snapshot, over a connection that is made for it."""
    if url.get_backend_name() == "sqlite":
        return await sqlite.read_once(url, settings, query)
    from store.engine.postgres.backend import run_once

    return await run_once(url, settings, query, Transaction.READ)


def _pool(timeout: float) -> PoolSettings:
    return PoolSettings(pool_size=1, timeout=timeout)


def require_file(url: URL, remedy: str = "") -> None:
    """Raise StoreError where a SQLite has no file."""
    file = database_file(url)
    if url.get_backend_name() == "sqlite" and (file is None or not file.exists()):
        raise StoreError(f"there is no database {file or url.database}{remedy}")
