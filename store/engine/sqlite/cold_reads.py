"""One read of an SQLite file by aiosqlite, for commands: a daemon reads in threads (store/engine/sqlite/read_threads.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import event

from store.engine.sqlite.read_threads import reader_options, run_reader_pragmas

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

    from store.engine.settings import PoolSettings

T = TypeVar("T")


async def read_once(url: URL, settings: PoolSettings, query: Callable[[Connection], T]) -> T:
    """The result of `query` on one snapshot of committed data, over a connection that is made for it and cannot write."""
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url.set(drivername="sqlite+aiosqlite"), **reader_options(settings))
    run_reader_pragmas(engine.sync_engine)
    event.listen(engine.sync_engine, "begin", _begin)
    try:
        async with engine.begin() as conn:  # a compiled query goes to the driver itself, and would begin nothing
            return await conn.run_sync(query)
    finally:
        await engine.dispose()


def _begin(conn: Connection) -> None:
    conn.exec_driver_sql("BEGIN")
