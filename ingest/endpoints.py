"""From the configuration to adapters: which organization reaches which provider, and who shares an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from ingest.importing import Source
from providers.base import Endpoint

if TYPE_CHECKING:
    from config import Settings
    from config.parties import ProviderEndpoint
    from providers.base import ProviderAdapter
    from providers.registry import Registry

log = structlog.get_logger()


def connect(settings: Settings, registry: Registry) -> dict[tuple[str, str], Source]:
    """An adapter for each (organization, provider); organizations with the same endpoint share one."""
    adapters: dict[str, ProviderAdapter] = {}
    found: dict[tuple[str, str], Source] = {}
    for organization_id, organization in settings.organizations.items():
        for provider_id, access in organization.providers.items():
            provider = registry.find(provider_id)
            if provider is None:
                log.warning("provider.unknown", provider=provider_id, organization=organization_id)
                continue
            endpoint = _endpoint(settings, provider_id, access)
            adapter = adapters.get(endpoint.key)
            if adapter is None:
                adapter = adapters[endpoint.key] = provider.connect(endpoint)
            found[organization_id, provider_id] = Source(provider, adapter)
    return found


def _endpoint(settings: Settings, provider_id: str, access: ProviderEndpoint) -> Endpoint:
    names = settings.providers[provider_id].names if provider_id in settings.providers else {}
    return Endpoint(
        provider=provider_id,
        base_url=access.base_url,
        username=access.username,
        password=access.password.get_secret_value() if access.password else None,
        api_key=access.api_key.get_secret_value() if access.api_key else None,
        language=access.language,
        timezone=access.timezone,
        text_content=access.text_content,
        timeout=settings.polling.timeout,
        max_body=settings.limits.provider_bytes,
        options={**access.options, "names": dict(names), "user_agent": settings.polling.user_agent},
    )
