"""The adapter of one endpoint of Stats Perform's SDAPI, feed MA1: one resource a match, the outlet's key in its path."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

from mapping.errors import BadBody, InvalidRequest
from mapping.match.fixture import FixtureList
from mapping.match.match import Match
from providers import http_client
from providers.adapter import EndpointAdapter, Vendor
from providers.base import Endpoint, Fetched, Known, Outcome, Selector
from providers.fault_collector import FaultCollector
from providers.fetch import ResourceRequest, fetch_resource
from providers.match_lists import Candidate, choose, fetch_fixtures, join_lists, requested_days
from providers.statsperform.catalog import CATALOG, NAMES, SCOREBOARD, TEXT_SPORTS
from providers.statsperform.oauth import SignedIn
from providers.statsperform.payload import ID, MATCH, Row, all_matches, id_of, sizes

PAGE, MOST_PAGES = 400, 50
"""Matches of a page of a list, and pages of one that ends."""
LISTS = "lists"
"""The hint that says how many rows each list of incidents had: `goal 3, card 2`."""
ROWS = re.compile(r"([a-z]{1,20}) ([0-9]{1,6})", re.ASCII)
MINUTE = re.compile(rb'(?<="matchTime":)\s*[0-9]{1,3}(?=[,}\s])')
"""The minute of play, which runs and is read nowhere."""


class StatsPerform(EndpointAdapter):
    """A ProviderAdapter for one endpoint. ValueError for a name that does not exist.

    The outlet's key travels in the path of each request, as the provider wants it, and in nothing that is logged or shown.
    With a password, the outlet's secret, it signs in by OAuth.
    """

    id = "statsperform"
    table = NAMES

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        if endpoint.password and endpoint.username is None:  # beside a user it is none of the outlet's
            signed_in = SignedIn(http_client.client_of(endpoint), endpoint, self._names["token_address"])
            self._client.opened = signed_in

    def _ident(self, selector: Selector) -> str:
        wanted = selector.id.strip()
        if ID.fullmatch(wanted) is None:
            raise InvalidRequest(f"{selector.kind}Id is no id of the provider", field=f"{selector.kind}Id")
        return wanted

    async def fetch(
        self,
        match_id: str,
        known: Mapping[str, Known],
        *,
        text: bool,  # noqa: ARG002 -- the feed has none
        hints: Mapping[str, str],
    ) -> Fetched:
        """Fetch the match."""
        before = {name: int(number) for name, number in ROWS.findall(hints.get(LISTS, ""))} if known else {}
        request = ResourceRequest(
            MATCH,
            self._path("match", match_id),
            lambda body: sizes(body, match_id, before),
            _total,
            unread=MINUTE,
        )
        answer, found = await fetch_resource(self._client, request, known)
        if answer.outcome is Outcome.CHANGED and found is not None:
            hints = {**hints, LISTS: ", ".join(f"{name} {number}" for name, number in found.items())}
        return Fetched(answers=(answer,), hints=hints)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days, page after page. BadBody for a list that does not end."""
        from providers.statsperform.fixtures import fixtures, page_rows

        days = requested_days(first, last, self.endpoint.timezone)
        span = {"{from}": days.begin, "{to}": days.end - timedelta(seconds=1)}
        pages: list[FixtureList] = []
        size = PAGE

        def read(body: bytes) -> FixtureList:
            nonlocal size
            size = len(page_rows(body))
            return fixtures(body, days, names=self._names)

        while size == PAGE:  # one that is shorter is the last, one that is longer is all
            if len(pages) == MOST_PAGES:
                raise BadBody("the provider's list does not end")
            path = self._path("fixtures", "").replace("{page}", str(len(pages) + 1))
            for name, moment in span.items():
                path = path.replace(name, f"{moment:%Y-%m-%dT%H:%M:%SZ}")
            before = len(join_lists(pages).fixtures)
            pages.append(await fetch_fixtures(self._client, path, read))
            if size and len(join_lists(pages).fixtures) == before:
                raise BadBody("a page of the provider's list repeats what was there")
        return join_lists(pages)

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in this body. Raises DownstreamRejected."""
        from providers.statsperform.translate import translate  # nobody needs it before a match changes

        return translate(match_id, bodies, names=self._names)

    def _chosen(self, kind: str, body: bytes) -> str | None:
        return choose(filter(None, (self._candidate(each) for each in all_matches(kind, body))))

    def _candidate(self, row: Row) -> Candidate | None:
        from providers.statsperform.clock import course, kickoff

        match_id, faults = id_of(row), FaultCollector(MATCH, "")
        if match_id is None or ID.fullmatch(match_id) is None:
            return None
        info, live = (_part(row, name, faults) for name in ("matchInfo", "liveData"))
        details = _part(live, "matchDetails", faults)
        status = course(details, faults, self._names).status
        return Candidate(status, kickoff(info, faults)[0], match_id, match_id)


def _part(row: Row, name: str, faults: FaultCollector) -> Row:
    return faults.try_read(row.part, name) or Row({})


def _total(rows: Mapping[str, int]) -> int:
    return 1 + sum(rows.values())  # which list may vanish is decided by list


STATSPERFORM = Vendor(
    id="statsperform", catalog=CATALOG, scoreboard=SCOREBOARD, text_sports=TEXT_SPORTS, connect=StatsPerform
)
