"""A span for each request, below the one that its `traceparent` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from store.engine import spans

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

SPAN = "matchwire.span"
"""Where a scope has the request's span, if one is made: the request log says on it what was served."""
HEADER = b"traceparent"
PROPAGATOR = TraceContextTextMapPropagator()


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
