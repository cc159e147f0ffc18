"""Middleware that finds out who sends a request, a client or a person, and charges its rate limit.

Credentials are taken from wherever the interface allows them and compared in constant time.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from cachetools import LRUCache
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.http.param import Query
from api.http.request import (
    ANY_ORIGIN,
    UNAUTHORIZED,
    Caller,
    Context,
    PeopleDoor,
    Services,
    context_of,
    headers_of,
    network_of,
)
from api.http.routing import Routes
from mapping.errors import Forbidden, InvalidRequest, RateLimited, Unauthorized
from mapping.rules.pacing import TokenBucket
from store.clients import clients
from store.clients.clients import ClientRow
from store.database import Store

LIVE_SECRETS = 2
CACHE_SECONDS = 0.9
CACHE_CLIENTS = 1024
NAMES = ("client_id", "client_secret")
NOBODY = "0" * 64
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
UNCOUNTED = ("/livez", "/readyz", "/static/", "/docs")
"""Paths that need nothing of the store for a client: probes and files."""
MONITORED = "/metrics"
"""Served whatever the limits to clients that may read it; wrong secrets are charged here too."""


KEPT = 10_000
"""Buckets in memory; the one used longest ago is forgotten first, which at worst fills it."""


class Credentials:
    """Authenticates credentials wherever they are given, and charges the client's bucket or else the address's."""

    def __init__(self, app: Routes, services: Services, monotonic: Callable[[], float]) -> None:
        settings = services.settings
        self._app = app
        self._clients = Clients(services.store, monotonic)
        self._by_client = RateLimiter(settings.limits.client_per_second, settings.limits.client_burst, monotonic)
        self._by_address = RateLimiter(
            settings.limits.public_per_second, 2 * settings.limits.public_per_second, monotonic
        )
        self._routes = app
        self._people = services.find(PeopleDoor)
        self._no_sessions = RateLimiter(  # apart from readers, who must not keep out whoever is signed in beside them
            settings.limits.public_per_second, 2 * settings.limits.public_per_second, monotonic
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(UNCOUNTED):
            await self._admit(scope, context_of(scope))
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope, context: Context) -> None:
        address = network_of(scope)
        headers = headers_of(scope)
        try:
            claim = presented_credentials(headers, context.query)
            if claim is not None:
                _check_site(scope["method"], headers)
                known = self._clients.known(claim.client_id)
                if known is None:
                    _charge(context, self._by_address.spent(address))  # who is out of requests costs no read
                    known = await self._clients.find(claim.client_id)
                context.caller = caller_of(known, claim)
            else:
                context.caller = await self._person(scope, headers, context, address)
        except Unauthorized:
            _let_read(context, scope)
            _charge(context, self._by_address.take(address))
            raise
        if scope["path"] == MONITORED:
            return
        if context.caller is not None and context.caller.proven:
            _charge(context, self._by_client.take(context.caller.client_id))
        else:
            try:
                _charge(context, self._by_address.take(address))
            except RateLimited:
                _let_read(context, scope)
                raise

    async def _person(self, scope: Scope, headers: Headers, context: Context, address: str) -> Caller | None:
        """Who is signed in, where that counts; what is no session is charged to its address, and costs no read for ever."""
        context.has_session = "cookie" in headers and self._people is not None and self._people.presents(scope)
        access = self._routes.session_access(scope) if context.has_session else None
        if access is None or self._people is None:
            return None
        _charge(context, self._no_sessions.spent(address))
        person = await self._people.person(scope, page=access == "desk")
        if person is None:
            self._no_sessions.take(address)
        return person


def _let_read(context: Context, scope: Scope) -> None:
    """Let a script of another site read why it is refused, unless it sends a secret: it sees nothing else of an error."""
    if "client_secret" not in context.query and "authorization" not in headers_of(scope):
        context.headers.update(ANY_ORIGIN)


def _check_site(method: str, headers: Headers) -> None:
    """Raise Forbidden for a write that a page of another site has a browser send with the password that it keeps."""
    if method in SAFE:
        return
    basic = headers.get("authorization", "").casefold().startswith("basic ")
    if basic and headers.get("sec-fetch-site") == "cross-site":
        raise Forbidden("a page of another site does not write with a password that the browser keeps; use Bearer")


def _charge(context: Context, taken: Taken | None) -> None:
    if taken is None:
        return
    context.headers.update(taken.headers())
    if not taken.allowed:
        raise RateLimited("too many requests", retry_after=taken.wait)


class Presented(NamedTuple):
    """The credentials in a request; `secret` is None where only the client's id is given."""

    client_id: str
    secret: str | None = None


def presented_credentials(headers: Headers, query: Query) -> Presented | None:
    """The credentials of a request, None where it brings none.

    Raises InvalidRequest when two mechanisms disagree or a parameter is misspelt, Unauthorized for an unusable header.
    """
    for name in query:
        if name not in NAMES and _is_misspelt(name.casefold()):
            raise InvalidRequest(f"{name} is not the name of a parameter; credentials are client_id and client_secret")
    in_header, in_query = _from_header(headers.getlist("authorization")), _from_query(query)
    if in_header is None or in_query is None:
        return in_header or in_query
    same_secret = in_query.secret is None or in_query.secret == in_header.secret
    if in_query.client_id != in_header.client_id or not same_secret:
        raise InvalidRequest("the Authorization header and the query name different credentials")
    return in_header


def _is_misspelt(name: str) -> bool:
    return "client_" in name and name.partition("[")[0].strip() in NAMES


def _from_query(query: Query) -> Presented | None:
    if NAMES[0] not in query and NAMES[1] not in query:
        return None
    return Presented(query.get("client_id", ""), query.get("client_secret"))


def _from_header(values: list[str]) -> Presented | None:
    if not values:
        return None
    if len(values) > 1:
        raise InvalidRequest("the Authorization header is given twice")
    scheme, _, token = values[0].partition(" ")
    match scheme.casefold():
        case "basic":
            client_id, found, secret = _basic(token.strip()).partition(":")
        case "bearer":
            client_id, found, secret = _latin_as_utf8(token.strip()).partition(".")
        case _:
            raise Unauthorized(UNAUTHORIZED)
    if not found:
        raise Unauthorized(UNAUTHORIZED)
    return Presented(client_id, secret)


def _basic(token: str) -> str:
    try:
        return binascii.a2b_base64(token, strict_mode=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise Unauthorized(UNAUTHORIZED) from None


def _latin_as_utf8(token: str) -> str:
    try:
        return token.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise Unauthorized(UNAUTHORIZED) from None


def opens(secret: str, hashes: tuple[str, ...]) -> bool:
    """Whether the secret is one of those hashed; takes the same time whatever the result, also without any hash."""
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    known = (*hashes[-LIVE_SECRETS:], *(NOBODY,) * LIVE_SECRETS)[:LIVE_SECRETS]
    found = [hmac.compare_digest(digest, each) for each in known]
    return secret != "" and any(found)


class KnownClient(NamedTuple):
    """A client that is not revoked: the hashes of its secrets, and the caller it is with one of them and with its id alone."""

    secrets: tuple[str, ...]
    proven: Caller
    named: Caller

    @classmethod
    def of(cls, row: ClientRow) -> KnownClient:
        caller = Caller(
            client_id=row.id,
            organizations=frozenset(row.organizations),
            scopes=frozenset(row.scopes),
            proven=False,
            response_prefix=row.response_prefix,
        )
        return cls(row.secrets, replace(caller, proven=True), caller)


def caller_of(known: KnownClient | None, claim: Presented) -> Caller:
    """The client with these credentials; raises one and the same Unauthorized for an unknown, wrong or revoked one."""
    secret_opens = claim.secret is not None and opens(claim.secret, known.secrets if known else ())
    if known is None or (claim.secret is not None and not secret_opens):
        raise Unauthorized(UNAUTHORIZED)
    return known.proven if secret_opens else known.named


class Clients:
    """The clients of the store, cached for `CACHE_SECONDS`, so that a revoked one is out soon after."""

    def __init__(self, store: Store, monotonic: Callable[[], float]) -> None:
        self._store = store
        self._monotonic = monotonic
        self._known: LRUCache[str, tuple[float, KnownClient | None]] = LRUCache(CACHE_CLIENTS)

    def known(self, client_id: str) -> KnownClient | None:
        """The client where nothing has to be read for it; None where it is not known, or is known to be none."""
        kept = self._known.get(client_id)
        return kept[1] if kept is not None and self._monotonic() < kept[0] else None

    async def find(self, client_id: str) -> KnownClient | None:
        """The client, None for an unknown or revoked one. Raises StoreUnavailable."""
        if not client_id or len(client_id) > 255 or not client_id.isprintable():
            return None
        now = self._monotonic()
        kept = self._known.get(client_id)
        if kept is not None and now < kept[0]:
            return kept[1]
        row = await self._store.read(lambda conn: clients.find(conn, client_id))
        known = None if row is None or row.revoked_at is not None else KnownClient.of(row)
        self._known[client_id] = (now + CACHE_SECONDS, known)
        return known


@dataclass(frozen=True, slots=True)
class Taken:
    """The outcome of one request: allowed or not, and what is left. `wait` is seconds until the next token."""

    allowed: bool
    limit: int
    remaining: int
    wait: float

    def headers(self) -> dict[str, str]:
        """`RateLimit-Limit`, `-Remaining` and `-Reset` (seconds until one more request is possible)."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(math.ceil(self.wait)),
        }


class RateLimiter:
    """One bucket a name, holding at most `burst` tokens and gaining `rate` a second; a rate of 0 never refuses."""

    def __init__(self, rate: float, burst: float, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._monotonic = monotonic
        self._buckets: LRUCache[str, TokenBucket] = LRUCache(KEPT)

    def take(self, name: str) -> Taken | None:
        """Take a token out of the bucket; None where there is no limit."""
        if self._rate <= 0:
            return None
        now = self._monotonic()
        bucket = self._buckets.setdefault(name, TokenBucket(self._rate, self._burst))
        allowed = bucket.take(now)
        return Taken(allowed, int(self._burst), int(bucket.level(now)), bucket.wait(now))

    def spent(self, name: str) -> Taken | None:
        """That nothing is left in the bucket, None while something is; nothing is taken."""
        bucket = self._buckets.get(name) if self._rate > 0 else None
        now = self._monotonic()
        if bucket is None or bucket.level(now) >= 1:
            return None
        return Taken(allowed=False, limit=int(self._burst), remaining=0, wait=bucket.wait(now))
