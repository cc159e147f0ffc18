"""The composition root: what `matchwire run` starts, in this order, and stops in the opposite one."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import structlog

from api.app import Api, open_api
from api.http.request import RuleEngine, Services
from config import Settings
from config.check import is_writable
from config.sections import Server
from ingest.alarms.alarms import alarm_monitor
from ingest.daemon.build import Components, build_components, file_store
from ingest.daemon.status import StatusReport, last_answers
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.jobs.jobs import ENDING, Scheduler
from ingest.jobs.purges import UploadPurge
from ingest.jobs.tasks import CapabilityPurge, Step, Task, correct_liveblogs, purges, schedule, upkeep
from ingest.kit.process import Role
from ingest.kit.start_wait import Stopped
from ingest.kit.steady_clock import SteadyClock
from ingest.kit.tasks import BackgroundTasks
from ingest.media.fetch import MediaFetcher
from ingest.media.probe import MediaProbes
from ingest.server.connection_limits import ConnectionLimits
from ingest.server.server import connections_that_fit, listener_of, operations_only, serving
from ingest.sync.follow_rules import RULES
from ingest.sync.match_leases import WorkerCount
from ingest.sync.standby_sources import LOOK
from ingest.telemetry.metrics import (
    BuildMetrics,
    FollowingMetrics,
    ProcessMetrics,
    ReadMetrics,
    RequestCounts,
    StandbyMetrics,
    StoreMetrics,
)
from ingest.webhooks.dispatcher import Dispatcher
from ingest.webhooks.hub_ping import HubPings
from mapping.belief.doubts import CONFIRMATIONS
from providers.http_server import address_of
from store.files.storage import FileStore

log = structlog.get_logger()

PROBE = "probe media"
"""The job that probes files."""

AFTERWARDS = 1.0
"""Seconds for which those who ask first have a process that is ready for themselves."""

Announce = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Process:
    """What the parts of a process are started with; `cleanup` stops them in the opposite order."""

    settings: Settings
    components: Components
    role: Role
    clock: Callable[[], float]
    cleanup: AsyncExitStack
    loops: BackgroundTasks
    metrics: ProcessMetrics = field(default_factory=ProcessMetrics)


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
        components = await cleanup.enter_async_context(build_components(settings, clock, role, stopped))
        process = _Process(settings, components, role, clock, cleanup, BackgroundTasks(cleanup))
        listener = cleanup.enter_context(bind(settings.server))
        following = _follow(process)
        guard = SsrfGuard(settings.webhooks)
        fetcher = MediaFetcher(guard, settings.media)
        dispatcher = _deliver(process, guard)
        services = _services(process, listener, following, guard)
        sent = components.timeline.sent
        opening = open_api(services, fetcher.fetch, process.loops.start, sent, serves=role.serves)
        api = await cleanup.enter_async_context(opening)
        address = await _serve(process, api, listener)
        if role.works:
            await components.wait.through(components.leasing.start)  # matches are leased from now on, and so followed
            process.loops.start(components.leasing.run(), name="leases")
            _do_jobs(process, api, services.files, dispatcher, fetcher)
            _ping_hub(process, services.settings, api)
        announce(address)
        if role.works:
            process.loops.start(_load_rest(), name="loading", lasting=False)
        log.info(
            "daemon.started", address=address, matches=len(components.followers), liveblogs=len(settings.liveblogs)
        )
        await process.loops.until(stopped)
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


def _follow(process: _Process) -> asyncio.Task[None]:
    """Matches are polled from now on, once they are taken up."""
    components = process.components
    process.cleanup.push_async_callback(components.leasing.stop)
    process.cleanup.push_async_callback(components.followers.stop)
    process.loops.start(components.timeline.run(), name="timelines")
    return process.loops.start(components.followers.run(), name="followers")


def _deliver(process: _Process, guard: SsrfGuard) -> Dispatcher:
    """Receivers get what changes, where this process works."""
    settings, components = process.settings, process.components
    dispatcher = Dispatcher(
        components.store,
        guard,
        settings.webhooks,
        timing=SteadyClock(wall=process.clock),
        claim_owner=None if settings.database.is_sqlite else components.leasing,
        quarantine=components.quarantine,
        registry=process.metrics.registry,
    )
    components.store.on_step(dispatcher.wake)
    process.cleanup.push_async_callback(dispatcher.stop, settings.server.shutdown_grace)
    if process.role.works:
        process.loops.start(dispatcher.run(alone=settings.database.is_sqlite), name="deliveries")
    return dispatcher


def _services(process: _Process, listener: socket.socket, following: asyncio.Task[None], guard: SsrfGuard) -> Services:
    """What requests are answered with."""
    settings, components, clock = process.settings, process.components, process.clock
    workers, status = _watch(process)
    desk = components.rule_desk
    return Services(
        store=components.store,
        settings=settings.listening_at(address_of(listener)),
        importer=components.importer,
        organizations=lambda id_: settings.organizations[id_].name if id_ in settings.organizations else None,
        ready=partial(_ready, following, components, settings.media.folder, workers),
        clock=clock,
        providers=components.registry.ids,
        event_types=components.registry.event_types,
        keys=components.keys,
        files=file_store(settings.media),
        check_address=guard.is_allowed,
        check_file_address=guard.may_be_kept,
        metrics=process.metrics.exposition,
        status=status.make,
        last_answers=partial(last_answers, components.followers),
    ).having(RuleEngine(desk.faults, desk.preview, desk.look_again))


def _watch(process: _Process) -> tuple[WorkerCount | None, StatusReport]:
    """Alarms are raised from now on. Gives how many processes follow matches, where this one does not, and what `/status` shows."""
    settings, components, role, clock = process.settings, process.components, process.role, process.clock
    store, followers = components.store, components.followers
    count = None if settings.database.is_sqlite else WorkerCount(store)
    workers = None if role.works else count
    monitor = alarm_monitor(
        settings,
        clock,
        store=store,
        followers=followers,
        standbys=components.standbys,
        rules=components.rules,
        quarantine=components.quarantine,
        workers=workers,
    )
    process.loops.start(monitor.run(), name="alarms")
    process.metrics.register(components.quarantine.gauge, monitor.gauge)
    return workers, StatusReport(store=store, followers=followers, workers=count, role=role, clock=clock)


async def _serve(process: _Process, api: Api, listener: socket.socket) -> str:
    """Requests are answered from now on, at the address that it gives."""
    settings, role = process.settings, process.role
    limits = ConnectionLimits(
        settings.server,
        connections_per_address=settings.limits.connections_per_address,
        max_connections=connections_that_fit(settings.server.max_connections),
    )
    process.metrics.register(
        StoreMetrics(process.components.store),
        RequestCounts(api.requests),
        ReadMetrics(api.streams, api.reads, api.themes),
        BuildMetrics(role),
        *api.counters,
        *limits.collectors,
    )
    address = await process.cleanup.enter_async_context(
        serving(api.app if role.serves else operations_only(api.app), listener, limits, settings.server)
    )
    process.cleanup.push_async_callback(api.release)  # before the server stops, which waits for answers under way
    return address


def _do_jobs(process: _Process, api: Api, files: FileStore, dispatcher: Dispatcher, fetcher: MediaFetcher) -> None:
    """What is due again and again is done from now on."""
    settings, components, clock, cleanup = process.settings, process.components, process.clock, process.cleanup
    store, jobs = components.store, components.jobs
    purge_uploads = UploadPurge(store, files, upload_kept=settings.media.upload_kept, clock=clock)
    probes = MediaProbes(store, fetcher, settings.media, clock)
    jobs.add(PROBE, probes.run)
    following = FollowingMetrics(components.followers), StandbyMetrics(components.standbys)
    process.metrics.register(probes.counted, jobs.counted, jobs.leading, *following)
    cleanup.push_async_callback(jobs.stop, min(settings.server.shutdown_grace, ENDING))
    tasks = tasks_of(process, dispatcher.purge, purge_uploads.run, api.purges)
    scheduler = Scheduler()
    cleanup.callback(scheduler.stop)
    for each in (components.followers, components.standbys, components.declared, components.rules):
        scheduler.when_set(each.clock_set)
    schedule([*tasks, Task("probes", partial(_request_probes, components, probes), 1)], scheduler, jobs)
    scheduler.start()
    process.loops.start(_request_declared(components), name="declared liveblogs", lasting=False)


def _ping_hub(process: _Process, settings: Settings, api: Api) -> None:
    """Where there is a public hub of public feeds, it hears of what changes. `settings`: as the process listens."""
    if settings.feeds.hub is None or not settings.server.public_feeds:
        return
    store = process.components.store
    pings = HubPings(store, settings, api.feed_topics)
    store.on_step(pings.hear)
    process.cleanup.push_async_callback(pings.close)
    process.loops.start(pings.run(), name="hub pings")


def tasks_of(
    process: _Process, purge_deliveries: Step, purge_uploads: Step, others: Iterable[CapabilityPurge]
) -> tuple[Task, ...]:
    """The table of what this process does again and again; `others`: what capabilities purge."""
    settings, components, clock = process.settings, process.components, process.clock
    store, followers = components.store, components.followers
    return (
        Task("silence", followers.watch_silence, 5),
        Task("rates", followers.watch_rates, 5),
        Task("standbys", components.standbys.look, LOOK),
        Task("declared", partial(_request_declared, components), 5),
        Task("rules", partial(_request_rules, components), 1),
        *upkeep(store, clock, components.quarantine),
        *purges(store, settings, clock, deliveries=purge_deliveries, uploads=purge_uploads, others=others),
    )


async def _request_probes(components: Components, probes: MediaProbes) -> None:
    if await probes.is_due():
        components.jobs.request(PROBE)


async def _request_declared(components: Components) -> None:
    for key in await components.declared.due():
        components.jobs.request(key)


async def _request_rules(components: Components) -> None:
    if components.rules.is_due:
        components.jobs.request(RULES)


async def _load_rest() -> None:
    """Load, beside the event loop, what the first poll, image and page of the desk need, but not a process to be ready."""
    await asyncio.sleep(AFTERWARDS)
    for name in ("httpx_aiohttp", "api.media.variants", "api.desk.page_templates"):
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
