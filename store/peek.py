"""Looking into a database that another process may be serving, without changing or locking anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.util import greenlet_spawn

from store.errors import StoreError, store_errors
from store.naming import parse_url
from store.settings import PoolSettings
from store.sqlite.backend import database_file, read, reader_engine

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

T = TypeVar("T")


async def peek(url: str, query: Callable[[Connection], T]) -> T:
    """The result of `query` on committed data. Raises StoreError where there is no such file, StoreUnavailable."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        from store.postgres.backend import run_once
        from store.postgres.connection import READ

        return await run_once(parsed, PoolSettings(), query, READ)
    file = database_file(parsed)
    if file is None or not file.exists():
        raise StoreError(f"there is no database {file or 'in memory'}")
    engine = reader_engine(parsed, PoolSettings())
    try:
        with store_errors():
            return await read(engine, query)
    finally:
        await greenlet_spawn(engine.dispose)
