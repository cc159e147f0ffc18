"""What is served: ordinary reads are counted, everything else has a line of its own in the log.

Where traces are sent, each request has a span as well, below the one that its `traceparent` names.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import structlog
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.request import Context, loggable
from config.sections import Logging
from store.engine import spans
from store.engine.lasting import LoggedLoop, repeat

log = structlog.get_logger(__name__)

EVERY = 60.0
"""Seconds between two lines with counts."""
METHODS = frozenset({"GET", "HEAD", "POST"})
READS = frozenset({"GET", "HEAD"})
SPAN = "matchwire.span"
"""Where a scope has the request's span, if one is made: the request log says on it what was served."""
HEADER = b"traceparent"
PROPAGATOR = TraceContextTextMapPropagator()


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
