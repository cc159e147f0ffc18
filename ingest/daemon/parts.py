"""Of which classes the daemon is built: those that make spans of a trace where traces are on, the plain ones elsewhere.

So a daemon without traces runs no line for them, and loads nothing of OpenTelemetry.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.middleware.request_log import RequestLog
from config.errors import StartError
from ingest.sync.follower import Followers
from ingest.webhooks.dispatcher import Dispatcher
from store.database import Store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp

    from config.sections import Traces
    from providers.base import ProviderAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Classes to build, and what an adapter and the app are wrapped into."""

    store: type[Store] = Store
    followers: type[Followers] = Followers
    dispatcher: type[Dispatcher] = Dispatcher
    request_log: type[RequestLog] = RequestLog
    adapter: Callable[[ProviderAdapter], ProviderAdapter] = lambda adapter: adapter
    app: Callable[[ASGIApp], ASGIApp] = lambda app: app


PLAIN = Parts()


@asynccontextmanager
async def parts_of(traces: Traces) -> AsyncIterator[Parts]:
    """The classes to build with; what was traced is sent at the end. Raises StartError where the extra is not installed."""
    if traces.endpoint is None:
        yield PLAIN
        return
    try:
        from ingest.telemetry import traced_parts
    except ModuleNotFoundError as error:
        raise StartError('traces.endpoint needs the extra traces: pip install "matchwire[traces]"') from error
    async with traced_parts.exporting(traces):
        yield Parts(
            store=traced_parts.TracedStore,
            followers=traced_parts.TracedFollowers,
            dispatcher=traced_parts.TracedDispatcher,
            request_log=traced_parts.TracedRequestLog,
            adapter=traced_parts.traced_adapter,
            app=traced_parts.traced_app,
        )
