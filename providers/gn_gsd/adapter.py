"""The adapter of one endpoint of Gracenote Global Sports Data, Lookup v1: matches of soccer, phases and overalls of cycling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode

from mapping.errors import BadBody, DownstreamRejected, InvalidRequest, MatchUnknown, ProviderRefused
from mapping.match.fixture import FixtureList
from mapping.match.match import Match
from providers import fetch, http_client
from providers.adapter import EndpointAdapter, Vendor
from providers.base import Answer, Endpoint, Fetched, Known, Outcome, Selector
from providers.fault_collector import FaultCollector, ValueMismatch, read_if_fits
from providers.gn_gsd import clock, payload
from providers.gn_gsd.catalog import CARRIED_BY, CATALOG, SCOREBOARD, TEXT_SPORTS, language_of
from providers.gn_gsd.names import NAMES
from providers.gn_gsd.payload import ACTIONS, LINEUPS, MATCH, MISSING, Target, target
from providers.gn_gsd.read import Node
from providers.gn_gsd.squads import players, sections
from providers.match_lists import Candidate, Days, choose, fetch_days, requested_days

FEW = 2
"""So many main actions may have been a mistake all at once; after more, an empty list is a fault."""

ABSENT: Mapping[str, tuple[type[Exception], ...]] = {
    LINEUPS: (MatchUnknown, DownstreamRejected, ProviderRefused),
    ACTIONS: (MatchUnknown,),
}
"""Resource → the errors that mean, while the match answers, that there is none: line-ups may not even be booked."""


class GnGsd(EndpointAdapter):
    """A ProviderAdapter for one endpoint. ValueError for a name that does not exist.

    The key travels in the query of each request, as the provider wants it, and in nothing that is logged or shown.
    """

    id = "gn-gsd"
    table = NAMES
    carried_by = CARRIED_BY

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint)
        key = {} if endpoint.api_key is None else {"api_key": endpoint.api_key}
        self._query = urlencode({"language": language_of(endpoint.language), **key})

    async def resolve(self, selector: Selector) -> str:
        """The match's id; of several matches in a phase or an overall the running one, else the next, else the last.

        A phase or an overall without matches is a race of its own, and followed as `phase:<id>` or `overall:<id>`.
        """
        of = payload.choose_target(selector)
        if of is None:
            raise InvalidRequest(f"{selector.kind}Id is no id", field=f"{selector.kind}Id")
        if selector.kind == MATCH:
            return of.match_id
        try:
            reply = await http_client.get(self._client, path_of(of.kind, of, self._names, self._query))
        except DownstreamRejected:
            raise unknown(of) from None
        return (await fetch.beside(len(reply.body), _choose_running, of, reply.body, self._names)).match_id

    async def fetch(
        self,
        match_id: str,
        known: Mapping[str, Known],
        *,
        text: bool,  # noqa: ARG002 -- the provider has none
        hints: Mapping[str, str],
    ) -> Fetched:
        """Fetch the match, its line-ups and its actions, the match first; of a race, it alone."""
        return await Poll(self._client, self._names, self._query, target(match_id), known).answers(hints)

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days, a request each: it takes no more than 36 hours."""
        from providers.gn_gsd.fixtures import fixtures

        days = requested_days(first, last, self.endpoint.timezone)

        def path(day: date) -> str:
            hours = Days(day, day, days.zone)
            span = {"{from}": hours.begin, "{to}": hours.end - timedelta(seconds=1)}
            found = f"{self._names['fixtures_resource']}&{self._query}"
            for name, moment in span.items():
                found = found.replace(name, f"{moment:%Y-%m-%dT%H:%M:%SZ}")
            return found

        return await fetch_days(self._client, days, path, partial(fixtures, names=self._names))

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in these bodies. Raises DownstreamRejected; InvalidRequest for a sport that is not supported."""
        from providers.gn_gsd.translate import translate  # nobody needs it before a match changes

        return translate(match_id, bodies, names=self._names)


@dataclass(frozen=True, slots=True)
class Poll:
    """One poll of a match or a race: where its resources are, and what is known of them. `query` goes with each request."""

    client: http_client.Client
    names: Mapping[str, str]
    query: str
    of: Target
    known: Mapping[str, Known]

    async def answers(self, hints: Mapping[str, str]) -> Fetched:
        """The main resource first; the others of a match at the same time, at its first poll only after it."""
        if self.of.kind != MATCH:
            return Fetched(answers=((await self._main())[0],), hints=hints)
        if MATCH not in self.known:
            main, learned = await self._learn_sides(hints)
            others = [] if main.error else list(await asyncio.gather(*self._others(learned)))
        else:
            (main, learned), others = await fetch.together(partial(self._learn_sides, hints), self._others(hints))
        found = [self._as_counted(each, main) for each in others]
        alone = tuple(each for each in found if self._holds_up_nothing(each, main))
        return Fetched(answers=(main, *(each for each in found if each not in alone)), hints=learned, unheeded=alone)

    async def _learn_sides(self, hints: Mapping[str, str]) -> tuple[Answer, Mapping[str, str]]:
        answer, found = await self._main()
        return answer, hints if found is None else {**hints, fetch.SIDES: fetch.sides_hint(_sides(found))}

    def _others(self, hints: Mapping[str, str]) -> tuple[Coroutine[Any, Any, Answer], ...]:
        return self._lineups(hints), self._actions(hints)

    async def _main(self) -> tuple[Answer, Node | None]:
        request = self._request(self.of.kind, lambda body: payload.entity(self.of, body, self.names), lambda _: 1)
        answer, found = await fetch.fetch_resource(self.client, request, self.known)
        if isinstance(answer.error, DownstreamRejected) and self.of.kind not in self.known:
            return replace(answer, error=unknown(self.of)), None
        return answer, found

    async def _lineups(self, hints: Mapping[str, str]) -> Answer:
        def read(body: bytes) -> Node:
            found = payload.lineups(body, self.names)
            listed = sections(found, FaultCollector("", "")).values()
            fetch.check_teams(LINEUPS, (each for row in listed for each in fetch.ids_in(row.data)), hints)
            return found

        return await fetch.fetch_rows(self.client, self._request(LINEUPS, read, players), self.known)

    async def _actions(self, hints: Mapping[str, str]) -> Answer:
        def read(body: bytes) -> tuple[tuple[str, Any], ...]:
            rows = self._read_actions(body)
            fetch.check_teams(ACTIONS, _acting(rows, self.names), hints)
            return rows

        return await fetch.fetch_rows(self.client, self._request(ACTIONS, read, len, FEW), self.known)

    def _request(
        self, resource: str, read: Callable[[bytes], Any], size: Callable[[Any], int], may_vanish: int = 0
    ) -> fetch.ResourceRequest:
        return fetch.ResourceRequest(
            resource, path_of(resource, self.of, self.names, self.query), read, size, may_vanish
        )

    def _read_actions(self, body: bytes) -> tuple[tuple[str, Any], ...]:
        """The rows of the actions; once there were any, a response without the list of them is a fault."""
        rows = payload.action_rows(body, self.names)
        if not rows and self.known.get(ACTIONS, fetch.UNKNOWN).rows and not payload.none_listed(body, self.names):
            raise BadBody(f"{ACTIONS}: not there any more")
        return rows

    def _as_counted(self, answer: Answer, main: Answer) -> Answer:
        """A response as it counts: what the provider does not have is empty."""
        if answer.error is None or main.outcome is Outcome.FAILED:
            return answer
        if isinstance(answer.error, ABSENT[answer.resource]):
            return _missing(answer, self.known.get(answer.resource, fetch.UNKNOWN))
        return answer

    def _holds_up_nothing(self, answer: Answer, main: Answer) -> bool:
        """Line-ups alone never delay a match that is followed."""
        alone = answer.outcome is Outcome.FAILED and main.outcome is not Outcome.FAILED
        return alone and answer.resource == LINEUPS and MATCH in self.known


def _sides(found: Node) -> Iterator[str]:
    """Every id that the match gives its teams: which of them line-ups and actions repeat is not settled."""
    for side in ("home", "away"):
        with suppress(ValueMismatch):
            team = found.part(side)
            yield from () if team is None else fetch.ids_in(team.data)


def _acting(rows: tuple[tuple[str, Any], ...], names: Mapping[str, str]) -> Iterator[str | None]:
    """The team of each action."""
    for _, row in rows:
        if isinstance(row, dict):
            with suppress(ValueMismatch):
                yield Node(row, names).ident("action_team")


def unknown(of: Target) -> MatchUnknown:
    """A request that the provider does not take is one for an id that it does not know."""
    return MatchUnknown(f"the provider does not know the {of.kind}")


def _missing(answer: Answer, known: Known) -> Answer:
    """Nothing, as a good response; what was there before cannot have gone like this, though it may be refused from now on."""
    if known.rows and isinstance(answer.error, ProviderRefused):
        return answer
    if known.rows:
        return replace(answer, error=BadBody(f"{answer.resource}: not there any more"))
    request = fetch.ResourceRequest(answer.resource, "", bytes, lambda _: 0)
    return fetch.classify(request, http_client.Reply(status=200, body=MISSING), known)[0]


def path_of(resource: str, of: Target, names: Mapping[str, str], query: str) -> str:
    """The path below the endpoint's base URL, with its own query and the one that goes with each request."""
    path = names[f"{resource}_resource"].replace("{id}", of.segment)
    return f"{path}{'&' if '?' in path else '?'}{query}"


def _choose_running(of: Target, body: bytes, names: Mapping[str, str]) -> Target:
    """The running match of a phase or an overall, else the next, else the last; a race without matches is resolved to itself.

    MatchUnknown where it holds nothing that could be followed.
    """
    found = payload.entity(of, body, names)
    match_id = choose(filter(None, map(_candidate, payload.contained_matches(found))))
    if match_id is not None:
        return Target("match", match_id)
    if payload.sport_of(of, found) == "soccer":
        raise MatchUnknown(f"the provider has no match in this {of.kind}", field=f"{of.kind}Id")
    return of


def _candidate(match: Node) -> Candidate | None:
    faults, match_id = FaultCollector(MATCH, ""), read_if_fits(match.ident, "id")
    if match_id is None:
        return None
    period = clock.stage(match, faults)
    scored = any(faults.try_read(match.number, f"score_{side}") for side in ("home", "away"))
    state = clock.state(match, period, faults, played=scored)
    return Candidate(state.status, faults.try_read(match.moment, "kickoff"), match_id, match_id)


GN_GSD = Vendor(id="gn-gsd", catalog=CATALOG, scoreboard=SCOREBOARD, text_sports=TEXT_SPORTS, connect=GnGsd)
