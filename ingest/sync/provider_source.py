"""From the configuration to adapters: which organization reaches which provider, and who shares an endpoint."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from config import Settings
from config.organizations import ProviderEndpoint
from ingest.kit.quarantine import Quarantine
from mapping.errors import Forbidden, NotFound, ServiceError
from mapping.sports import SPORTS
from providers.base import Endpoint, Provider, ProviderAdapter
from providers.fault_collector import RowCache
from providers.registry import Registry
from store.database import Store
from store.following import moves

RESOURCES = 3
"""Requests that the poll of a match makes at a time, at most."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ProviderSource:
    """The adapter may serve other organizations too, `text_content` is this one's own."""

    provider: Provider
    adapter: ProviderAdapter
    text_content: bool


def followable_sports(provider: Provider) -> frozenset[str]:
    """The sports of which a match at this provider can become a liveblog."""
    return frozenset(SPORTS) & (frozenset(provider.catalog) | provider.text_sports)


def source_of(
    sources: Mapping[tuple[str, str], ProviderSource], providers: frozenset[str], organization_id: str, provider: str
) -> ProviderSource:
    """The organization's access to the provider, one of `providers`. Raises NotFound and Forbidden."""
    if provider not in providers:
        raise NotFound("there is no such provider", field="provider")
    source = sources.get((organization_id, provider))
    if source is None:
        raise Forbidden("the organization is not authorized for this data source", field="provider")
    return source


def connect(settings: Settings, registry: Registry) -> dict[tuple[str, str], ProviderSource]:
    """An adapter for each (organization, provider); organizations with the same endpoint share one."""
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
                adapter = adapters[endpoint.key] = provider.connect(endpoint)
            found[organization_id, provider_id] = ProviderSource(provider, adapter, access.text_content)
    return found


@asynccontextmanager
async def open_sources(settings: Settings, registry: Registry) -> AsyncIterator[dict[tuple[str, str], ProviderSource]]:
    """The same for as long as the context lasts; then all adapters are closed."""
    sources = connect(settings, registry)
    try:
        yield sources
    finally:
        for adapter in {id(each.adapter): each.adapter for each in sources.values()}.values():
            await adapter.aclose()


def endpoint_names(sources: Mapping[tuple[str, str], ProviderSource]) -> dict[str, str]:
    """What operators call each endpoint, by its key: the provider and the organizations that reach it there."""
    organizations: dict[str, list[str]] = {}
    for (organization_id, provider_id), source in sources.items():
        organizations.setdefault(source.adapter.endpoint.key, [provider_id, "of"]).append(organization_id)
    return {key: " ".join(words) for key, words in organizations.items()}


async def rehome(store: Store, sources: Mapping[tuple[str, str], ProviderSource], quarantine: Quarantine) -> None:
    """Move matches and liveblogs to the endpoint that their organization has now: after a new password, base URL or language.

    What is believed of a match moves with it. A match that nobody is left on is closed; one whose organization has no
    endpoint any more stays where it is, and is followed again when it has one, though others have seen its end meanwhile.
    Raises StoreUnavailable; what else goes wrong with one of them is its own matter.
    """
    for access in await store.read(moves.accesses):
        source = sources.get((access.organization_id, access.provider))
        if source is not None and access.endpoint != source.adapter.endpoint.key:
            work = partial(moves.move_matches, access=access, endpoint=source.adapter.endpoint.key)
            log.info("matches.moved", organization=access.organization_id, matches=await store.write(work))
    for home in await store.read(moves.match_sources):
        source = sources.get((home.organization_id, home.provider))
        if source is None or (home.endpoint == source.adapter.endpoint.key and not home.closed):
            continue
        try:
            await store.write(partial(moves.move_liveblog, home=home, endpoint=source.adapter.endpoint.key))
        except ServiceError:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever it is belongs to this one
            quarantine.failed("liveblog", home.game_id, error, liveblog=home.game_id, follow=home.follow_id)


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
