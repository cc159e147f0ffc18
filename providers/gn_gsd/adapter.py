"""One endpoint of Gracenote Global Sports Data, Lookup v1: matches of soccer, phases and overalls of cycling."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from mapping.errors import DownstreamRejected, InvalidRequest
from providers import http_client
from providers.base import Fetched
from providers.beside import beside
from providers.gn_gsd.catalog import CATALOG, SCOREBOARD, TEXT_SPORTS, language_of
from providers.gn_gsd.names import names_of
from providers.gn_gsd.payload import MATCH, chosen, target
from providers.gn_gsd.polling import Poll, path_of, unknown
from providers.gn_gsd.resolve import meant
from providers.gn_gsd.translate import translate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mapping.match import Match
    from providers.base import Catalog, Endpoint, Known, Selector


class GnGsd:
    """A ProviderAdapter for one endpoint. ValueError for a name that does not exist.

    The key travels in the query of each request, as the provider wants it, and in nothing that is logged or told.
    """

    id = "gn-gsd"

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._names = names_of(endpoint.options)
        key = {} if endpoint.api_key is None else {"api_key": endpoint.api_key}
        self._query = urlencode({"language": language_of(endpoint.language), **key})
        self._client = http_client.client_of(endpoint)

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def text_resource(self) -> str | None:
        """None: the provider has no editorial text."""
        return None

    async def aclose(self) -> None:
        await self._client.aclose()

    async def resolve(self, selector: Selector) -> str:
        """The match's id; of several matches in a phase or an overall the running one, else the next, else the last.

        A phase or an overall without matches is a race of its own, and followed as `phase:<id>` or `overall:<id>`.
        """
        of = chosen(selector)
        if of is None:
            raise InvalidRequest(f"{selector.kind}Id is no id", field=f"{selector.kind}Id")
        if selector.kind == MATCH:
            return of.match_id
        try:
            reply = await http_client.get(self._client, path_of(of.kind, of, self._names, self._query))
        except DownstreamRejected:
            raise unknown(of) from None
        return (await beside(len(reply.body), meant, of, reply.body, self._names)).match_id

    async def fetch(
        self,
        match_id: str,
        known: Mapping[str, Known],
        *,
        text: bool,  # noqa: ARG002 -- the provider has none
        hints: Mapping[str, str],
    ) -> Fetched:
        """Ask for the match, its line-ups and its actions, the match first; for a race, for it alone."""
        poll = Poll(self._client, self._names, self._query, target(match_id), known)
        answers, learned = await poll.answers(hints)
        return Fetched(answers=answers, hints=learned)

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in these bodies. Raises DownstreamRejected; InvalidRequest for a sport that is not supported."""
        return translate(match_id, bodies, names=self._names)


class GnGsdProvider:
    """Gracenote Global Sports Data as a vendor (base.Provider)."""

    id = "gn-gsd"
    catalog: Catalog = CATALOG
    scoreboard: Mapping[str, bool] = SCOREBOARD
    text_sports = TEXT_SPORTS

    def connect(self, endpoint: Endpoint) -> GnGsd:
        return GnGsd(endpoint)


GN_GSD = GnGsdProvider()
