"""PgQueuer on its own tables in a schema of their own, over connections of its own, whatever the environment says.

In memory where one process has the database for itself. Loading it costs some 0.3 s of CPU, so nothing imports this
module at the start of a process.
"""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from pgqueuer import InMemoryDriver, InMemoryQueries, PgQueuer, PsycopgDriver, Queries
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.domain.settings import DBSettings

from store.naming import parse_url
from store.postgres.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

    from store.settings import PoolSettings

SCHEMA = "matchwire_jobs"

logging.getLogger("pgqueuer").setLevel(logging.CRITICAL)  # who runs the queue logs once what it logs at every try


class _Names(DBSettings):
    """What its tables are called, here alone: a variable `CHANNEL` or `FUNCTION` of the environment would rename them."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 -- the library's signature
        init_settings: PydanticBaseSettingsSource,
        *_: Any,
        **__: Any,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


NAMES = _Names(db_schema=SCHEMA, channel=SCHEMA)


class _QueueDriver(PsycopgDriver):
    """Listens on one connection and runs statements on another, in bounded time.

    The library's own driver uses one for both, and keeps it for up to a second while it listens.
    """

    def __init__(self, listening: Session, statements: Session) -> None:
        super().__init__(listening.driver)
        self._session = statements
        self._statements = PsycopgDriver(statements.driver)

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        with self._session.bounded():
            return await self._statements.fetch(query, *args)

    async def execute(self, query: str, *args: object) -> str:
        with self._session.bounded():
            return await self._statements.execute(query, *args)


@asynccontextmanager
async def opened(url: str, settings: PoolSettings) -> AsyncIterator[PgQueuer]:
    """The queue of the database at `url`, over connections of its own; in memory for SQLite."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        memory = InMemoryDriver()
        yield PgQueuer(memory, channel=NAMES.channel, queries=InMemoryQueries(memory, *_builders()))
        return
    async with AsyncExitStack() as cleanup:
        sessions = []
        for purpose in ("job notices", "jobs"):
            sessions.append(await Session.open(parsed, settings, purpose))
            cleanup.push_async_callback(sessions[-1].close)
            cleanup.callback(sessions[-1].drop)
        driver = _QueueDriver(*sessions)
        yield PgQueuer(driver, channel=NAMES.channel, queries=Queries(driver, *_builders()))


def installing() -> str:
    """The statements that make the queue's tables, for PostgreSQL."""
    return QueryBuilderEnvironment(NAMES).build_install_query(create_schema=False)


def _builders() -> tuple[QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder]:
    return QueryBuilderEnvironment(NAMES), QueryQueueBuilder(NAMES), QuerySchedulerBuilder(NAMES)
