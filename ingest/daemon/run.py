"""The composition root: what `matchwire run` starts, in this order, and stops in the opposite one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import structlog

from api.app import create_app
from api.capabilities import CAPABILITIES
from api.feeds.themes import UnknownThemes
from api.http.services import Services
from api.media.proxy import ImageProxy
from api.media.uploaded import StoredUploads
from api.stream.streams import Streams
from api.view.read_cache import ReadCounts
from config.folders import is_writable
from ingest.alarms.alarms import alarm_monitor
from ingest.daemon.build import build_components
from ingest.daemon.status import StatusReport
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.jobs.housekeeping import correct_liveblogs
from ingest.jobs.purges import UploadPurge
from ingest.jobs.scheduler import Scheduler
from ingest.jobs.tasks import Task, purges, schedule, upkeep
from ingest.kit.background import BackgroundTasks
from ingest.kit.roles import Role, operations_only
from ingest.kit.start_wait import Stopped
from ingest.kit.steady_clock import SteadyClock
from ingest.media.fetch import MediaFetcher
from ingest.media.file_store import file_store
from ingest.media.probe import MediaProbes
from ingest.server.connection_limits import ConnectionLimits
from ingest.server.server import connections_that_fit, listener_of, serving
from ingest.sync.worker_count import WorkerCount
from ingest.telemetry.metrics import ProcessMetrics, RequestCounts
from ingest.telemetry.state_metrics import BuildMetrics, FollowingMetrics, ReadMetrics, StoreMetrics
from ingest.webhooks.hub_ping import HubPings
from mapping.doubts import CONFIRMATIONS
from providers.http_server import address_of

if TYPE_CHECKING:
    import socket

    from prometheus_client import CollectorRegistry

    from api.middleware.request_log import RequestLog
    from config import Settings
    from config.sections import Server
    from ingest.alarms.alarms import AlarmMonitor
    from ingest.daemon.build import Components
    from ingest.daemon.parts import Parts
    from ingest.jobs.tasks import Step
    from ingest.webhooks.dispatcher import Dispatcher
    from store.database import Store

log = structlog.get_logger()

PROBE = "probe media"
"""The job that probes files."""

AFTERWARDS = 1.0
"""Seconds for which those who ask first have a process that is ready for themselves."""

Announce = Callable[[str], None]


async def run(
    settings: Settings,
    *,
    announce: Announce,
    clock: Callable[[], float] = time.time,
    stop: asyncio.Event | None = None,
    role: Role = Role.ALL,
    bind: Callable[[Server], socket.socket] = listener_of,
) -> None:
    """Serve until `stop` is set; `announce` gets the address once requests are answered.

    `bind` gives the socket that requests come in by, which is closed at the end; by default it is `listener_of`.
    """
    stopped = stop or asyncio.Event()
    async with AsyncExitStack() as cleanup:
        cleanup.enter_context(suppress(Stopped))
        loops, metrics = BackgroundTasks(cleanup), ProcessMetrics()
        components = await cleanup.enter_async_context(build_components(settings, clock, role, stopped))
        listener = cleanup.enter_context(bind(settings.server))

        cleanup.push_async_callback(components.leasing.stop)
        cleanup.push_async_callback(components.followers.stop)
        following = loops.start(components.followers.run(), name="followers")

        guard = SsrfGuard(settings.webhooks)
        fetcher = MediaFetcher(guard, settings.media)
        dispatcher = _dispatcher(settings, components, guard, clock, metrics.registry)
        components.store.on_step(dispatcher.wake)
        cleanup.push_async_callback(dispatcher.stop, settings.server.shutdown_grace)
        if role.works:
            loops.start(dispatcher.run(alone=settings.database.is_sqlite), name="deliveries")

        files = file_store(settings.media)
        images = _images(settings, StoredUploads(components.store, files), fetcher, clock)
        cleanup.callback(images.close)
        streams = Streams(components.store, clock=clock)
        running = await _run_capabilities(settings, components.store, clock, loops, cleanup) if role.serves else []
        request_log = _request_log(components.parts, settings, loops)
        workers, monitor, status = _watch(settings, components, role, clock, loops)
        services = Services(
            store=components.store,
            settings=settings.listening_at(address_of(listener)),
            import_match=components.importer,
            check_text=components.importer.check_text,
            organizations=lambda id_: settings.organizations[id_].name if id_ in settings.organizations else None,
            ready=partial(_ready, following, components, settings.media.folder, workers),
            clock=clock,
            providers=components.registry.ids,
            event_types=components.registry.event_types,
            keys=components.keys,
            files=files,
            check_address=guard.is_allowed,
            check_file_address=guard.may_be_kept,
            metrics=metrics.exposition,
            status=status.make,
        ).having(images, streams, request_log, read_counts := ReadCounts(), unknown_themes := UnknownThemes(), *running)
        app = components.parts.app(create_app(services))
        limits = ConnectionLimits(
            settings.server,
            connections_per_address=settings.limits.connections_per_address,
            max_connections=connections_that_fit(settings.server.max_connections),
        )
        metrics.register(
            components.quarantine.gauge,
            monitor.gauge,
            RequestCounts(request_log),
            StoreMetrics(components.store),
            ReadMetrics(streams, read_counts, unknown_themes),
            BuildMetrics(role),
            *limits.collectors,
            *(each.counter for each in running),
        )
        address = await cleanup.enter_async_context(
            serving(app if role.serves else operations_only(app), listener, limits, settings.server)
        )
        cleanup.push_async_callback(streams.close)  # before the server stops: it waits for answers under way

        if role.works:
            await components.wait.through(components.leasing.start)
            loops.start(components.leasing.run(), name="leases")
            purge_uploads = UploadPurge(components.store, files, upload_kept=settings.media.upload_kept, clock=clock)
            tasks = tasks_of(components, settings, clock, dispatcher.purge, purge_uploads.run)
            probes = MediaProbes(components.store, fetcher, settings.media, clock)
            components.jobs.add(PROBE, probes.run)
            metrics.register(
                probes.counted,
                components.jobs.counted,
                FollowingMetrics(components.followers),
            )
            _start_hub_pings(services, loops, cleanup)
            cleanup.push_async_callback(components.jobs.stop, settings.server.shutdown_grace)
            _start_clock(components, [*tasks, Task("probes", partial(_request_probes, components, probes), 1)], cleanup)
            loops.start(_request_declared(components), name="declared liveblogs", lasting=False)

        announce(address)
        if role.works:
            loops.start(_load_rest(), name="loading", lasting=False)
        log.info(
            "daemon.started", address=address, matches=len(components.followers), liveblogs=len(settings.liveblogs)
        )
        await loops.until(stopped)
        log.info("daemon.stopping")
    log.info("daemon.stopped")


async def sync_once(
    settings: Settings, clock: Callable[[], float] = time.time, stopped: asyncio.Event | None = None
) -> dict[str, int]:
    """Create what is declared, poll every followed match until nothing waits to be confirmed, and give the health."""
    async with build_components(settings, clock, stopped=stopped) as components, AsyncExitStack() as cleanup:
        cleanup.push_async_callback(components.leasing.stop)
        await components.wait.through(components.leasing.start)
        BackgroundTasks(cleanup).start(components.leasing.run(), name="leases")
        await components.declared.tick()
        for _ in range(CONFIRMATIONS + 1):
            waiting = [
                match for match in components.followers.matches if match.pending or match.afresh or not match.polls
            ]
            await asyncio.gather(*(components.followers.poll(match) for match in waiting))
        await correct_liveblogs(components.store, components.quarantine)
        return components.followers.health()


def _watch(
    settings: Settings, components: Components, role: Role, clock: Callable[[], float], loops: BackgroundTasks
) -> tuple[WorkerCount | None, AlarmMonitor, StatusReport]:
    """How many processes follow matches, where this one does not; the monitor of alarms, which runs; what `/status` shows."""
    count = None if settings.database.is_sqlite else WorkerCount(components.store)
    workers = None if role.works else count
    monitor = alarm_monitor(
        settings,
        clock,
        store=components.store,
        followers=components.followers,
        quarantine=components.quarantine,
        workers=workers,
    )
    loops.start(monitor.run(), name="alarms")
    status = StatusReport(
        store=components.store,
        followers=components.followers,
        workers=count,
        role=role,
        clock=clock,
    )
    return workers, monitor, status


def _images(
    settings: Settings, uploads: StoredUploads, fetcher: MediaFetcher, clock: Callable[[], float]
) -> ImageProxy:
    """The image proxy, which looks up anew after each commit who sees what."""
    images = ImageProxy(settings.media, fetcher.fetch, uploads, clock)
    uploads.store.on_step(images.forget)
    return images


async def _run_capabilities(
    settings: Settings, store: Store, clock: Callable[[], float], loops: BackgroundTasks, cleanup: AsyncExitStack
) -> list[Any]:
    """What capabilities keep going in this process."""
    runs = [each.run(settings, store, clock, loops.start) for each in CAPABILITIES if each.run is not None]
    parts = [await cleanup.enter_async_context(each) for each in runs]
    return [each for each in parts if each is not None]


def _request_log(parts: Parts, settings: Settings, loops: BackgroundTasks) -> RequestLog:
    log_of_requests = parts.request_log(settings.logging.slow_request)
    loops.start(log_of_requests.run(), name="request log")
    return log_of_requests


def _dispatcher(
    settings: Settings,
    components: Components,
    guard: SsrfGuard,
    clock: Callable[[], float],
    registry: CollectorRegistry,
) -> Dispatcher:
    return components.parts.dispatcher(
        components.store,
        guard,
        settings.webhooks,
        timing=SteadyClock(wall=clock),
        claim_owner=None if settings.database.is_sqlite else components.leasing,
        quarantine=components.quarantine,
        registry=registry,
    )


def _start_hub_pings(services: Services, loops: BackgroundTasks, cleanup: AsyncExitStack) -> None:
    """Where there is a public hub of public feeds."""
    settings = services.settings
    if settings.feeds.hub is None or not settings.server.public_feeds:
        return
    pings = HubPings(services.store, settings)
    services.store.on_step(pings.hear)
    cleanup.push_async_callback(pings.close)
    loops.start(pings.run(), name="hub pings")


def tasks_of(
    components: Components, settings: Settings, clock: Callable[[], float], purge_deliveries: Step, purge_uploads: Step
) -> tuple[Task, ...]:
    """The table of what this process does again and again."""
    store, followers = components.store, components.followers
    return (
        Task("silence", followers.watch_silence, 5),
        Task("rates", followers.watch_rates, 5),
        Task("declared", partial(_request_declared, components), 5),
        *upkeep(store, clock, components.quarantine),
        *purges(store, settings, clock, deliveries=purge_deliveries, uploads=purge_uploads),
    )


def _start_clock(components: Components, tasks: Iterable[Task], cleanup: AsyncExitStack) -> None:
    scheduler = Scheduler()
    cleanup.callback(scheduler.stop)
    scheduler.when_set(components.followers.clock_set)
    scheduler.when_set(components.declared.clock_set)
    schedule(tasks, scheduler, components.jobs)
    scheduler.start()


async def _request_probes(components: Components, probes: MediaProbes) -> None:
    if await probes.is_due():
        components.jobs.request(PROBE)


async def _request_declared(components: Components) -> None:
    for key in await components.declared.due():
        components.jobs.request(key)


async def _load_rest() -> None:
    """Load, beside the event loop, what the first poll and the first image need, and the process does not need to be ready."""
    await asyncio.sleep(AFTERWARDS)
    for name in ("httpx_aiohttp", "api.media.variants"):
        await asyncio.to_thread(import_module, name)


async def _ready(
    following: asyncio.Task[None], components: Components, media_folder: str, workers: WorkerCount | None
) -> Mapping[str, Any]:
    """A folder that cannot be written, or that no process follows matches, makes this one no less ready: it does the rest.

    `workers` counts the processes that follow matches, where this one does not.
    """
    writable = await asyncio.to_thread(is_writable, media_folder)
    followers, failing = components.followers, components.jobs.failing()
    return {
        "ready": not following.done(),
        **followers.health(),
        "refused": followers.refused,
        "unwritten": followers.unwritten,
        **({"failingJobs": failing} if failing else {}),
        **({} if writable else {"mediaFolder": "unwritable"}),
        **({} if workers is None else {"workers": await workers.alive()}),
    }
