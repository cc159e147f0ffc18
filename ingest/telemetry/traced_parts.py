"""Spans by OpenTelemetry: requests, polls, fetches from providers, units of work, rounds of deliveries.

An attribute is a name, a number or an id: never a query, a body, an address with credentials, or an error's text.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar, cast

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import NoOpTracer, Span, SpanKind, StatusCode, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from structlog.contextvars import bound_contextvars

from api.middleware.request_log import METHODS, RequestLog
from ingest.sync.follower import Followers
from ingest.webhooks.dispatcher import Dispatcher
from mapping.rules.delivery import Verdict
from store.database import Store
from store.engine.log_once import LogOnce

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context as ParentContext
    from opentelemetry.sdk.trace import ReadableSpan
    from sqlalchemy import Connection
    from starlette.types import ASGIApp, Receive, Scope, Send

    from api.http.request import Context
    from config.sections import Traces
    from ingest.sync.followed_match import FollowedMatch
    from ingest.webhooks.attempt import RoundOutcome
    from providers.base import Fetched, Known, ProviderAdapter, Selector
    from store.engine.unit import Unit

T = TypeVar("T")

TIMEOUT = 2.0
"""Seconds that sending a batch may take; a stop waits for two of them at most."""
QUEUED = 4096
"""Spans that wait to be sent; of more the oldest are dropped."""

logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it logs each batch that is not taken; `_Exporter` one


class _Current:
    """The process's tracer: it has one configuration at a time."""

    tracer: Tracer = NoOpTracer()


class _Exporter(SpanExporter):
    """Sends batches by OTLP over HTTP, from the processor's own thread; a collector that is away is logged once."""

    def __init__(self, traces: Traces) -> None:
        session = requests.Session()
        session.trust_env = False  # no proxy and no credentials that the configuration does not name
        authorization = (
            {} if traces.authorization is None else {"Authorization": traces.authorization.get_secret_value()}
        )
        self._sender = OTLPSpanExporter(
            endpoint=traces.endpoint, headers=authorization, timeout=TIMEOUT, session=session
        )
        self._log = LogOnce("traces.not_exported", "traces.exported")
        self.stopping = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.stopping and self._log.failing:
            return SpanExportResult.FAILURE
        result = self._sender.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._log.worked()
        else:
            self._log.failed(cause="the collector at traces.endpoint does not take them")
        return result

    def shutdown(self) -> None:
        self._sender.shutdown()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def exporting(traces: Traces) -> AsyncIterator[None]:
    """Spans are sent to the collector meanwhile, and what waits at the end, in four seconds at most.

    Each service decides by the trace's id whether it is sampled, whatever a client says: readers may not fill the queue.
    """
    sampled = TraceIdRatioBased(traces.sample)
    exporter = _Exporter(traces)
    provider = TracerProvider(
        sampler=ParentBased(sampled, remote_parent_sampled=sampled, remote_parent_not_sampled=sampled),
        resource=Resource({"service.name": "matchwire", "service.version": version("matchwire")}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=QUEUED))
    _Current.tracer = provider.get_tracer("matchwire")
    try:
        yield
    finally:
        _Current.tracer = NoOpTracer()
        exporter.stopping = True
        await asyncio.to_thread(provider.shutdown)


def _span(name: str, parent: ParentContext | None = None, **options: Any) -> AbstractContextManager[Span]:
    """A span whose errors have no text, because what an exception says may hold what nobody should see."""
    return _Current.tracer.start_as_current_span(
        name, parent, record_exception=False, set_status_on_exception=False, **options
    )


@contextmanager
def _beginning(name: str, parent: ParentContext | None = None, **options: Any) -> Iterator[Span]:
    """A span that nothing of this process is around; log lines name its trace where it is sampled."""
    with _span(name, parent, **options) as span:
        trace = span.get_span_context().trace_id
        with bound_contextvars(trace_id=f"{trace:032x}") if span.is_recording() else nullcontext():
            yield span


def _child(name: str, **options: Any) -> AbstractContextManager[Span]:
    """A span within another one; without one around it, what happens all the time (ticks, looks) makes none."""
    current = get_current_span()
    return _span(name, **options) if current.is_recording() else nullcontext(current)


def traced_app(app: ASGIApp) -> ASGIApp:
    """`app` with a span for each request, below the one that `traceparent` names."""
    propagator = TraceContextTextMapPropagator()

    async def traced(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        carrier = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in scope["headers"]
            if name == b"traceparent"
        }
        with _beginning("request", propagator.extract(carrier), kind=SpanKind.SERVER):
            await app(scope, receive, send)

    return traced


class TracedRequestLog(RequestLog):
    """What is known of a request once it is served goes to its span, too."""

    def served(self, scope: Scope, context: Context, status: int, *, first: float, whole: float) -> None:
        super().served(scope, context, status, first=first, whole=whole)
        span, method, route = get_current_span(), scope["method"], context.route or "other"
        method = method if method in METHODS else "other"
        span.update_name(f"{method} {route}")
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.route", route)
        span.set_attribute("http.response.status_code", status)
        span.set_attribute("matchwire.request_id", context.request_id)
        span.set_attribute("matchwire.first_byte_seconds", first)
        if status >= 500:
            span.set_status(StatusCode.ERROR)


class TracedFollowers(Followers):
    """A span for each poll of a match."""

    async def poll(self, match: FollowedMatch) -> None:
        names = {"matchwire.endpoint": self.limiters[match.endpoint].name, "matchwire.match": match.match_id}
        with _beginning("poll", attributes=names) as span:
            await super().poll(match)
            span.set_attribute("matchwire.state", match.status.value)
            if match.failures:
                span.set_status(StatusCode.ERROR)


class _TracedAdapter:
    """A span for each fetch of a match's resources; the rest is the adapter's own."""

    def __init__(self, adapter: ProviderAdapter) -> None:
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    async def resolve(self, selector: Selector) -> str:
        with _child("provider.resolve", kind=SpanKind.CLIENT):
            return await self._adapter.resolve(selector)

    async def fetch(
        self, match_id: str, known: Mapping[str, Known], *, text: bool, hints: Mapping[str, str]
    ) -> Fetched:
        with _child("provider.fetch", kind=SpanKind.CLIENT) as span:
            fetched = await self._adapter.fetch(match_id, known, text=text, hints=hints)
            for answer in fetched.answers:
                span.set_attribute(f"matchwire.resource.{answer.resource}", answer.outcome.value)
            return fetched


def traced_adapter(adapter: ProviderAdapter) -> ProviderAdapter:
    """`adapter` with a span for what it requests."""
    return cast("ProviderAdapter", _TracedAdapter(adapter))


class TracedStore(Store):
    """A span for each unit of work and each read that belongs to a request or a poll."""

    async def write(self, work: Callable[[Unit], T], *, group_key: str | None = None) -> T:
        with _child(f"store.write {_name(work)}"):
            return await super().write(work, group_key=group_key)

    async def read(self, query: Callable[[Connection], T], *, at: int | None = None) -> T:
        with _child(f"store.read {_name(query)}"):
            return await super().read(query, at=at)

    async def read_for_write(self, query: Callable[[Connection], T]) -> T:
        with _child(f"store.read_for_write {_name(query)}"):
            return await super().read_for_write(query)


def _name(work: Callable[..., Any]) -> str:
    """The function that a unit runs, below what it is wrapped into."""
    while isinstance(work, partial):
        work = work.keywords.get("work") or work.func
    return getattr(work, "__name__", type(work).__name__)


class TracedDispatcher(Dispatcher):
    """A span for each round of a delivery, made when it is over."""

    def observe(self, webhook_id: str, outcome: RoundOutcome) -> None:
        super().observe(webhook_id, outcome)
        ended = time.time_ns()
        span = _Current.tracer.start_span(
            "webhook.round",
            kind=SpanKind.CLIENT,
            start_time=ended - int(outcome.took * 1e9),
            attributes={"matchwire.webhook": webhook_id, "matchwire.tries": outcome.tries},
        )
        if outcome.status is not None:
            span.set_attribute("http.response.status_code", outcome.status)
        if outcome.result is not Verdict.TAKEN:
            span.set_status(StatusCode.ERROR)
        span.end(ended)
