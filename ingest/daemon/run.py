"""The composition root: everything is built here, once, and handed on; reading it top to bottom explains the process."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import structlog

from api.app import create_app
from api.services import ApiSettings, Services
from api.stream.streams import Streams
from ingest.cli.exit_status import ExitStatus
from ingest.cli.start_errors import StartError
from ingest.daemon.build import build_components, check_clients
from ingest.daemon.connection_limits import ConnectionLimits
from ingest.daemon.housekeeping import close_abandoned
from ingest.daemon.publisher import publish_due
from ingest.daemon.purges import Purging, run_again
from ingest.daemon.roles import Role, operations_only
from ingest.daemon.scheduler import Scheduler
from ingest.daemon.server import connections_that_fit, serving
from ingest.daemon.start_wait import Stopped
from ingest.webhooks.attempt import AttemptLimits
from ingest.webhooks.dispatcher import DeliveryConfig, Dispatcher
from ingest.webhooks.ssrf_guard import SsrfGuard
from ingest.webhooks.steady_clock import SteadyClock
from mapping.reconcile import CONFIRMATIONS
from providers.http_server import address_of, bound

if TYPE_CHECKING:
    import socket

    from config import Settings
    from ingest.daemon.build import Components

log = structlog.get_logger()

TIMETABLE = {"17 * * * *": "purge deliveries", "27 * * * *": "purge bodies"}
"""Jobs that every process asks for at these minutes."""

GATHER = 10.0
"""Seconds between the clocks of processes that share a database: what they ask for within them runs once."""

AFTERWARDS = 1.0
"""Seconds for which those who ask first have a process that is ready for themselves."""

CUT_OFF = 3.0
"""Seconds beyond the grace of a stop after which it is not waited for any longer."""

Announce = Callable[[str], None]


async def run(
    settings: Settings,
    *,
    announce: Announce,
    clock: Callable[[], float] = time.time,
    stop: asyncio.Event | None = None,
    role: Role = Role.ALL,
) -> None:
    """Serve until SIGTERM or SIGINT (or `stop`); `announce` is told the address once requests are answered."""
    stopped = stop or asyncio.Event()
    async with AsyncExitStack() as cleanup:
        cleanup.enter_context(suppress(Stopped))
        components = await cleanup.enter_async_context(build_components(settings, clock, role, stopped))
        listener = cleanup.enter_context(_listener(settings))
        following = asyncio.create_task(components.followers.run(), name="followers")
        cleanup.push_async_callback(components.leasing.stop)
        cleanup.push_async_callback(components.followers.stop)
        cleanup.push_async_callback(_cancel, following)
        guard = _guard(settings)
        delivering = Dispatcher(
            components.store, guard, _deliveries(settings), timing=SteadyClock(wall=clock),
            claim_owner=None if settings.database.is_sqlite else components.leasing,
            containment=components.containment,
        )  # fmt: skip
        delivering.metrics.registry.register(components.containment.gauge)
        components.store.on_step(delivering.wake)
        loops = [following]
        cleanup.push_async_callback(delivering.stop, settings.server.shutdown_grace)
        if role.works:
            work = delivering.run(alone=settings.database.is_sqlite)
            loops.append(asyncio.create_task(work, name="deliveries"))
            cleanup.push_async_callback(_cancel, loops[-1])
        streams = Streams(components.store)
        services = Services(
            store=components.store,
            settings=_api_settings(settings, address_of(listener)),
            import_match=components.importer,
            organizations=lambda id_: settings.organizations[id_].name if id_ in settings.organizations else None,
            ready=partial(_ready, following, components),
            clock=clock,
            providers=components.registry.ids,
            event_types=components.registry.event_types,
            check_address=guard.is_allowed,
            streams=streams,
            metrics=delivering.metrics.text,
        )
        app = create_app(services)
        limits = ConnectionLimits(
            settings.server,
            per_address=settings.limits.connections_per_address,
            connections=connections_that_fit(settings.server.max_connections),
        )
        for collector in limits.collectors:
            delivering.metrics.registry.register(collector)
        address = await cleanup.enter_async_context(
            serving(app if role.serves else operations_only(app), listener, limits, settings.server)
        )
        cleanup.push_async_callback(streams.close)  # before the server stops: it waits for answers under way
        if role.works:
            await components.wait.through(components.leasing.start)
            loops.append(asyncio.create_task(components.leasing.run(), name="leases"))
            cleanup.push_async_callback(_cancel, loops[-1])
            purges = {"purge deliveries": delivering.purge, "purge bodies": Purging(components.store).bodies}
            for key, purge in purges.items():
                components.jobs.add(key, partial(run_again, components.jobs, key, purge), settle=GATHER)
            delivering.metrics.registry.register(components.jobs.counted)
            loops.append(asyncio.create_task(components.jobs.run(), name="jobs"))
            cleanup.push_async_callback(_cancel, loops[-1])
            cleanup.push_async_callback(components.jobs.stop, settings.server.shutdown_grace)
            _tick(components, clock, cleanup)
        announce(address)
        if role.works:
            cleanup.push_async_callback(_cancel, asyncio.create_task(_load_rest(), name="loading"))
        log.info(
            "daemon.started", address=address, matches=len(components.followers), liveblogs=len(settings.liveblogs)
        )
        await _until(stopped, *loops)
        log.info("daemon.stopping")
    log.info("daemon.stopped")


async def sync_once(
    settings: Settings, clock: Callable[[], float] = time.time, stopped: asyncio.Event | None = None
) -> dict[str, int]:
    """Create what is declared, poll every followed match until nothing waits to be confirmed, and give the health."""
    async with build_components(settings, clock, stopped=stopped) as components, AsyncExitStack() as cleanup:
        cleanup.push_async_callback(components.leasing.stop)
        await components.wait.through(components.leasing.start)
        cleanup.push_async_callback(_cancel, asyncio.create_task(components.leasing.run(), name="leases"))
        await components.declared.tick()
        for _ in range(CONFIRMATIONS + 1):
            waiting = [
                match for match in components.followers.matches if match.pending or match.afresh or not match.polls
            ]
            await asyncio.gather(*(components.followers.poll(match) for match in waiting))
        return components.followers.health()


def main(
    work: Callable[[asyncio.Event], Coroutine[Any, Any, None]],
    hangup: Callable[[], None] | None = None,
    *,
    grace: float | None = None,
) -> None:
    """Run `work` in a fresh loop; SIGTERM and SIGINT set the event that it is given, and so does SIGHUP without `hangup`.

    `hangup` is called in a thread, at each SIGHUP. `grace`: seconds in which `work` should end once it has been told to;
    `CUT_OFF` seconds after them the process ends as it is. Each wait of a stop is bounded, but while the database is frozen a
    dozen of them come one after the other.
    """
    import uvloop

    async def with_signals() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def told_to_end() -> None:
            if grace is not None and not stop.is_set():
                loop.call_later(grace + CUT_OFF, _cut_off)
            stop.set()

        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, told_to_end)
        loop.add_signal_handler(
            signal.SIGHUP, *((told_to_end,) if hangup is None else (loop.run_in_executor, None, hangup))
        )
        await work(stop)

    uvloop.run(with_signals())


def _listener(settings: Settings) -> socket.socket:
    """The socket that requests come in by. Raises StartError with the key that has to change."""
    host, port = settings.server.host, settings.server.port
    try:
        return bound(host, port)
    except (OSError, UnicodeError) as error:
        key = "server.port" if getattr(error, "errno", None) in {errno.EADDRINUSE, errno.EACCES} else "server.host"
        raise StartError(f"{key}: cannot listen on {host}:{port}: {getattr(error, 'strerror', error)}") from error


def _cut_off() -> None:
    """End like after `kill -9`, which nothing is lost by."""
    log.error("daemon.stop_cut_off")
    os._exit(ExitStatus.UNAVAILABLE)


def _tick(components: Components, clock: Callable[[], float], cleanup: AsyncExitStack) -> None:
    """Start the daemon's clock, and what it does first."""
    scheduler = Scheduler()
    cleanup.callback(scheduler.stop)
    scheduler.when_set(components.followers.clock_set)
    scheduler.when_set(components.declared.clock_set)
    scheduler.every(5, components.followers.watch_silence, name="silence")
    scheduler.every(5, partial(_ask_declared, components), name="declared")
    scheduler.every(2, partial(close_abandoned, components.store), name="abandoned matches")
    scheduler.every(1, partial(publish_due, components.store, clock, components.containment), name="publications")
    scheduler.every(30, partial(check_clients, components.store, components.containment), name="clients")
    for expression, key in TIMETABLE.items():
        scheduler.cron(expression, partial(_ask, components, key), name=key)
    scheduler.start()
    cleanup.push_async_callback(_cancel, asyncio.create_task(_ask_declared(components), name="declared liveblogs"))


async def _load_rest() -> None:
    """Load, beside the event loop, what the first poll needs and the process does not need to be ready."""
    await asyncio.sleep(AFTERWARDS)
    await asyncio.to_thread(import_module, "httpx_aiohttp")


async def _ask(components: Components, key: str) -> None:
    components.jobs.ask(key)


async def _ask_declared(components: Components) -> None:
    for key in await components.declared.due():
        components.jobs.ask(key)


async def _until(stopped: asyncio.Event, *loops: asyncio.Task[None]) -> None:
    """Wait for the end; a loop that dies takes the process with it: a daemon that does nothing is worse."""
    waiting = asyncio.create_task(stopped.wait(), name="stop signal")
    await asyncio.wait({waiting, *loops}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    for loop in loops:
        if loop.done() and not loop.cancelled():
            loop.result()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _ready(following: asyncio.Task[None], components: Components) -> Mapping[str, Any]:
    followers, failing = components.followers, components.jobs.failing()
    return {
        "ready": not following.done(),
        **followers.health(),
        "refused": followers.refused,
        "unwritten": followers.unwritten,
        **({"failingJobs": failing} if failing else {}),
    }


def _guard(settings: Settings) -> SsrfGuard:
    webhooks = settings.webhooks
    return SsrfGuard(
        webhooks.allow_hosts,
        look_ups=webhooks.look_ups,
        organization_look_ups=webhooks.organization_look_ups,
        look_up_timeout=webhooks.look_up_timeout,
    )


def _deliveries(settings: Settings) -> DeliveryConfig:
    webhooks = settings.webhooks
    return DeliveryConfig(
        limits=AttemptLimits(round=webhooks.round_timeout, one_try=webhooks.try_timeout),
        connections=webhooks.connections,
        rate=webhooks.rate,
        rounds=webhooks.rounds,
        organization_rounds=webhooks.organization_rounds,
        keep=webhooks.log_kept,
    )


def _api_settings(settings: Settings, address: str) -> ApiSettings:
    server, limits = settings.server, settings.limits
    return ApiSettings(
        public_url=server.public_url or address,
        public_feeds=server.public_feeds,
        public_metrics=server.public_metrics,
        timezone=server.timezone,
        webhooks_per_organization=settings.webhooks.per_organization,
        secret_overlap=settings.webhooks.secret_overlap,
        body_bytes=limits.body_bytes,
        client_per_second=limits.client_per_second,
        client_burst=limits.client_burst,
        public_per_second=limits.public_per_second,
        feed_limit_max=limits.feed_limit_max,
    )
