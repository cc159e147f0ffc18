"""The HTTP client of provider endpoints: connections, one conditional GET, and the error that each failure means.

Nothing is trusted: one time-out covers the whole request, sizes count decompressed bytes, redirects are not followed,
and no message carries a URL, a credential or a body.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from base64 import b64encode
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import httpx

from mapping.errors import BadBody, DownstreamRejected, MatchUnknown, ProviderRefused, ServiceError, UpstreamUnavailable
from mapping.rules.pacing import parse_retry_after
from providers.base import Endpoint, FailedResponse
from providers.responses import obstacle_of, read_body, within

if TYPE_CHECKING:
    import aiohttp
    import yarl


T = TypeVar("T")

ADDRESSES = 8192
"""Per endpoint: addresses that are kept made up, so that only those of matches that are not polled any more are lost."""

KEEP_ALIVE = 75.0
"""Seconds that an idle connection is kept: longer than the breaks between two polls."""

REFUSED_FOR = 300.0
"""Seconds for which a text or line-ups that are not booked are not requested again; less than a whole match keeps away."""

MAX_REFUSALS = 4096
"""Paths that are kept for each endpoint; of more the oldest are forgotten."""

RETRY_AFTER = (1.0, 3600.0)
"""Bounds, in seconds, of what a provider may make us wait."""


CHUNK = 16 * 1024
"""Bytes of a body that are read at a time."""
GLANCE = (16 * 1024, 0.25)
"""Bytes and seconds for which an answer of another status is looked at."""

NOT_WELCOME = "the provider refuses the credentials"
LATE = "the provider did not answer in time"
BROKEN = "the connection to the provider failed"
UNREACHABLE = {
    "DNS": "the provider's name does not resolve",
    "TLS": "the provider's certificate or TLS is not accepted",
    "no route": "no network leads to the provider",
    "refused": "the provider's machine refuses connections",
}
"""What is in the way (providers.responses) → what is said of it; anything else is `BROKEN`."""
MAX_FRESH = 86_400.0
MAX_ETAG = 512
SECONDS = re.compile(r"[+-]?[0-9]{1,12}", re.ASCII)
LENGTH = re.compile(r"[0-9]{1,18}", re.ASCII)
MAX_AGE = re.compile(r"(?:^|[,\s])max-age\s*=\s*\"?([0-9]{1,10})", re.ASCII | re.IGNORECASE)
UNCACHED = re.compile(r"(?:^|[,\s])no-(?:store|cache)\b", re.IGNORECASE)

HEADERS = {
    name.lower().encode(): name
    for name in ("ETag", "Cache-Control", "Age", "Retry-After", "Content-Encoding", "Content-Length")
}


class Throttled(UpstreamUnavailable):
    """The provider answered 429; trying again at once would make it worse."""


REFUSALS: Mapping[int, tuple[type[ServiceError], str]] = {
    401: (ProviderRefused, NOT_WELCOME),
    403: (ProviderRefused, NOT_WELCOME),
    404: (MatchUnknown, "the provider does not know the match"),
    408: (UpstreamUnavailable, "the provider did not get the request in time"),
    410: (MatchUnknown, "the provider does not know the match"),
    425: (UpstreamUnavailable, "the provider wants the request later"),
    429: (Throttled, "the provider asks for fewer requests"),
}
"""Status codes with a meaning of their own."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Paths that an endpoint refused lately, so that polls do not request them every few seconds for the rest of a match.

    `until`: the oldest first, each with the monotonic second from which it may be requested again.
    """

    until: dict[str, float] = field(default_factory=dict)

    def covers(self, path: str) -> bool:
        """Whether a request for the path would only be refused again."""
        return bool(self.until) and time.monotonic() < self.until.get(path, 0.0)

    def add(self, path: str) -> None:
        self.remove(path)
        self.until[path] = time.monotonic() + REFUSED_FOR
        while len(self.until) > MAX_REFUSALS:
            del self.until[next(iter(self.until))]

    def remove(self, path: str) -> None:
        """The path was not refused this time."""
        self.until.pop(path, None)


@dataclass(slots=True)
class Client:
    """The connections to one endpoint. `timeout` (seconds) and `max_body` (decompressed bytes) bound each request.

    Requests go to httpx's transport itself: what httpx's client does for each one (joining URLs, merging headers, looking
    for cookies, redirects and credentials to be refreshed) is done once here or not wanted, and costs more than the request.
    Polls that ask whether anything is new, by far the most, go to the session below that transport: its request and
    response, made for httpx and back, cost a fifth of such a poll. Both use the same connections.
    """

    connections: int
    url: Callable[[str], yarl.URL]
    """The whole address of a path below the endpoint's base URL."""
    headers: dict[str, str]
    gate: asyncio.Semaphore
    timeout: float
    max_body: int
    refusals: Refusals = field(default_factory=Refusals)
    opened: httpx.AsyncBaseTransport | None = None

    @property
    def transport(self) -> httpx.AsyncBaseTransport:
        """The connection pool: up to `connections`, made for the first request: what they need takes long to load."""
        if self.opened is None:
            from httpx_aiohttp import AiohttpTransport

            context = _tls_context()
            self.opened = AiohttpTransport(verify=context, client=partial(_session, context, self.connections))
        return self.opened

    @property
    def session(self) -> aiohttp.ClientSession | None:
        """What the transport sends through; None before its first request, and where another one stands for the provider."""
        made: aiohttp.ClientSession | Callable[[], aiohttp.ClientSession] | None = getattr(
            self.transport, "client", None
        )
        return None if callable(made) else made

    def header_fields(self, etag: str | None = None) -> dict[str, str]:
        """What a request says, with the condition that the body is not the one of this `etag`."""
        return {**self.headers, "If-None-Match": etag} if etag else self.headers

    async def aclose(self) -> None:
        if self.opened is not None:
            await self.opened.aclose()


@cache
def _tls_context() -> ssl.SSLContext:
    """One for all endpoints: reading the certificates of the authorities takes as long as some hundred requests."""
    return httpx.create_ssl_context(trust_env=False)


def _session(context: ssl.SSLContext, connections: int) -> aiohttp.ClientSession:
    """Made inside the loop on the first request. Cookies are kept neither here nor in the client."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections, keepalive_timeout=KEEP_ALIVE, ssl=context),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(),
        auto_decompress=False,
        trust_env=False,
    )


def transport_errors() -> tuple[type[Exception], ...]:
    """What a request fails with on its way."""
    import aiohttp

    return (httpx.HTTPError, httpx.InvalidURL, aiohttp.ClientError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """200 with a body, or 304 without. `fresh_for`: seconds until the provider's cache expires, where it says so."""

    status: int
    body: bytes = b""
    etag: str | None = None
    fresh_for: float | None = None


def _address(base: httpx.URL, path: str) -> yarl.URL:
    """`path`, which may hold a query, below the base's own path."""
    import yarl

    below, _, query = path.lstrip("/").partition("?")
    whole = base.copy_with(path=f"{base.path.rstrip('/')}/{below}", query=query.encode() if query else None)
    return yarl.URL(str(whole))


def _headers(base: httpx.URL, auth: tuple[str, str] | None, user_agent: str, accept: str) -> Iterator[tuple[str, str]]:
    """What each request says; what belongs to the connection is the transport's."""
    yield "Host", base.netloc.decode("ascii")
    yield "Accept", accept
    yield "Accept-Encoding", "gzip"
    yield "User-Agent", user_agent
    if auth is not None:
        yield "Authorization", "Basic " + b64encode(":".join(auth).encode()).decode("ascii")


def client_of(endpoint: Endpoint, *, auth: tuple[str, str] | None = None, accept: str = "application/json") -> Client:
    """The client of an adapter's endpoint, whose base URL may hold user and password; `accept`: the type of its bodies."""
    base = httpx.URL(endpoint.base_url)
    if base.userinfo:
        auth = auth or (base.username, base.password)
        base = base.copy_with(userinfo=b"")
    return Client(
        connections=endpoint.connections,
        url=lru_cache(ADDRESSES)(partial(_address, base)),
        headers=dict(_headers(base, auth, endpoint.user_agent, accept)),
        gate=asyncio.Semaphore(endpoint.connections),
        timeout=endpoint.timeout,
        max_body=endpoint.provider_bytes,
    )


async def get(client: Client, path: str, etag: str | None = None) -> Reply:
    """GET `path` below the endpoint's base URL, conditionally where an `etag` is known.

    Raises ProviderRefused (401, 403), MatchUnknown (404, 410), Throttled (429), DownstreamRejected (any other 4xx: we
    requested something the provider does not take), BadBody (too large, unknown encoding, cut off) and
    UpstreamUnavailable (5xx, redirects, time-outs, broken connections).
    """
    async with client.gate:  # waiting for a place is not the provider's fault and does not count
        heard = FailedResponse()
        try:
            async with asyncio.timeout(client.timeout):
                return await _exchange(client, path, etag, heard)
        except transport_errors() as error:
            # The transport calls every connection error a time-out; what it was stands behind it.
            late = isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError)
            message = LATE if late else UNREACHABLE.get(obstacle_of(error), BROKEN)
            raise UpstreamUnavailable(message) from heard.shortened()
        except ServiceError as error:
            raise error from heard.shortened()


class Exchange(NamedTuple):
    """A response under way: the fields of its head, and its body as it comes, undecoded."""

    status: int
    fields: Iterable[tuple[bytes, bytes]]
    body: AsyncIterable[bytes]
    close: Callable[[], Awaitable[None]]


async def _send(client: Client, path: str, etag: str | None) -> Exchange:
    """The beginning of the response. Raises `transport_errors`."""
    session = client.session if etag else None
    if session is None:
        return await _sent_by_httpx(client, path, etag)
    response = await session.get(client.url(path), headers=client.header_fields(etag), allow_redirects=False)

    async def close() -> None:
        response.release()
        await response.wait_for_close()

    return Exchange(response.status, response.raw_headers, response.content.iter_chunked(CHUNK), close)


async def _sent_by_httpx(client: Client, path: str, etag: str | None) -> Exchange:
    request = httpx.Request("GET", str(client.url(path)), headers=client.header_fields(etag))
    response = await client.transport.handle_async_request(request)
    # Not `aiter_raw`: a test double has read the body before.
    body = cast("AsyncIterable[bytes]", response.stream)
    return Exchange(response.status_code, response.headers.raw, body, response.aclose)


async def _exchange(client: Client, path: str, etag: str | None, heard: FailedResponse) -> Reply:
    response = await _send(client, path, etag)
    try:
        head = _head(response.fields)
        heard.status = response.status
        unchanged = etag is not None and response.status == httpx.codes.NOT_MODIFIED
        if response.status != httpx.codes.OK and not unchanged:
            await _glance(response, head, heard)
            raise error_for(response.status, head)
        fresh_for = freshness(head)
        if unchanged:
            return Reply(status=304, etag=_etag(head) or etag, fresh_for=fresh_for)
        promised = head.get("Content-Length", "")
        if LENGTH.fullmatch(promised):
            within(int(promised), client.max_body)
        heard.body = read = bytearray()
        body = await read_body(response.body, head.get("Content-Encoding", ""), client.max_body, read)
        return Reply(status=200, body=body, etag=_etag(head), fresh_for=fresh_for)
    finally:
        await response.close()


async def _glance(response: Exchange, head: Mapping[str, str], heard: FailedResponse) -> None:
    """What a provider says when it refuses: the beginning, for a moment, and nothing that goes wrong with it matters."""
    size, seconds = GLANCE
    heard.retry_after = head.get("Retry-After")
    with suppress(*transport_errors(), BadBody):
        async with asyncio.timeout(seconds):
            heard.body = body = bytearray()
            await read_body(response.body, head.get("Content-Encoding", ""), size, body)


def _head(fields: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The headers that matter here, in one pass: a mapping of headers looks through all of them for each name."""
    found: dict[str, str] = {}
    for key, value in fields:
        name = HEADERS.get(key.lower())
        if name is not None:
            text = value.decode("latin-1")
            found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def error_for(code: int, headers: Mapping[str, str], now: float | None = None) -> ServiceError:
    """The error that a status code other than 200 means. `now` (Unix seconds) only matters for a dated Retry-After."""
    wait = retry_after(headers.get("Retry-After"), time.time() if now is None else now)
    if code in REFUSALS:
        kind, message = REFUSALS[code]
        return kind(message, retry_after=wait if issubclass(kind, UpstreamUnavailable) else None)
    if httpx.codes.is_redirect(code) and code != httpx.codes.NOT_MODIFIED:
        return UpstreamUnavailable("the provider redirects: refused")
    if httpx.codes.is_client_error(code):
        return DownstreamRejected(f"the provider rejects the request ({code})")
    if httpx.codes.is_server_error(code):
        return UpstreamUnavailable(f"the provider is unavailable ({code})", retry_after=wait)
    return BadBody(f"the provider's answer cannot be used ({code})")


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait from a `Retry-After` of either form, within RETRY_AFTER; None where it makes no sense."""
    seconds = parse_retry_after(value, now)
    if seconds is None:
        return None
    shortest, longest = RETRY_AFTER
    return min(max(seconds, shortest), longest)


def freshness(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer stays fresh: `max-age` less `Age`; None where the provider does not say."""
    return _fresh(headers.get("Cache-Control", ""), headers.get("Age", "0").strip())


@lru_cache(maxsize=1024)
def _fresh(control: str, age: str) -> float | None:
    if UNCACHED.search(control):
        return 0.0
    found = MAX_AGE.search(control)
    if found is None:
        return None
    spent = float(age) if SECONDS.fullmatch(age) else 0.0
    return min(max(float(found[1]) - max(spent, 0.0), 0.0), MAX_FRESH)


def _etag(headers: Mapping[str, str]) -> str | None:
    """The validator, if it can be sent back as it is."""
    value = headers.get("ETag", "")
    return value if value and len(value) <= MAX_ETAG and value.isascii() and value.isprintable() else None


def _worth_repeating(error: Exception) -> bool:
    return isinstance(error, UpstreamUnavailable) and not isinstance(error, Throttled)


async def patient(call: Callable[[], Awaitable[T]]) -> T:
    """`call`, and up to two more times after short pauses while the provider is unavailable (not when it throttles us).

    For somebody who waits for the answer; polls come again by themselves.
    """
    import stamina

    async for attempt in stamina.retry_context(
        on=_worth_repeating, attempts=3, timeout=None, wait_initial=0.2, wait_max=1.0, wait_jitter=0.3
    ):
        with attempt:
            return await call()
    raise AssertionError("unreachable")  # pragma: no cover -- the loop returns or raises
