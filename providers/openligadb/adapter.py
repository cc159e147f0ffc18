"""The adapter of one endpoint of OpenLigaDB, the free database of results: no credentials, one resource a match."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from zoneinfo import ZoneInfo

from mapping.errors import InvalidRequest
from mapping.match.fixture import FixtureList
from mapping.match.match import Match
from providers.adapter import EndpointAdapter, Vendor
from providers.base import Endpoint, Fetched, Known, Selector
from providers.fault_collector import FaultCollector
from providers.fetch import ResourceRequest, fetch_rows
from providers.match_lists import Candidate, choose, fetch_fixtures, join_lists, requested_days
from providers.openligadb.catalog import CATALOG, NAMES, SCOREBOARD, TEXT_SPORTS
from providers.openligadb.payload import LEAGUE, MATCH, Row, all_matches, league_paths, whole_match

IDS = {
    "match": ("matchId", re.compile(r"([0-9]{1,18})", re.ASCII)),
    "phase": ("phaseId", re.compile(rf"({LEAGUE})[:/]([0-9]{{4}})[:/]([0-9]{{1,4}})", re.ASCII)),
    "overall": ("overallId", re.compile(rf"({LEAGUE})[:/]([0-9]{{4}})", re.ASCII)),
}
"""Selector → request field and the form of its id: a match by its number, else `bl1:2026:12` and `bl1:2026`."""

EXAMPLES = {"match": "70001", "phase": "bl1:2026:12", "overall": "bl1:2026"}

FEW = 2
"""So many goals may have been a mistake all at once; after more, a match without any is a fault."""


class OpenLigaDb(EndpointAdapter):
    """A ProviderAdapter for one endpoint. ValueError for a name or a time zone that does not exist, and for what is no league."""

    id = "openligadb"
    table = NAMES

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        self._zone = ZoneInfo(endpoint.timezone)
        self._leagues = league_paths(endpoint.options.get("leagues", ()))

    def _ident(self, selector: Selector) -> str:
        name, form = IDS[selector.kind]
        found = form.fullmatch(selector.id.strip())
        if found is None or not found[1].strip("0"):
            raise InvalidRequest(f"{name} has another form than {EXAMPLES[selector.kind]}", field=name)
        return str(int(found[1])) if selector.kind == MATCH else "/".join(found.groups())

    def _chosen(self, kind: str, body: bytes) -> str | None:
        return choose(self._candidate(*each) for each in all_matches(kind, body))

    async def fetch(
        self,
        match_id: str,
        known: Mapping[str, Known],
        *,
        text: bool,  # noqa: ARG002 -- the provider has none
        hints: Mapping[str, str],
    ) -> Fetched:
        """Fetch the match."""
        path = self._names["match_resource"].replace("{id}", match_id)
        request = ResourceRequest(
            MATCH, path, lambda body: whole_match(body, match_id), lambda row: len(row.items("goals")), FEW
        )
        return Fetched(answers=(await fetch_rows(self._client, request, known),), hints=hints)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days in the endpoint's leagues, a request each. InvalidRequest where it names none."""
        from providers.openligadb.fixtures import fixtures

        days = requested_days(first, last, self.endpoint.timezone)
        if not self._leagues:
            raise InvalidRequest("the endpoint's options name no leagues, and this provider lists nothing else")
        read = partial(fixtures, days=days, names=self._names)
        paths = [self._names["fixtures_resource"].replace("{league}", league) for league in self._leagues]
        return join_lists([await fetch_fixtures(self._client, path, read) for path in paths])

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in this body. Raises DownstreamRejected."""
        from providers.openligadb.translate import translate  # nobody needs it before a match changes

        return translate(match_id, bodies, names=self._names, zone=self._zone)

    def _candidate(self, match_id: str, row: Row) -> Candidate:
        from providers.openligadb.translate import kickoff, status_of

        status = status_of(row, self._zone, self._names)
        return Candidate(status, kickoff(row, self._zone, FaultCollector(MATCH, "")), int(match_id), match_id)


OPENLIGADB = Vendor(
    id="openligadb", catalog=CATALOG, scoreboard=SCOREBOARD, text_sports=TEXT_SPORTS, connect=OpenLigaDb
)
