"""A request as handlers see it: its query, its document, its caller, and headers of its response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_network
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import structlog
from cachetools import LRUCache
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from api.http.param import Query
from api.http.services import Services
from mapping.documents import strict_json
from mapping.documents.base import Document, describe, field_path, parse
from mapping.errors import Forbidden, InvalidRequest, Unauthorized, Unprocessable
from store.clients.clients import TYPE_PREFIX

log = structlog.get_logger(__name__)

T = TypeVar("T")
DocumentT = TypeVar("DocumentT", bound=Document)

CONTEXT, HEADERS = "matchwire", "matchwire.headers"
"""Names in the ASGI scope."""
CONNECTION = "connection"
"""Where a request's ASGI state names its connection."""
MAX_FIELDS = 100
_QUERIES: LRUCache[bytes, Query] = LRUCache(1024)
KEPT_BYTES = 512
"""Of a query string whose parameters are kept."""
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


def query_of(raw: bytes) -> Query:
    """`parse_query`, which many readers of the same page want of the same bytes; what holds a secret is never kept."""
    known = _QUERIES.get(raw)
    if known is not None:
        return known.copy()
    query = parse_query(raw)
    if len(raw) <= KEPT_BYTES and not any("secret" in name.casefold() for name in query):
        _QUERIES[raw] = query.copy()
    return query


def parse_query(raw: bytes) -> Query:
    """The parameters by name; raises InvalidRequest, with the name as field where one is at fault."""
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=MAX_FIELDS
        )
    except UnicodeDecodeError:
        raise InvalidRequest("the query string is not UTF-8") from None
    except ValueError:
        raise InvalidRequest("the query string has too many parameters") from None
    query: Query = {}
    for name, value in pairs:
        _check(name, value)
        if name in query:
            raise InvalidRequest(f"the parameter {name} is given twice", field=name)
        query[name] = value
    return query


def _check(name: str, value: str) -> None:
    try:
        strict_json.check_text(name)
        strict_json.check_text(value)
    except ValueError as error:
        raise InvalidRequest(str(error)) from None


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
