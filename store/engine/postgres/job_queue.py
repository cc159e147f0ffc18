"""PgQueuer on its own tables in a schema of their own, over connections of its own, whatever the environment says.

In memory where one process has the database for itself. Loading it costs some 0.3 s of CPU, so nothing imports this
module at the start of a process.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from pgqueuer import PgQueuer, PsycopgDriver, Queries

from store.engine.naming import parse_url
from store.engine.postgres.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from store.engine.settings import PoolSettings

SCHEMA = "matchwire_jobs"

logging.getLogger("pgqueuer").setLevel(logging.CRITICAL)  # who runs the queue logs once what it logs at every try


NAMES = {
    "schema": SCHEMA,
    "channel": SCHEMA,
    "prefix": "",
    "function": "fn_pgqueuer_changed",
    "trigger": "tg_pgqueuer_changed",
    "queue_status_type": "pgqueuer_status",
    "queue_table": "pgqueuer",
    "queue_table_log": "pgqueuer_log",
    "statistics_table": "pgqueuer_statistics",
    "schedules_table": "pgqueuer_schedules",
    "durability": "durable",
}
# The library takes names from the environment alone, and reads it once. All of them are set, because `CHANNEL`, `FUNCTION`
# or `DB_SCHEMA` of anybody else would name its objects too.
os.environ.update({f"PGQUEUER_{name.upper()}": value for name, value in NAMES.items()} | {"DB_SCHEMA": SCHEMA})


class _QueueDriver(PsycopgDriver):
    """Listens on one connection and runs statements on another, in bounded time.

    The library's own driver uses one for both, and keeps it for up to a second while it listens.
    """

    def __init__(self, listening: Session, statements: Session) -> None:
        super().__init__(listening.driver)
        self._session = statements
        self._statements = PsycopgDriver(statements.driver)
        self._listens = asyncio.Event()

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        with self._session.bounded():
            return await self._statements.fetch(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        with self._session.bounded():
            return await self._statements.execute(query, *args)

    async def notify(self, channel: str, payload: str) -> None:
        """Waits until the queue listens: it sends its first probe beside that, and gives up when it does not hear it."""
        await self._listens.wait()
        await super().notify(channel, payload)

    async def add_listener(self, channel: str, callback: Callable[[str | bytes | bytearray], None]) -> None:
        await super().add_listener(channel, callback)
        self._listens.set()


@asynccontextmanager
async def open_queue(url: str, settings: PoolSettings) -> AsyncIterator[PgQueuer]:
    """The queue of the database at `url`, over connections of its own; in memory for SQLite."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        yield PgQueuer.in_memory()
        return
    async with AsyncExitStack() as cleanup:
        sessions = []
        for purpose in ("job notices", "jobs"):
            sessions.append(await Session.open(parsed, settings, purpose))
            cleanup.push_async_callback(sessions[-1].close)
            cleanup.callback(sessions[-1].drop)
        driver = _QueueDriver(*sessions)
        yield PgQueuer(driver, queries=Queries(driver))
