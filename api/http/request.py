"""A request as handlers see it: its query, its document, its caller, and the services by which it is answered.

The middleware puts the context and the caller into the ASGI scope, the daemon hands over the services; handlers and operations
take both from here.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address, ip_network
from typing import Any, Protocol, TypeVar, cast

import structlog
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from api.http.param import Query
from config import Settings
from config.organizations import FollowEntry
from mapping.documents import strict_json
from mapping.documents.base import Document, describe, field_path, parse
from mapping.errors import Forbidden, InvalidRequest, Unauthorized, Unprocessable
from mapping.follow.preview import RulePreview
from mapping.match.fixture import FixtureDay
from store.clients.clients import TYPE_PREFIX
from store.clients.service_keys import Keys
from store.database import Store
from store.files.storage import FileStore
from store.following.import_request import FoundStandby, ImportRequest, StandbyRequest

log = structlog.get_logger(__name__)

T = TypeVar("T")
DocumentT = TypeVar("DocumentT", bound=Document)

CONTEXT, HEADERS = "matchwire", "matchwire.headers"
"""Names in the ASGI scope."""
CONNECTION = "connection"
"""Where a request's ASGI state names its connection."""
ANY_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Date, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After",
}
"""Scripts of other sites may read what anybody may read who sends no secret, and learn what the server's clock says."""
UNAUTHORIZED = "the credentials are missing or not valid"
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]{0,31})::", re.ASCII)
_OURS = f'"_type":"{TYPE_PREFIX}::'.encode()
"""In compact JSON a text cannot hold this: quotes in a text are escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A known client; `proven` when it gave its secret, else only its public id is known."""

    client_id: str
    organizations: frozenset[str]
    scopes: frozenset[str]
    proven: bool
    response_prefix: str = TYPE_PREFIX
    """How responses to it begin the names of types."""

    def demand(self, *scopes: str) -> None:
        """Raise Unauthorized without a secret, Forbidden without one of `scopes`."""
        if not self.proven:
            raise Unauthorized(UNAUTHORIZED)
        if not self.scopes.intersection(scopes):
            raise Forbidden(f"the client lacks the scope {' or '.join(scopes)}")

    def demand_organization(self, organization_id: str) -> None:
        """Raise Forbidden when the organization is not among the client's."""
        if organization_id not in self.organizations:
            raise Forbidden("the client has no access to this organization")


@dataclass(slots=True, kw_only=True)
class Context:
    """One request: its id and parameters, the cache of reads, its caller, and headers of its response."""

    request_id: str
    query: Query
    body_bytes: int
    """Largest body; a handler that takes files sets its own limit before it reads."""
    route: str = ""
    """The path of the route that serves it, with its parameters' names."""
    counted: bool = False
    """Whether the log counts it as it counts reads, because there are as many."""
    caller: Caller | None = None
    sent_prefix: str | None = None
    """How the document of the request begins the name of its type."""
    written: str | None = None
    """What a committed write was about, for the audit."""
    headers: dict[str, str] = field(default_factory=dict)
    has_session: bool = False
    """Whether the browser keeps a session, open or ended: then it opens no window of its own for a password."""

    @property
    def response_prefix(self) -> str:
        """How the response begins the names of types."""
        return self.sent_prefix or (TYPE_PREFIX if self.caller is None else self.caller.response_prefix)


class Importer(Protocol):
    """The port of the sync: what wants a provider's match. All raise the errors of `mapping.errors`."""

    async def create(self, request: ImportRequest) -> str:
        """Create the liveblog, or attach it; returns its `ticker_id`."""

    async def preview(self, request: ImportRequest) -> dict[str, Any]:
        """What the match of the request holds, as an `ExternalPreview`; nothing is made of it."""

    async def fixtures(self, organization_id: str, provider: str, day: str) -> FixtureDay:
        """The provider's list of that day: `yesterday`, `today`, `tomorrow`, or a date as ISO 8601 writes it."""

    async def find_standby(self, wanted: StandbyRequest) -> FoundStandby:
        """The match that is to stand by, as its provider gives it now."""

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Have these matches looked at, once the unit that named them is committed."""

    def check_text(self, organization_id: str, provider: str, sport: str) -> None:
        """Raise InvalidRequest where an organization gets no text content from a provider for a sport."""


@dataclass(frozen=True, slots=True)
class RuleEngine:
    """The port of the follow rules: why one could not work, field by field, what an organization's make, have them looked at."""

    faults: Callable[[FollowEntry], Iterable[tuple[tuple[object, ...], str]]]
    preview: Callable[[str], Awaitable[RulePreview]]
    look_again: Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Services:
    """Everything the API works with; `clock` gives Unix seconds, `organizations` the name of an id or None."""

    store: Store
    settings: Settings
    importer: Importer
    organizations: Callable[[str], str | None]
    ready: Callable[[], Awaitable[Mapping[str, Any]]]
    """Facts about the parts of the process; a false `ready` among them means not ready."""
    clock: Callable[[], float]
    providers: frozenset[str]
    event_types: frozenset[str]
    keys: Keys
    files: FileStore
    """The files that clients have uploaded."""
    check_address: Callable[[str, str], Awaitable[bool]] | None = None
    """Whether an address may be called now that a client of the organization names; without it only its form is checked,
    and it is checked at each connection anyway."""
    check_file_address: Callable[[str, str], Awaitable[bool]] | None = None
    """The same for the address of a file, where a name that does not resolve now passes."""
    metrics: Callable[[str], tuple[bytes, str]] | None = None
    """The numbers for Prometheus in a form that an `Accept` header names, and their content type."""
    status: Callable[[], Awaitable[Mapping[str, Any]]] | None = None
    """What `/status` shows."""
    last_answers: Callable[[], Mapping[str, float]] | None = None
    """When each match that this process follows had its last good answer (Unix seconds), by the id of its follow."""
    parts: Mapping[type, object] = field(default_factory=dict)
    """What capabilities keep in this process, each by its type and by those that it extends."""

    def __getitem__(self, kind: type[T]) -> T:
        """The part of this type; raises KeyError where there is none."""
        return cast("T", self.parts[kind])

    def find(self, kind: type[T]) -> T | None:
        """The part of this type, None where this process does without."""
        return cast("T | None", self.parts.get(kind))

    def having(self, *parts: object) -> Services:
        """These services with further parts, each in place of one of its type; None is no part."""
        kinds = {kind: each for each in parts if each is not None for kind in type(each).__mro__[:-1]}
        return replace(self, parts={**self.parts, **kinds})


class ApiRequest(Request):
    """A request whose caller has been let in."""

    @property
    def services(self) -> Services:
        services: Services = self.scope["services"]
        return services

    @property
    def headers(self) -> RequestHeaders:
        return headers_of(self.scope)

    @property
    def accept_encoding(self) -> str:
        accepted: str = self.headers.get("accept-encoding", "")
        return accepted

    @property
    def context(self) -> Context:
        return context_of(self.scope)

    @property
    def query(self) -> Query:
        """The parameters of the query, each given once."""
        return self.context.query

    @property
    def caller(self) -> Caller:
        """The client that gave its secret; raises Unauthorized."""
        caller = self.context.caller
        if caller is None or not caller.proven:
            raise Unauthorized(UNAUTHORIZED)
        return caller

    @property
    def network(self) -> str:
        """What counts as the one who sends it, as `client_network` says; empty where that is not known."""
        return network_of(self.scope)

    @property
    def organization_id(self) -> str:
        """The organization that the path names."""
        return str(self.path_params["organizationId"])

    async def document(self, model: type[DocumentT]) -> DocumentT:
        """The document in the body; raises InvalidRequest, or Unprocessable with the field at fault."""
        return parse_document(model, await self.json())

    async def json(self) -> dict[str, Any]:
        """The JSON object in the body; raises InvalidRequest or Unprocessable."""
        found = read_body(await self.body())
        self.context.sent_prefix = prefix_in(found)
        return found

    def audit(
        self, operation: str, *, liveblog: str | None = None, version: int | None = None, record: str | None = None
    ) -> None:
        """Log `audit.write` for a write that is committed: who wrote what, at which version."""
        self.context.written = " ".join(filter(None, (liveblog, record)))
        log.info(
            "audit.write",
            client=self.caller.client_id,
            operation=operation,
            liveblog=liveblog,
            version=version,
            request_id=self.context.request_id,
            **({} if record is None else {"record": loggable(record)}),
        )


def context_of(scope: Scope) -> Context:
    """The context that the request limits have put into the scope."""
    context: Context = scope[CONTEXT]
    return context


class RequestHeaders(Headers):
    """The headers of a request, with a quick answer where there is none of a name, as most requests have few."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope=scope)
        self._names = {name.decode("latin-1") for name, _ in scope["headers"]}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._names

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key.lower() in self._names else default

    def getlist(self, key: str) -> list[str]:
        return super().getlist(key) if key.lower() in self._names else []


def headers_of(scope: Scope) -> RequestHeaders:
    """The headers of the request, read once."""
    known: RequestHeaders | None = scope.get(HEADERS)
    if known is None:
        known = scope[HEADERS] = RequestHeaders(scope)
    return known


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object in a body, whatever its Content-Type says; raises InvalidRequest or Unprocessable."""
    try:
        value = strict_json.loads(body)
    except ValueError as error:
        raise InvalidRequest(f"the body is refused: {error}") from None
    if not isinstance(value, dict):
        raise Unprocessable("the body should be a JSON object")
    return value


def parse_document(model: type[DocumentT], body: dict[str, Any]) -> DocumentT:
    """The body as a document; raises Unprocessable with the path of the first field at fault."""
    try:
        return parse(model, body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise Unprocessable(describe(first), field=field_path(first) or None) from None


def plain_address(text: str) -> str:
    """An address without its zone, and one of IPv4 as such also where the socket speaks IPv6."""
    bare = text.partition("%")[0]
    return bare.removeprefix("::ffff:") if "." in bare else bare


def client_network(address: str) -> str:
    """What counts as one client: an address, with IPv6 the network of 64 bits that a customer usually gets."""
    if ":" not in address:
        return address
    try:
        mapped = IPv6Address(address).ipv4_mapped  # how a proxy may write an address of IPv4
        return str(mapped or ip_network((address, 64), strict=False))
    except ValueError:
        return address


def network_of(scope: Scope) -> str:
    """What counts as the one client that sends a request; empty where that is not known."""
    return client_network(scope["client"][0]) if scope.get("client") else ""


def loggable(text: str) -> str:
    """Text of a stranger on one line and in ASCII, at most 200 characters: a log line must not break, nor be forged."""
    return text[:200].encode("unicode_escape").decode("ascii")


def prefix_in(document: Mapping[str, Any]) -> str | None:
    """How the document begins the name of its own type; None where it has none."""
    kind = document.get("_type")
    found = _NAME.match(kind) if isinstance(kind, str) else None
    return found[1] if found else None


def rename_in_json(body: bytes, prefix: str) -> bytes:
    """The compact JSON with all names of types beginning with `prefix`."""
    return body if prefix == TYPE_PREFIX else body.replace(_OURS, f'"_type":"{prefix}::'.encode())


def rename_types(response: Response, prefix: str) -> None:
    """Let all names of types in a JSON response begin with `prefix`; one that is kept encoded was made so."""
    encoded = "content-encoding" in response.headers
    if prefix == TYPE_PREFIX or encoded or response.media_type != "application/json":
        return
    response.body = rename_in_json(bytes(response.body), prefix)
    response.headers["content-length"] = str(len(response.body))


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPerson(Caller):
    """Somebody who is signed in. `client_id` is the account's id, which no client has; `organization_id` the only one."""

    name: str
    role: str
    organization_id: str
    session_id: str


class PeopleDoor:
    """Knows people by the sessions of their browsers. This one knows nobody: the desk has one that does."""

    async def person(self, scope: Scope, *, page: bool) -> DeskPerson | None:  # noqa: ARG002 -- for those that know somebody
        """Who sends the request, None for nobody; `page`: a page of the desk, to which links of other sites may lead.

        Raises Forbidden for a write that another site has made a browser send.
        """
        return None

    def presents(self, scope: Scope) -> bool:  # noqa: ARG002 -- as above
        """Whether the request brings what a session is known by."""
        return False

    async def record(self, person: DeskPerson, operation: str, target: str) -> None:
        """Write down what the person has done."""
