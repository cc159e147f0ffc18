"""From the configuration to adapters: which organization reaches which provider, and who shares an endpoint."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from ingest.sync.import_match import ProviderSource
from mapping.errors import ServiceError
from providers.base import Endpoint
from providers.row_cache import RowCache
from store import sync

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from config import Settings
    from config.parties import ProviderEndpoint
    from ingest.daemon.containment import Containment
    from providers.base import ProviderAdapter
    from providers.registry import Registry
    from store.database import Store
    from store.unit import Unit

RESOURCES = 3
"""Requests that the poll of a match makes at a time, at most."""

log = structlog.get_logger()


def connect(
    settings: Settings, registry: Registry, wrap: Callable[[ProviderAdapter], ProviderAdapter] = lambda adapter: adapter
) -> dict[tuple[str, str], ProviderSource]:
    """An adapter for each (organization, provider), as `wrap` gives it; organizations with the same endpoint share one."""
    adapters: dict[str, ProviderAdapter] = {}
    rows = RowCache[Any](row_cache_bytes=settings.limits.row_cache_bytes)
    found: dict[tuple[str, str], ProviderSource] = {}
    for organization_id, organization in settings.organizations.items():
        for provider_id, access in organization.providers.items():
            provider = registry.find(provider_id)
            if provider is None:
                log.warning("provider.unknown", provider=provider_id, organization=organization_id)
                continue
            endpoint = _endpoint(settings, provider_id, access, rows)
            adapter = adapters.get(endpoint.key)
            if adapter is None:
                adapter = adapters[endpoint.key] = wrap(provider.connect(endpoint))
            found[organization_id, provider_id] = ProviderSource(provider, adapter, access.text_content)
    return found


def endpoint_names(sources: Mapping[tuple[str, str], ProviderSource]) -> dict[str, str]:
    """What operators call each endpoint, by its key: the provider and the organizations that reach it there."""
    organizations: dict[str, list[str]] = {}
    for (organization_id, provider_id), source in sources.items():
        organizations.setdefault(source.adapter.endpoint.key, [provider_id, "of"]).append(organization_id)
    return {key: " ".join(words) for key, words in organizations.items()}


async def rehome(store: Store, sources: Mapping[tuple[str, str], ProviderSource], containment: Containment) -> None:
    """Move liveblogs to the endpoint that their organization has now: after a new password, base URL or language.

    A match that nobody is left on is closed; one whose organization has no endpoint any more stays where it is. Raises
    StoreUnavailable; what else goes wrong with one of them is its own matter.
    """
    for home in await store.read(sync.homes):
        source = sources.get((home.organization_id, home.provider))
        if source is None or home.endpoint == source.adapter.endpoint.key:
            continue
        try:
            await store.write(partial(_move, home, source.adapter.endpoint.key))
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this one
            containment.failed("liveblog", home.game_id, error, liveblog=home.game_id, follow=home.follow_id)


def _move(home: sync.Home, endpoint: str, unit: Unit) -> None:
    follow = sync.follow(unit.conn, home.follow_id)
    if follow is None:
        return
    moved = sync.follow_for(
        unit,
        sync.NewFollow(
            endpoint=endpoint,
            provider=follow.provider,
            organization_id=follow.organization_id,
            match_id=follow.match_id,
            sport=follow.sport,
            status=follow.status,
            kickoff=follow.kickoff,
        ),
    )
    sync.save_follow(unit, moved.id, closed_at=None)
    sync.move(unit, home.game_id, moved.id)
    if not sync.attachments_of(unit.conn, home.follow_id):
        sync.save_follow(unit, home.follow_id, closed_at=unit.now)
        log.info("match.moved", follow=home.follow_id)


def _endpoint(settings: Settings, provider_id: str, access: ProviderEndpoint, rows: RowCache[Any]) -> Endpoint:
    names = settings.providers[provider_id].names if provider_id in settings.providers else {}
    return Endpoint(
        provider=provider_id,
        base_url=access.base_url,
        username=access.username,
        password=access.password.get_secret_value() if access.password else None,
        api_key=access.api_key.get_secret_value() if access.api_key else None,
        language=access.language,
        timezone=access.timezone,
        timeout=settings.polling.timeout,
        provider_bytes=settings.limits.provider_bytes,
        connections=settings.polling.concurrency * RESOURCES,
        user_agent=settings.polling.user_agent,
        options={**access.options, "names": dict(names)},
        row_cache=rows,
    )
