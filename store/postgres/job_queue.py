"""PgQueuer as the house has it: its tables in a schema of their own, one connection, no say for the environment.

In memory where one process has the database for itself. Loading it costs some 0.3 s of CPU, so nothing imports this
module at the start of a process.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pgqueuer import AsyncpgDriver, InMemoryDriver, InMemoryQueries, PgQueuer, Queries
from pgqueuer.adapters.persistence.qb import (
    QueryBuilderEnvironment,
    QueryQueueBuilder,
    QuerySchedulerBuilder,
)
from pgqueuer.domain.settings import DBSettings
from sqlalchemy.engine import make_url

from store.postgres.backend import single
from store.postgres.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

    from store.settings import PoolSettings

SCHEMA = "matchwire_jobs"

logging.getLogger("pgqueuer").setLevel(logging.CRITICAL)  # who runs the queue tells once what it tells at every try


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


@asynccontextmanager
async def opened(url: str, settings: PoolSettings) -> AsyncIterator[PgQueuer]:
    """The queue of the database at `url`, over a connection of its own; in memory for SQLite."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        yield _queue(InMemoryDriver())
        return
    session = await Session.open(single(parsed, settings, "jobs"))
    try:
        yield _queue(AsyncpgDriver(session.driver))
    finally:
        session.drop()


def installing() -> str:
    """The statements that make the queue's tables, for PostgreSQL."""
    return QueryBuilderEnvironment(NAMES).build_install_query(create_schema=False)


def _queue(driver: AsyncpgDriver | InMemoryDriver) -> PgQueuer:
    kind: Any = InMemoryQueries if isinstance(driver, InMemoryDriver) else Queries
    queries = kind(driver, QueryBuilderEnvironment(NAMES), QueryQueueBuilder(NAMES), QuerySchedulerBuilder(NAMES))
    return PgQueuer(driver, channel=NAMES.channel, queries=queries)
