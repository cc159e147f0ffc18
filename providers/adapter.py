"""The base of the adapters in this repository: an endpoint's client and names, and a Provider made of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

from mapping.errors import MatchUnknown
from providers import http_client
from providers.base import CarriedBy, Catalog, Endpoint, ProviderAdapter, Selector
from providers.fetch import beside
from providers.naming import Name, correct_names


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
        self._key = quote(endpoint.api_key or "", safe="")

    async def aclose(self) -> None:
        await self._client.aclose()

    async def resolve(self, selector: Selector) -> str:
        """The match's id; of several matches in a phase or an overall the running one, else the next, else the last."""
        ident = self._ident(selector)
        if selector.kind == "match":
            return ident
        reply = await http_client.get(self._client, self._path(selector.kind, ident))
        chosen = await beside(len(reply.body), self._chosen, selector.kind, reply.body)
        if chosen is None:
            raise MatchUnknown(f"the provider has no match in this {selector.kind}", field=f"{selector.kind}Id")
        return chosen

    def _ident(self, selector: Selector) -> str:
        """The id that the selector names, as paths have it. Raises InvalidRequest."""
        raise NotImplementedError

    def _chosen(self, kind: str, body: bytes) -> str | None:
        """The match of a phase or an overall that `resolve` means; None where there is none."""
        raise NotImplementedError

    def _path(self, resource: str, ident: str) -> str:
        """The path of a resource below the base URL, with the key where the provider has it in paths."""
        return self._names[f"{resource}_resource"].replace("{key}", self._key).replace("{id}", ident)


@dataclass(eq=False, slots=True, kw_only=True)
class Vendor:
    """A base.Provider made of its parts."""

    id: str
    catalog: Catalog
    scoreboard: Mapping[str, bool]
    text_sports: frozenset[str]
    connect: Callable[[Endpoint], ProviderAdapter]
