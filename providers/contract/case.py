"""What a rule is checked on: a provider, its fixtures, and a server that answers them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date

from mapping.match.match import Match
from providers.base import Answer, Catalog, Endpoint, Fetched, Known, Outcome, Provider, ProviderAdapter, Selector
from providers.contract.mutations import JSON, Notation
from providers.contract.server import Server, serving
from providers.fault_collector import RowCache

USER, PASSWORD, KEY = "contract-user", "s3cret-p4ssw0rd", "s3cret-4pi-k3y"
"""What the endpoints of the kit hold, and what must show nowhere."""

TIMEOUT = 1.0
"""Seconds for one answer."""
CONNECTIONS = 24
MAX_BODY = 4 * 1024 * 1024
"""Bytes of the largest answer that is read."""


class Violation(AssertionError):
    """The adapter breaks a rule; the message says how."""


def expect(kept: object, otherwise: str) -> None:
    """Violation with the message `otherwise` unless `kept`."""
    if not kept:
        raise Violation(otherwise)


@dataclass(frozen=True, slots=True)
class Sample:
    """A match as the provider would answer it.

    `bodies`: end of the path → body, of every resource that the adapter requests. `forms`: other ways to write the
    match's id; `selectors`: phases and overalls that lead to it. `kickoff`: Unix seconds, worked out by hand. `notation`: of
    the bodies, JSON or `xml(names of rows)`.
    """

    name: str
    match_id: str
    sport: str
    bodies: Mapping[str, bytes]
    text: bool = False
    kickoff: int | None = None
    forms: tuple[str, ...] = ()
    selectors: tuple[Selector, ...] = ()
    notation: Notation = JSON


@dataclass(frozen=True, slots=True)
class Listing:
    """The list of a day as the provider would answer it, of an adapter that lists matches.

    `bodies`: end of the path → body; `ids`: of the matches in it, in any order. `spans`: such a list holds other days too, as
    a season's does, so that one without any of the day is an empty day. `notation` as of a Sample.
    """

    day: date
    ids: tuple[str, ...]
    bodies: Mapping[str, bytes]
    spans: bool = False
    notation: Notation = JSON


def plain_endpoint(provider: str, base_url: str) -> Endpoint:
    """An endpoint with every kind of credentials; its time-out and body limit are small enough for a test."""
    return Endpoint(
        provider=provider,
        base_url=base_url,
        username=USER,
        password=PASSWORD,
        api_key=KEY,
        language="de",
        timezone="Europe/Berlin",
        timeout=TIMEOUT,
        provider_bytes=MAX_BODY,
        connections=CONNECTIONS,
        user_agent="matchwire-contract",
        row_cache=RowCache(0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTable:
    """What the documented words for the state of a match mean, whatever has been played.

    `states`: word → moment (`before`, `during`, `after` play) → what is believed once the word is said, as
    `states.state_words` has it. `usual`: the word that a match has at each moment; `bodies`: the resources of the match
    `match_id` with a word at a moment. What the provider's documents do not say is assumed, and the table should say so.
    """

    match_id: str
    usual: Mapping[str, str]
    states: Mapping[str, Mapping[str, str]]
    bodies: Callable[[str, str], Mapping[str, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A provider and its samples. `endpoint` makes an endpoint for the address of the kit's server.

    `order`: sport → event types in the order of the interface's row for this provider; without it the sport's own.
    `row_cache_bytes`: of the endpoint's cache of translated rows; 0: every row is translated each time.
    `every`: of the changes that make a body wrong, each so-manieth is tried; 1: all. `states`: of the words for a match's state.
    `listings`: lists of matches, where the adapter has any.
    """

    provider: Provider
    samples: tuple[Sample, ...]
    endpoint: Callable[[str], Endpoint] | None = None
    order: Catalog = field(default_factory=dict)
    row_cache_bytes: int = 0
    every: int = 1
    states: StateTable | None = None
    listings: tuple[Listing, ...] = ()

    def connect(self, base_url: str) -> ProviderAdapter:
        """An adapter with a time-out and a body limit that are small enough for a test."""
        given = self.endpoint(base_url) if self.endpoint else plain_endpoint(self.provider.id, base_url)
        cache = RowCache[object](self.row_cache_bytes)
        return self.provider.connect(replace(given, timeout=TIMEOUT, provider_bytes=MAX_BODY, row_cache=cache))

    @asynccontextmanager
    async def open(self, sample: Sample) -> AsyncIterator[Opened]:
        """An adapter that talks to a server with the sample's bodies."""
        async with serving(Server(sample.bodies)) as server:
            adapter = self.connect(server.url)
            try:
                yield Opened(server, adapter, sample)
            finally:
                await adapter.aclose()

    async def bodies(self, sample: Sample) -> tuple[ProviderAdapter, dict[str, bytes]]:
        """A (closed) adapter to translate with, and the bodies by resource, the match's first."""
        async with self.open(sample) as opened:
            return opened.adapter, bodies_of(await opened.fetch())


@dataclass(frozen=True, slots=True)
class Opened:
    """A server, an adapter that is connected to it, and the sample that is served."""

    server: Server
    adapter: ProviderAdapter
    sample: Sample
    hints: Mapping[str, str] = field(default_factory=dict)

    async def fetch(self, known: Mapping[str, Known] | None = None, hints: Mapping[str, str] | None = None) -> Fetched:
        return await self.adapter.fetch(
            self.sample.match_id, known or {}, text=self.sample.text, hints=self.hints if hints is None else hints
        )

    def translate(self, bodies: Mapping[str, bytes]) -> Match:
        return self.adapter.translate(self.sample.match_id, bodies)


def bodies_of(fetched: Fetched) -> dict[str, bytes]:
    """The bodies of a first poll. Violation where it is not good."""
    expect(fetched.answers, "a poll gave no answers at all")
    for answer in fetched.answers:
        expect(answer.outcome is Outcome.CHANGED, f"{answer.resource}: in the first poll it is {answer.outcome}")
        expect(isinstance(answer.body, bytes), f"{answer.resource}: a changed answer has no body")
    return {answer.resource: answer.body for answer in fetched.answers if answer.body is not None}


def known_of(answers: tuple[Answer, ...]) -> dict[str, Known]:
    """What the daemon keeps of these good answers for its next poll."""
    return {each.resource: Known(etag=each.etag, digest=each.digest, rows=each.rows) for each in answers}
