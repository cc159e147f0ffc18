"""What the daemon opens by its default settings: stores, and endpoints of providers. A test says what it wants otherwise."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection

from config.sections import Database, Limits, Polling
from providers.base import Endpoint
from providers.http_client import Client
from store.database import Store
from store.engine.settings import PoolSettings

DATABASE = Database()


def pool_settings(**changes: Any) -> PoolSettings:
    return PoolSettings(**{"pool_size": DATABASE.pool_size, "timeout": DATABASE.timeout, **changes})


async def store_at(url: str, **more: Any) -> Store:
    return await Store.open(url, **{"pool": pool_settings(), **more})


async def look(url: str, query: Callable[[Connection], Any]) -> Any:
    """The result of `query` beside a daemon that may be serving the database."""
    from store.upkeep.command import look

    return await look(url, query, timeout=DATABASE.timeout)


def endpoint_of(**given: Any) -> Endpoint:
    from config.organizations import ProviderEndpoint  # processes that only open a store start without all this
    from providers.base import Endpoint
    from providers.fault_collector import RowCache

    polling, limits, fields = Polling(), Limits(), ProviderEndpoint.model_fields
    return Endpoint(
        **{
            "language": fields["language"].default,
            "timezone": fields["timezone"].default,
            "timeout": polling.timeout,
            "provider_bytes": limits.provider_bytes,
            "connections": 24,
            "user_agent": polling.user_agent,
            "row_cache": RowCache(limits.row_cache_bytes),
            **given,
        }
    )


def client_at(base_url: str, *, auth: tuple[str, str] | None = None, **changes: Any) -> Client:
    from providers.http_client import client_of

    return client_of(endpoint_of(provider="any", base_url=base_url, **changes), auth=auth)
