"""The adapter of one endpoint of PA Media's football feed: three resources a match, the key in the path of each."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from mapping.errors import InvalidRequest
from mapping.match.fixture import FixtureList
from mapping.match.match import Match
from providers import fetch
from providers.adapter import EndpointAdapter, Vendor
from providers.base import Answer, Fetched, Known, Selector
from providers.fault_collector import FaultCollector
from providers.match_lists import Candidate, choose, fetch_days, requested_days
from providers.pa import payload
from providers.pa.catalog import CARRIED_BY, CATALOG, EVENTS, LINEUPS, MATCH, NAMES, SCOREBOARD, TEXT_SPORTS
from providers.pa.payload import LONDON

IDS = {
    "match": re.compile(r"()([0-9]{1,18})", re.ASCII),
    "phase": re.compile(r"([0-9]{1,9})[:/]([0-9]{8})", re.ASCII),
    "overall": re.compile(r"()([0-9]{1,9})", re.ASCII),
}
"""Selector → the form of its id: a match or a competition by its number, else a competition's day, `100:20261121`."""
FEW = 2
"""So many events may have been a mistake all at once; after more, a match without any is a fault."""


class Pa(EndpointAdapter):
    """A ProviderAdapter for one endpoint; the key is in each path and shows nowhere. ValueError for a name that does not exist."""

    id = "pa"
    table = NAMES
    accepts = "application/xml"
    carried_by = CARRIED_BY

    def _ident(self, selector: Selector) -> str:
        found, field = IDS[selector.kind].fullmatch(selector.id.strip()), f"{selector.kind}Id"
        if found is None or not found[2].strip("0"):
            raise InvalidRequest(f"{field} is no id of the provider", field=field)
        return str(int(found[2])) if selector.kind == MATCH else "/".join(filter(None, found.groups()))

    async def fetch(
        self,
        match_id: str,
        known: Mapping[str, Known],
        *,
        text: bool,  # noqa: ARG002 -- the provider has none
        hints: Mapping[str, str],
    ) -> Fetched:
        """Fetch the match, its events and line-ups, at first in turn. Line-ups alone delay no match that is followed."""
        main = partial(self._match, match_id, known, hints)
        if MATCH in known:
            (answer, learned), others = await fetch.together(main, self._others(match_id, known, hints))
        else:
            answer, learned = await main()
            others = [] if answer.error else [await each for each in self._others(match_id, known, learned)]
        alone = tuple(each for each in others if each.error and each.resource == LINEUPS and MATCH in known)
        return Fetched(answers=(answer, *(each for each in others if each not in alone)), hints=learned, unheeded=alone)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days: a list for each day of London that has some of them."""
        from providers.pa.fixtures import fixtures

        def path(day: date) -> str:
            return self._path("fixtures", "").replace("{day}", f"{day:%Y%m%d}")

        days = requested_days(first, last, self.endpoint.timezone)
        found = await fetch_days(self._client, days.within(LONDON), path, partial(fixtures, names=self._names))
        return replace(found, fixtures=tuple(each for each in found.fixtures if days.hold(each.kickoff)))

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in these bodies. Raises DownstreamRejected."""
        from providers.pa.translate import translate  # nobody needs it before a match changes

        return translate(match_id, bodies, names=self._names)

    async def _match(
        self, match_id: str, known: Mapping[str, Known], hints: Mapping[str, str]
    ) -> tuple[Answer, Mapping[str, str]]:
        """The match, and the hints with its teams where it was read."""
        read = partial(payload.find_match, match_id=match_id, names=self._names)
        request = fetch.ResourceRequest(MATCH, self._path(MATCH, match_id), read, lambda _: 1)
        answer, found = await fetch.fetch_resource(self._client, request, known)
        return answer, hints if found is None else {**hints, fetch.SIDES: fetch.sides_hint(payload.teams_of(found))}

    def _others(
        self, match_id: str, known: Mapping[str, Known], hints: Mapping[str, str]
    ) -> list[Coroutine[Any, Any, Answer]]:
        events = partial(payload.find_events, names=self._names, hints=hints)
        squads = partial(payload.find_squads, match_id=match_id, names=self._names)
        requests = (
            fetch.ResourceRequest(name, self._path(name, match_id), read, payload.count_rows, FEW)
            for name, read in ((EVENTS, events), (LINEUPS, squads))
        )
        return [fetch.fetch_rows(self._client, request, known) for request in requests]

    def _chosen(self, kind: str, body: bytes) -> str | None:
        from providers.pa.clock import kickoff, situation

        faults, names = FaultCollector(MATCH, ""), self._names
        rows = ((each.plain("matchID") or "", each) for each in payload.all_matches(kind, body, names))
        return choose(
            Candidate(situation(row, faults, names).status, kickoff(row, faults)[0], int(ident), ident)
            for ident, row in rows
            if IDS[MATCH].fullmatch(ident)
        )


PA = Vendor(id="pa", catalog=CATALOG, scoreboard=SCOREBOARD, text_sports=TEXT_SPORTS, connect=Pa)
