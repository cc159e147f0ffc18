"""The outermost middleware: gives each request an id, limits and a line in the log, and each response safe headers.

What is served is written down here too: ordinary reads are counted, everything else has a line of its own in the log. Where
traces are sent, each request has a span as well, below the one that its `traceparent` names.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import count

import structlog
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import SAFE_HEADERS, URL_BYTES, HeadersTooLarge, InternalError, UnsupportedEncoding, UriTooLong
from api.http.param import query_of
from api.http.request import CONTEXT, Context, headers_of, loggable
from api.page.page_frame import response_to
from config.sections import Logging
from mapping.errors import InvalidRequest, PayloadTooLarge, ServiceError, StoreUnavailable
from store.engine import spans
from store.engine.loops import LoggedLoop, repeat

log = structlog.get_logger(__name__)

SECRET = re.compile(r"(client_secret|api_key|password)=[^&\s'\"]+", re.IGNORECASE)

NO_RESPONSE = 499
"""The status of a request whose sender has gone away before there was one."""
HEADER_FIELDS = 100
VERSIONS = {"1.0", "1.1", "2", "3"}
"""Of HTTP, as ASGI names them."""
REQUEST_ID = b"x-request-id"


EVERY = 60.0
"""Seconds between two lines with counts."""
METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "DELETE"})
READS = frozenset({"GET", "HEAD"})
SPAN = "matchwire.span"
"""Where a scope has the request's span, if one is made: the request log says on it what was served."""
HEADER = b"traceparent"
PROPAGATOR = TraceContextTextMapPropagator()


class RequestLimits:
    """ASGI middleware around everything else."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        request_log: RequestLog,
        body_bytes: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._monotonic = monotonic
        self._request_log = request_log
        self._process = secrets.token_hex(4)
        self._requests = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = f"{self._process}{next(self._requests):08x}"
        context = Context(request_id=request_id, query={}, body_bytes=self._body_bytes)
        began = self._monotonic()
        reply = Reply(send, context, self._monotonic, head=scope["method"] == "HEAD")
        try:
            self._check(scope, context)
            context.query = query_of(scope["query_string"])
            await self._app({**scope, CONTEXT: context}, limit_body(receive, scope, context), reply.send)
        except ServiceError as error:
            await self._respond(error, scope, receive, reply)
        except ClientDisconnect:
            pass
        except asyncio.CancelledError:
            # The process stops and waits no longer; the server would log it as a fault of ours.
            await self._respond(StoreUnavailable("the service is going down", retry_after=1), scope, receive, reply)
        except Exception as error:  # noqa: BLE001 -- the last resort: whatever went wrong, the caller learns nothing of it
            _log_failed(scope, context, error)
            await self._respond(InternalError(), scope, receive, reply)
        finally:
            ended = self._monotonic()
            status = NO_RESPONSE if reply.status is None else reply.status
            self._request_log.served(scope, context, status, first=(reply.began or ended) - began, whole=ended - began)

    def _check(self, scope: Scope, context: Context) -> None:
        if len(_raw_path(scope)) + len(scope["query_string"]) > URL_BYTES:
            raise UriTooLong(f"the URL is longer than {URL_BYTES} bytes")
        fault = _fault_of_head(scope)
        if fault is not None:
            context.headers["Connection"] = "close"
            raise fault
        if "\0" in scope["path"]:
            raise InvalidRequest("the path contains a NUL character")
        encoding = headers_of(scope).get("content-encoding", "identity").strip().casefold()
        if encoding not in {"", "identity"}:
            raise UnsupportedEncoding("the body must not be compressed")

    async def _respond(self, error: ServiceError, scope: Scope, receive: Receive, reply: Reply) -> None:
        if reply.status is None:  # too late for another response once one has begun
            response = response_to(error, scope, _raw_path(scope).count(b"/"), has_session=reply.context.has_session)
            await response(scope, receive, reply.send)


def _raw_path(scope: Scope) -> bytes:
    """The path as it was sent."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
    return raw


def _fault_of_head(scope: Scope) -> ServiceError | None:
    """What a parser lets through and should not: readers on the way could see another request in it."""
    names = [name for name, _ in scope["headers"]]
    version = scope["http_version"]
    if len(names) > HEADER_FIELDS:
        return HeadersTooLarge(f"the request has more than {HEADER_FIELDS} header fields")
    if version not in VERSIONS:
        return InvalidRequest("this server speaks HTTP/1.1")
    if names.count(b"host") != 1 and (version != "1.0" or b"host" in names):
        return InvalidRequest("a request has exactly one Host header")
    if b"transfer-encoding" in names and (
        version == "1.0" or headers_of(scope)["transfer-encoding"].lower() != "chunked"
    ):
        return InvalidRequest("the only transfer encoding that is understood is chunked, in HTTP/1.1")
    return None


@lru_cache(maxsize=1024)
def _field(name: str, value: str) -> tuple[bytes, bytes]:
    """A header as ASGI sends it; most responses have the same few."""
    return name.lower().encode("latin-1"), value.encode("latin-1")


class Reply:
    """Sends a response with the headers that all of them carry, and without its body where only the head was requested."""

    def __init__(self, send: Send, context: Context, monotonic: Callable[[], float], *, head: bool) -> None:
        self._send = send
        self.context = context
        self._monotonic = monotonic
        self._head = head
        self.status: int | None = None
        self.began: float | None = None
        """When the response began, by the monotonic clock."""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.began = message["status"], self._monotonic()
            headers: list[tuple[bytes, bytes]] = message["headers"]  # Starlette's responses name them in lower case
            present = {name for name, _ in headers}
            ours = [_field(name, value) for name, value in self.context.headers.items()]
            added = [pair for pair in (*SAFE_HEADERS, *ours) if pair[0] not in present]
            message["headers"] = [*headers, *added, (REQUEST_ID, self.context.request_id.encode())]
        elif self._head:
            message = {**message, "body": b""}
        await self._send(message)


def limit_body(receive: Receive, scope: Scope, context: Context) -> Receive:
    """`receive` that raises PayloadTooLarge beyond `context.body_bytes`, by the announced length or, chunked, by counting."""
    announced = headers_of(scope).get("content-length", "")
    length = int(announced[:16]) if announced.isdigit() else 0
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = {} if length > context.body_bytes else await receive()
        seen += len(message.get("body", b""))
        if max(length, seen) > context.body_bytes:
            raise PayloadTooLarge(f"the body is larger than {context.body_bytes} bytes")
        return message

    return receive_limited


def _log_failed(scope: Scope, context: Context, error: Exception) -> None:
    # As text: a renderer that shows the values of local variables would show secrets.
    trace = SECRET.sub(r"\1=…", "".join(traceback.format_exception(error)))
    log.error("request.failed", request_id=context.request_id, path=loggable(scope["path"]), trace=trace)


class RequestLog:
    """Counts of one process by (method, route, status).

    A read that is answered in less than `slow_request` seconds is counted, and so is a request that the context says is
    counted alone; one that is slower, refused or failed has a line too, and so does every other request. With `each`
    every request has one, at the level `debug`.
    """

    def __init__(self, slow_request: float, *, each: bool = False) -> None:
        self._slow_request = slow_request
        self._each = each
        self._reported: Counter[tuple[str, str, int]] = Counter()
        self.counts: Counter[tuple[str, str, int]] = Counter()
        """Requests since the start. Methods and routes that this service does not have are all `other`."""

    def served(self, scope: Scope, context: Context, status: int, *, first: float, whole: float) -> None:
        """Note a request whose response began after `first` seconds and was complete after `whole`."""
        method: str = scope["method"]
        key = method if method in METHODS else "other", context.route or "other", status
        self.counts[key] += 1
        if SPAN in scope:
            _describe(scope[SPAN], key, context.request_id, first)
        ordinary = (method in READS or context.counted) and status < 400 and first < self._slow_request
        if not ordinary or self._each:
            _write(log.debug if ordinary else log.info, scope, context, status, whole)

    @classmethod
    def of(cls, settings: Logging) -> RequestLog:
        """The log that the settings ask for."""
        return cls(settings.slow_request, each=settings.level == "debug")

    async def run(self) -> None:
        """Until cancelled: now and then one line with what has been served since the last one, if anything has."""
        try:
            await repeat(self._turn, LoggedLoop("request log"))
        finally:
            self.report()

    async def _turn(self) -> None:
        await asyncio.sleep(EVERY)
        self.report()

    def report(self) -> None:
        """Log the counts since the last report."""
        fresh = self.counts - self._reported
        if fresh:
            self._reported = self.counts.copy()
            log.info("requests.served", counts={" ".join(map(str, key)): count for key, count in fresh.items()})


def _write(write: Callable[..., None], scope: Scope, context: Context, status: int, whole: float) -> None:
    """The request's line, without the query, which may hold the client's secret."""
    write(
        "request.served",
        request_id=context.request_id,
        method=loggable(scope["method"]),
        path=loggable(scope["path"]),
        status=status,
        milliseconds=round(whole * 1000, 1),
        client=context.caller.client_id if context.caller else None,
    )


def _describe(span: Span, key: tuple[str, str, int], request_id: str, first: float) -> None:
    """Say on the request's span what is known of it once it is served; `key` as in the counts."""
    method, route, status = key
    span.update_name(f"{method} {route}")
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("matchwire.request_id", request_id)
    span.set_attribute("matchwire.first_byte_seconds", first)
    spans.mark(span, failed=status >= 500)


class RequestSpans:
    """ASGI middleware around everything that a request does."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        carrier = {HEADER.decode(): value.decode("latin-1") for name, value in scope["headers"] if name == HEADER}
        with spans.beginning("request", PROPAGATOR.extract(carrier), kind=SpanKind.SERVER) as span:
            await self._app({**scope, SPAN: span}, receive, send)
