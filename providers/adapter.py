"""What adapters and vendors share: the client of an endpoint with its names, and a Provider made of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from providers import http_client
from providers.naming import correct_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from providers.base import CarriedBy, Catalog, Endpoint, ProviderAdapter
    from providers.naming import Name


class EndpointAdapter:
    """The base of a ProviderAdapter: one endpoint, its HTTP client and its names. ValueError for an unknown name."""

    id: ClassVar[str]
    table: ClassVar[tuple[Name, ...]]
    accepts: ClassVar[str] = "application/json"
    """The media type of the provider's bodies."""
    text_resource: str | None = None
    """None: the provider has no editorial text."""
    carried_by: CarriedBy = MappingProxyType({})
    """Empty: every resource of a match carries all of it."""

    def __init__(self, endpoint: Endpoint, *, auth: tuple[str, str] | None = None) -> None:
        self.endpoint = endpoint
        self._names = correct_names(self.table, endpoint.options)
        self._client = http_client.client_of(endpoint, auth=auth, accept=self.accepts)

    async def aclose(self) -> None:
        await self._client.aclose()


@dataclass(eq=False, slots=True, kw_only=True)
class Vendor:
    """A base.Provider made of its parts."""

    id: str
    catalog: Catalog
    scoreboard: Mapping[str, bool]
    text_sports: frozenset[str]
    connect: Callable[[Endpoint], ProviderAdapter]
