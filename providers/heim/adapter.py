"""One endpoint of HEIM:SPIEL: finds the match that is meant, asks for its resources and has them translated."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from mapping.errors import InvalidRequest, MatchUnknown, ProviderRefused
from providers import http_client
from providers.base import Answer, Fetched, Outcome
from providers.beside import beside
from providers.fetch import together
from providers.heim.asking import EMBEDS, Poll, hints_of
from providers.heim.catalog import CATALOG, SCOREBOARD, TEXT_SPORTS
from providers.heim.names import names_of
from providers.heim.payload import EVENTS, TEXT, Found, all_matches
from providers.heim.resolve import meant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mapping.match import Match
    from providers.base import Catalog, Endpoint, Known, Selector

IDS = {
    "match": ("matchId", re.compile(r"(?:ma)?([0-9]{1,18})", re.ASCII)),
    "phase": ("phaseId", re.compile(r"(?:ro)?([0-9]{1,18})", re.ASCII)),
    "overall": ("overallId", re.compile(r"(?:se)?([0-9]{1,18})", re.ASCII)),
}
"""Selector → request field and the form of its id, with or without the feed's prefix."""

FUTILE = (ProviderRefused, MatchUnknown, http_client.Throttled)
"""Errors after which it makes no sense to ask for more of the match."""


class Heim:
    """A ProviderAdapter for one endpoint. ValueError for a name or a time zone that does not exist."""

    id = "heim"

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._names = names_of(endpoint.options)
        self._zone = ZoneInfo(endpoint.timezone)
        auth = None if endpoint.username is None else (endpoint.username, endpoint.password or "")
        self._client = http_client.client_of(endpoint, auth=auth)

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def text_resource(self) -> str | None:
        return TEXT

    async def aclose(self) -> None:
        await self._client.aclose()

    async def resolve(self, selector: Selector) -> str:
        """The match's id; of several matches in a phase or an overall the running one, else the next, else the last."""
        name, form = IDS[selector.kind]
        found = form.fullmatch(selector.id.strip())
        if found is None or int(found[1]) == 0:
            raise InvalidRequest(f"{name} must be digits", field=name)
        ident = str(int(found[1]))
        if selector.kind == "match":
            return ident
        resource = self._names[f"{selector.kind}_resource"]
        reply = await http_client.get(self._client, resource.replace("{id}", ident))
        chosen = await beside(len(reply.body), self._meant, selector.kind, reply.body)
        if chosen is None:
            raise MatchUnknown(f"the provider has no match in this {selector.kind}", field=name)
        return chosen

    def _meant(self, kind: str, body: bytes) -> str | None:
        return meant(all_matches(kind, body), self._names, self._zone)

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Ask for match, events and (`text`) liveticker: all at once when the hints are known, else the match first."""
        poll = Poll(self._client, self._names, match_id, known)
        if not hints:
            match, found = await poll.match(conditional=False)
            return await _completed(poll, match, found, (), {}, text=text)
        others = [] if hints.get(EMBEDS) else [poll.events(hints)]
        if text:
            others.append(poll.text(hints))
        (match, found), rest = await together(partial(poll.match, conditional=True), others)
        if match.outcome is Outcome.UNCHANGED and not hints.get(EMBEDS):  # as nearly always: nothing to be learned
            return Fetched(answers=(match, *rest), hints=hints)
        return await _completed(poll, match, found, rest, hints, text=text)

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match in these bodies. Raises DownstreamRejected; InvalidRequest for a sport that is not supported."""
        from providers.heim.translate import translate  # all sports: nobody needs them before a match changes

        return translate(match_id, bodies, names=self._names, zone=self._zone)


async def _completed(
    poll: Poll, match: Answer, found: Found | None, rest: Iterable[Answer], hints: Mapping[str, str], *, text: bool
) -> Fetched:
    """Add what could only be taken from the match, or asked for after its answer."""
    learned = {**hints, **(hints_of(found, poll.names) if found is not None else {})}
    answers = {answer.resource: answer for answer in (match, *rest)}
    hopeless = isinstance(match.error, FUTILE) or (match.error is not None and not poll.known)
    if learned.get(EMBEDS):
        answers[EVENTS] = await poll.embedded(match, found, len(match.body or b""))
    missing = [] if hopeless or EVENTS in answers else [poll.events(learned)]
    if text and TEXT not in answers and not hopeless:
        missing.append(poll.text(learned))
    answers.update({answer.resource: answer for answer in await asyncio.gather(*missing)})
    return Fetched(answers=tuple(answers.values()), hints=learned)


class HeimProvider:
    """HEIM:SPIEL as a vendor (base.Provider)."""

    id = "heim"
    catalog: Catalog = CATALOG
    scoreboard: Mapping[str, bool] = SCOREBOARD
    text_sports = TEXT_SPORTS

    def connect(self, endpoint: Endpoint) -> Heim:
        return Heim(endpoint)


HEIM = HeimProvider()
