"""The interface of a provider: it fetches resources of a match and translates them, and nothing else.

A match is two or three resources (`match`, `match-event`, …), each with its own ETag. An adapter belongs to one endpoint
(base URL, credentials, language) and keeps no state of a match: what is known comes in, what was found goes out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any, Literal, Protocol, runtime_checkable

from mapping.errors import ServiceError
from mapping.match.fixture import FixtureList
from mapping.match.match import Match, Part
from providers.fault_collector import RowCache

Catalog = Mapping[str, tuple[str, ...]]
"""Sport → event types, in the order of the interface's provider table."""

CarriedBy = Mapping[Part, frozenset[str]]
"""Part of a match → names of the resources that carry it."""


KEPT_BYTES = 256 * 1024
"""Bytes that are kept of an answer that could not be used."""


@dataclass(frozen=True, slots=True)
class Selector:
    """What the caller named: a match, or a phase or an overall that holds it (interface: createFromExternal)."""

    kind: Literal["match", "phase", "overall"]
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One organization's access to a provider. `options` holds what only that provider knows (names, images, …).

    `timeout`: seconds for a response in all; `provider_bytes`: its largest body; `connections`: open at a time.
    """

    provider: str
    base_url: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    language: str
    timezone: str
    timeout: float
    provider_bytes: int
    connections: int
    user_agent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    row_cache: RowCache[Any] = field(repr=False, compare=False)
    """The cache of translated rows, which all endpoints of a process share."""

    @property
    def key(self) -> str:
        """Stable name of (provider, base URL, credentials, language): endpoints with the same key share polls, others do not."""
        secret = "\x1f".join(
            (self.provider, self.base_url, self.username or "", self.password or "", self.api_key or "", self.language)
        )
        return f"{self.provider}:{_digest(secret.encode())[:32]}"


class Outcome(StrEnum):
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What we hold of a resource: the validators and the size (`rows`) of its last good body."""

    etag: str | None = None
    digest: str | None = None
    rows: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The outcome of fetching one resource once.

    CHANGED carries a good `body` (parsed once and found to be the provider's format) with `etag`, `digest`, `rows`;
    UNCHANGED is a 304 or the same digest; FAILED carries the `error`. `fresh_for`: seconds until the provider's cache expires.
    """

    resource: str
    outcome: Outcome
    body: bytes | None = None
    etag: str | None = None
    digest: str | None = None
    rows: int = 0
    fresh_for: float | None = None
    error: ServiceError | None = None
    path: str = field(default="", repr=False)
    """The requested path below the base URL, with its query (and a key in it); empty for what came inside another response."""
    received: float | None = field(default=None, compare=False)
    """When the whole response was here (`time.monotonic`), where the adapter says it."""
    heard: FailedResponse | None = field(default=None, repr=False)
    """What came instead, where it FAILED and something is known of it: recordings keep it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The outcomes of one poll. `hints` are small facts that the next poll needs (heim: the competition's id)."""

    answers: tuple[Answer, ...]
    hints: Mapping[str, str] = field(default_factory=dict)
    unheeded: tuple[Answer, ...] = ()
    """Failures that hold up nothing: the match goes on as if these resources had not been requested. Health has them too."""

    @property
    def everything(self) -> tuple[Answer, ...]:
        """All outcomes, also those that hold up nothing."""
        return (*self.answers, *self.unheeded)

    @property
    def changed(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.outcome is Outcome.CHANGED)

    @property
    def good(self) -> frozenset[str]:
        """Names of the resources with a good response, changed or not."""
        return frozenset(answer.resource for answer in self.answers if answer.outcome is not Outcome.FAILED)

    @property
    def fresh_for(self) -> float | None:
        """Seconds until the first of the provider's caches expires, where it says so."""
        return min((answer.fresh_for for answer in self.answers if answer.fresh_for is not None), default=None)

    @property
    def failed(self) -> tuple[Answer, ...]:
        return tuple(answer for answer in self.answers if answer.outcome is Outcome.FAILED)


class ProviderAdapter(Protocol):
    """One endpoint of one provider."""

    @property
    def id(self) -> str: ...

    @property
    def endpoint(self) -> Endpoint: ...

    @property
    def text_resource(self) -> str | None:
        """The resource that holds editorial text only: when it fails, the match goes on at its poll interval."""
        ...

    @property
    def carried_by(self) -> CarriedBy:
        """Part of a match → the resources that carry it; only they confirm that something of it is gone.

        A part that is not listed is carried by all resources but the editorial text.
        """
        ...

    async def resolve(self, selector: Selector) -> str:
        """The id of the match that the selector means. Raises mapping.errors."""
        ...

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        """Fetch the match's resources (the editorial text only with `text`). Never raises for what the provider does."""
        ...

    def translate(self, match_id: str, bodies: Mapping[str, bytes]) -> Match:
        """The match that these last good bodies describe: pure. Raises DownstreamRejected if there is no match in them."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class FixtureLister(Protocol):
    """An adapter that can also list its matches. What cannot be read, or is another day's, is an error, never an empty list."""

    async def fixtures(self, first: date, last: date) -> FixtureList:
        """The matches of these days, both included, in the endpoint's time zone. Raises mapping.errors.ServiceError."""
        ...


class Provider(Protocol):
    """A vendor: its catalogue, and how to make an adapter for an endpoint. Entry-point group `matchwire.providers`."""

    id: str
    catalog: Catalog
    scoreboard: Mapping[str, bool]
    text_sports: frozenset[str]
    """Sports for which the vendor can deliver editorial text (interface: includeTextContent)."""

    def connect(self, endpoint: Endpoint) -> ProviderAdapter: ...


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


class FailedResponse(Exception):
    """What came instead of a good answer, as far as it was read: the cause of the error that is raised, for recordings.

    `status` is 0 where no response came. Its text shows nothing of the body, so that a traceback does not either. Each poll
    makes one, so it has no initialiser.
    """

    status: int = 0
    body: bytes | bytearray = b""
    retry_after: str | None = None

    def __str__(self) -> str:
        return f"status {self.status}, {len(self.body)} bytes"

    @classmethod
    def of(cls, status: int, body: bytes | bytearray, retry_after: str | None = None) -> FailedResponse:
        """What was heard, without what is too much to be kept."""
        heard = cls()
        heard.status, heard.body, heard.retry_after = status, bytes(body[:KEPT_BYTES]), retry_after
        return heard

    def shortened(self) -> FailedResponse:
        return FailedResponse.of(self.status, self.body, self.retry_after)
