"""Sends spans by OTLP over HTTP to the operator's collector; loaded only where `traces.endpoint` names one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from config.sections import Traces
from store.engine import spans
from store.engine.loops import LogOnce

TIMEOUT = 2.0
"""Seconds that sending a batch may take; a stop waits for two of them at most."""
QUEUED = 4096
"""Spans that wait to be sent; of more the oldest are dropped."""

logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # it logs each batch that is not taken; `_Exporter` one


class _Exporter(SpanExporter):
    """Sends batches from the processor's own thread; a collector that is away is logged once."""

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

    def export(self, batch: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.stopping and self._log.failing:
            return SpanExportResult.FAILURE
        result = self._sender.export(batch)
        if result is SpanExportResult.SUCCESS:
            self._log.worked()
        else:
            self._log.failed(cause="the collector at traces.endpoint does not take them")
        return result

    def shutdown(self) -> None:
        self._sender.shutdown()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def sending(traces: Traces) -> AsyncIterator[None]:
    """Spans are made and sent to the collector meanwhile, and what waits at the end, in four seconds at most.

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
    spans.use(provider.get_tracer("matchwire"))
    try:
        yield
    finally:
        spans.use(None)
        exporter.stopping = True
        await asyncio.to_thread(provider.shutdown)
