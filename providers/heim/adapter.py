"""The adapter of one HEIM:SPIEL endpoint: resolves a selector to a match, polls its resources, has them translated."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from mapping.errors import InvalidRequest, MatchUnknown, ProviderRefused, ServiceError
from mapping.match.fixture import FixtureList
from mapping.match.match import Match, Part
from providers import http_client
from providers.adapter import EndpointAdapter, Vendor
from providers.base import Answer, CarriedBy, Endpoint, Fetched, Known, Outcome, Selector
from providers.fault_collector import read_if_fits
from providers.fetch import (
    SIDES,
    UNKNOWN,
    ResourceRequest,
    beside,
    check_teams,
    classify,
    failed_answer,
    fetch_resource,
    fetch_rows,
    sides_hint,
    together,
)
from providers.heim.catalog import CATALOG, NAMES, SCOREBOARD, TEXT_SPORTS
from providers.heim.payload import (
    EVENTS,
    MATCH,
    TEXT,
    Found,
    all_matches,
    competition,
    embedded_rows,
    find_match,
    list_rows,
    sport_of,
    team_ids,
)
from providers.heim.read import Row
from providers.match_lists import choose, fetch_days, requested_days

IDS = {
    "match": ("matchId", re.compile(r"(?:ma)?([0-9]{1,18})", re.ASCII)),
    "phase": ("phaseId", re.compile(r"(?:ro)?([0-9]{1,18})", re.ASCII)),
    "overall": ("overallId", re.compile(r"(?:se)?([0-9]{1,18})", re.ASCII)),
}
"""Selector → request field and the form of its id, with or without the feed's prefix."""

MINUTE = re.compile(rb'(?<="current_minute":)\s*"[0-9]{1,3}"')
"""The minute of play, which steps each minute and is read nowhere: periods and rows have times of their own."""

FUTILE = (ProviderRefused, MatchUnknown, http_client.Throttled)
"""Errors after which it makes no sense to request more of the match."""

COMPETITION, EMBEDS = "competition", "embeds"
"""The hints beside SIDES: the competition's id (may be empty), and whether the match carries its events (`1` or empty)."""

RESOURCES = {MATCH: "match_resource", EVENTS: "event_resource", TEXT: "text_resource"}
"""Resource → the name of its path in the table of names."""

CARRIED_BY: CarriedBy = {
    Part.FACTS: frozenset({MATCH}),
    Part.STATE: frozenset({MATCH}),
    Part.SCORE: frozenset({MATCH}),
    Part.SHOOTOUT: frozenset({MATCH, EVENTS}),
    Part.SQUADS: frozenset({EVENTS}),
    Part.ROWS: frozenset({EVENTS}),
    Part.IMPLIED: frozenset({MATCH}),
    Part.RACE: frozenset({MATCH, EVENTS}),
    Part.TEXT: frozenset({TEXT}),
}
"""Part of a match → the resources that carry it."""


class Heim(EndpointAdapter):
    """A ProviderAdapter for one endpoint. ValueError for a name or a time zone that does not exist."""

    id = "heim"
    table = NAMES
    text_resource = TEXT
    carried_by = CARRIED_BY

    def __init__(self, endpoint: Endpoint) -> None:
        auth = None if endpoint.username is None else (endpoint.username, endpoint.password or "")
        super().__init__(endpoint, auth=auth)
        self._zone = ZoneInfo(endpoint.timezone)

    def _ident(self, selector: Selector) -> str:
        name, form = IDS[selector.kind]
        found = form.fullmatch(selector.id.strip())
        if found is None or int(found[1]) == 0:
            raise InvalidRequest(f"{name} must be digits", field=name)
        return str(int(found[1]))

    def _chosen(self, kind: str, body: bytes) -> str | None:
        from providers.heim.clock import candidate

        found = (candidate(each, self._names, self._zone) for each in all_matches(kind, body))
        return choose(each for each in found if each is not None)

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Fetch match, events and (`text`) liveticker: all at once when the hints are known, else the match first."""
        poll = Poll(self._client, self._names, match_id, known)
        if not hints:
            match, found = await poll.match(conditional=False)
            return await _complete(poll, match, found, (), {}, text=text)
        others = [] if hints.get(EMBEDS) else [poll.rows(EVENTS, hints)]
        if text:
            others.append(poll.rows(TEXT, hints))
        (match, found), rest = await together(partial(poll.match, conditional=True), others)
        if match.outcome is Outcome.UNCHANGED and not hints.get(EMBEDS):  # as nearly always: nothing to be learned
            return Fetched(answers=(match, *rest), hints=hints)
        return await _complete(poll, match, found, rest, hints, text=text)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days, a request each."""
        from providers.heim.fixtures import fixtures

        def path(day: date) -> str:
            return self._names["fixtures_resource"].replace("{day}", day.isoformat())

        days = requested_days(first, last, self.endpoint.timezone)
        return await fetch_days(self._client, days, path, partial(fixtures, names=self._names))

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in these bodies. Raises DownstreamRejected; InvalidRequest for a sport that is not supported."""
        from providers.heim.translate import translate  # all sports: nobody needs them before a match changes

        return translate(match_id, bodies, names=self._names, zone=self._zone, rows=self.endpoint.row_cache)


@dataclass(frozen=True, slots=True)
class Poll:
    """One poll of one match: where its resources are, and what is known of them."""

    client: http_client.Client
    names: Mapping[str, str]
    match_id: str
    known: Mapping[str, Known]

    async def match(self, *, conditional: bool) -> tuple[Answer, Found | None]:
        """The match; with its content where it changed, or where the request is unconditional."""
        request = ResourceRequest(
            MATCH, self._path(MATCH, {}), lambda body: find_match(body, self.match_id), lambda _: 1, unread=MINUTE
        )
        return await fetch_resource(self.client, request, self.known, conditional=conditional)

    async def rows(self, resource: str, hints: Mapping[str, str]) -> Answer:
        """The events or the text."""

        def read(body: bytes) -> tuple[Any, ...]:
            rows = list_rows(resource, body, self.match_id)
            check_teams(resource, team_ids(resource, rows), hints)
            return rows

        request = ResourceRequest(resource, self._path(resource, hints), read, len)
        return await fetch_rows(self.client, request, self.known)

    def _path(self, resource: str, hints: Mapping[str, str]) -> str:
        """The path below the endpoint's base URL."""
        template = self.names[RESOURCES[resource]]
        return template.replace("{id}", self.match_id).replace("{competition}", hints.get(COMPETITION, ""))

    async def embedded(self, match: Answer, found: Found | None) -> Answer:
        """The events that came inside the match, as if they had been fetched by themselves."""
        if found is None:
            known = self.known.get(EVENTS, UNKNOWN)
            return Answer(
                resource=EVENTS, outcome=match.outcome, error=match.error, digest=known.digest, rows=known.rows
            )
        try:
            return await beside(len(match.body or b""), self._extract, found)
        except ServiceError as error:
            return failed_answer(EVENTS, error)

    def _extract(self, found: Found) -> Answer:
        rows = embedded_rows(found.match) or ()
        body = f"[{','.join(json.dumps(row, separators=(',', ':')) for row in rows)}]".encode()
        request = ResourceRequest(EVENTS, "", lambda _: rows, len)
        return classify(request, http_client.Reply(status=200, body=body), self.known.get(EVENTS, UNKNOWN))[0]


async def _complete(
    poll: Poll, match: Answer, found: Found | None, rest: Iterable[Answer], hints: Mapping[str, str], *, text: bool
) -> Fetched:
    """Add what could only be taken from the match, or requested after its response."""
    learned = {**hints, **_hints_of(found, poll.names)}
    answers = {answer.resource: answer for answer in (match, *rest)}
    if learned.get(EMBEDS):
        answers[EVENTS] = await poll.embedded(match, found)
    futile = isinstance(match.error, FUTILE) or (match.error is not None and not poll.known)
    wanted = () if futile else (EVENTS, TEXT) if text else (EVENTS,)
    missing = [resource for resource in wanted if resource not in answers]
    added = await asyncio.gather(*(poll.rows(resource, learned) for resource in missing))
    return Fetched(answers=(*answers.values(), *added), hints=learned)


def _hints_of(found: Found | None, names: Mapping[str, str]) -> dict[str, str]:
    """What the next poll needs to know of this match; nothing where the poll has not read it."""
    if found is None:
        return {}
    sides = [read_if_fits(found.match.part, side) for side in ("home", "away")]
    teams = [_id_of(side) for side in sides] if sport_of(found, names) == "soccer" else []
    embeds = found.match.data.get("match_event") is not None
    contest = _id_of(read_if_fits(competition, found))
    return {COMPETITION: contest or "", EMBEDS: "1" if embeds else "", SIDES: sides_hint(teams)}


def _id_of(row: Row | None) -> str | None:
    return None if row is None else read_if_fits(row.ident, "id")


HEIM = Vendor(id="heim", catalog=CATALOG, scoreboard=SCOREBOARD, text_sports=TEXT_SPORTS, connect=Heim)
