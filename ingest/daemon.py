"""The composition root: everything is built here, once, and handed on; reading it top to bottom explains the process."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from api.app import create_app
from api.services import ApiSettings, Services
from api.stream.streams import Streams
from ingest.closing import close_abandoned, forget_closed
from ingest.delivering import Delivering, Rhythm
from ingest.guarded import Guard
from ingest.house import check_clients, opened
from ingest.posting import Limits
from ingest.publishing import publish_due
from ingest.roles import Role, operations_only
from ingest.scheduler import Scheduler
from ingest.timing import Timing
from mapping.reconcile import CONFIRMATIONS
from providers.replay.server import address_of, bound, listening

if TYPE_CHECKING:
    from config import Settings
    from ingest.house import House

log = structlog.get_logger()

HEADER_BYTES = 32 * 1024
"""Longest request head that is read."""

TIMETABLE = {"17 * * * *": "purge deliveries", "27 * * * *": "purge bodies"}
"""Jobs that every process asks for at these minutes."""

GATHER = 10.0
"""Seconds between the clocks of processes that share a database: what they ask for within them runs once."""

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
        house = await cleanup.enter_async_context(opened(settings, clock, role))
        listener = cleanup.enter_context(bound(settings.server.host, settings.server.port))
        following = asyncio.create_task(house.followers.run(), name="followers")
        cleanup.push_async_callback(house.leasing.stop)
        cleanup.push_async_callback(house.followers.stop)
        cleanup.push_async_callback(_cancel, following)
        guard = Guard(settings.webhooks.allow_hosts)
        delivering = Delivering(
            house.store, guard, _deliveries(settings), timing=Timing(wall=clock),
            holding=None if settings.database.is_sqlite else house.leasing,
            containment=house.containment,
        )  # fmt: skip
        delivering.metrics.registry.register(house.containment.gauge)
        house.store.on_step(delivering.wake)
        loops = [following]
        cleanup.push_async_callback(delivering.stop, settings.server.shutdown_grace)
        if role.works:
            work = delivering.run(alone=settings.database.is_sqlite)
            loops.append(asyncio.create_task(work, name="deliveries"))
            cleanup.push_async_callback(_cancel, loops[-1])
        streams = Streams(house.store)
        services = Services(
            store=house.store,
            settings=_api_settings(settings, address_of(listener)),
            import_match=house.importer,
            organizations=lambda id_: settings.organizations[id_].name if id_ in settings.organizations else None,
            ready=partial(_ready, following, house),
            clock=clock,
            providers=house.registry.ids,
            event_types=house.registry.event_types,
            check_address=guard.admits,
            streams=streams,
            metrics=delivering.metrics.text,
        )
        address = await cleanup.enter_async_context(
            listening(
                create_app(services) if role.serves else operations_only(create_app(services)),
                listener,
                h11_max_incomplete_event_size=HEADER_BYTES,
                limit_concurrency=settings.server.max_connections,
                proxy_headers=bool(settings.server.trusted_proxies),
                forwarded_allow_ips=list(settings.server.trusted_proxies),
                timeout_keep_alive=int(settings.server.keep_alive),
                timeout_graceful_shutdown=int(settings.server.shutdown_grace),
            )
        )
        cleanup.push_async_callback(streams.close)  # before the server stops: it waits for answers under way
        if role.works:
            await house.leasing.start()
            loops.append(asyncio.create_task(house.leasing.run(), name="leases"))
            cleanup.push_async_callback(_cancel, loops[-1])
            house.jobs.add("purge deliveries", delivering.purge, settle=GATHER)
            house.jobs.add("purge bodies", partial(forget_closed, house.store), settle=GATHER)
            delivering.metrics.registry.register(house.jobs.counted)
            loops.append(asyncio.create_task(house.jobs.run(), name="jobs"))
            cleanup.push_async_callback(_cancel, loops[-1])
            cleanup.push_async_callback(house.jobs.stop, settings.server.shutdown_grace)
            _tick(house, clock, cleanup)
        announce(address)
        log.info("daemon.started", address=address, matches=len(house.followers), liveblogs=len(settings.liveblogs))
        await _until(stopped, *loops)
        log.info("daemon.stopping")
    log.info("daemon.stopped")


async def sync_once(settings: Settings, clock: Callable[[], float] = time.time) -> dict[str, int]:
    """Create what is declared, poll every followed match until nothing waits to be confirmed, and give the health."""
    async with opened(settings, clock) as house, AsyncExitStack() as cleanup:
        cleanup.push_async_callback(house.leasing.stop)
        await house.leasing.start()
        cleanup.push_async_callback(_cancel, asyncio.create_task(house.leasing.run(), name="leases"))
        await house.declared.tick()
        for _ in range(CONFIRMATIONS + 1):
            waiting = [match for match in house.followers.matches if match.pending or match.afresh or not match.polls]
            await asyncio.gather(*(house.followers.poll(match) for match in waiting))
        return house.followers.health()


def main(work: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run `work` in a fresh loop; SIGTERM and SIGINT set the event that it is given."""
    import uvloop

    async def with_signals() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stop.set)
        await work(stop)

    uvloop.run(with_signals())


def _tick(house: House, clock: Callable[[], float], cleanup: AsyncExitStack) -> None:
    """Start the daemon's clock, and what it does first."""
    scheduler = Scheduler()
    cleanup.callback(scheduler.stop)
    scheduler.when_set(house.followers.clock_set)
    scheduler.when_set(house.declared.clock_set)
    scheduler.every(5, house.followers.watch_silence, name="silence")
    scheduler.every(5, partial(_ask_declared, house), name="declared")
    scheduler.every(2, partial(close_abandoned, house.store), name="abandoned matches")
    scheduler.every(1, partial(publish_due, house.store, clock, house.containment), name="publications")
    scheduler.every(30, partial(check_clients, house.store, house.containment), name="clients")
    for expression, key in TIMETABLE.items():
        scheduler.cron(expression, partial(_ask, house, key), name=key)
    scheduler.start()
    cleanup.push_async_callback(_cancel, asyncio.create_task(_ask_declared(house), name="declared liveblogs"))


async def _ask(house: House, key: str) -> None:
    house.jobs.ask(key)


async def _ask_declared(house: House) -> None:
    for key in await house.declared.due():
        house.jobs.ask(key)


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


async def _ready(following: asyncio.Task[None], house: House) -> Mapping[str, Any]:
    followers, failing = house.followers, house.jobs.failing()
    return {
        "ready": not following.done(),
        **followers.health(),
        "refused": followers.refused,
        "unwritten": followers.unwritten,
        **({"failingJobs": failing} if failing else {}),
    }


def _deliveries(settings: Settings) -> Rhythm:
    webhooks = settings.webhooks
    return Rhythm(
        limits=Limits(round=webhooks.round_timeout, one_try=webhooks.try_timeout),
        connections=webhooks.connections,
        rate=webhooks.rate,
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
