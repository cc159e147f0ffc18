"""An organization's access to a provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapping.errors import Forbidden, NotFound
from providers.base import Provider, ProviderAdapter


@dataclass(frozen=True, slots=True)
class ProviderSource:
    """The adapter may serve other organizations too, `text_content` is this one's own."""

    provider: Provider
    adapter: ProviderAdapter
    text_content: bool


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
