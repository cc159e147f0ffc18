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
from ingest.declared import Declared
from ingest.endpoints import connect
from ingest.following import Followers, Rhythm
from ingest.importing import Importer
from ingest.scheduler import Scheduler
from mapping.rules.pacing import Pace
from providers.registry import Registry
from providers.replay.server import listening
from store import clients
from store.database import Store
from store.ids import new_local_id
from store.settings import PoolSettings

if TYPE_CHECKING:
    from config import Settings
    from store.unit import Unit

log = structlog.get_logger()

HEADER_BYTES = 32 * 1024
"""Longest request head that is read."""

Announce = Callable[[str], None]


async def run(
    settings: Settings,
    *,
    announce: Announce,
    clock: Callable[[], float] = time.time,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT (or `stop`); `announce` is told the address once requests are answered."""
    stopped = stop or asyncio.Event()
    registry = Registry.load()
    async with AsyncExitStack() as cleanup:
        store = await Store.open(settings.database.url.get_secret_value(), clock=clock, pool=_pool(settings))
        cleanup.push_async_callback(store.close)
        await store.write(partial(_declare_clients, settings=settings))
        sources = connect(settings, registry)
        adapters = {source.adapter.endpoint.key: source.adapter for source in sources.values()}
        for adapter in adapters.values():
            cleanup.push_async_callback(adapter.aclose)
        followers = Followers(store, adapters, _rhythm(settings), clock=clock, new_id=partial(new_local_id, "e"))
        importer = Importer(store, sources, followers, providers=registry.ids)
        declared = Declared(settings.liveblogs, store, importer, clock=clock)
        following = asyncio.create_task(followers.run(), name="followers")
        services = Services(
            store=store,
            settings=_api_settings(settings),
            import_match=importer,
            organizations=lambda id_: settings.organizations[id_].name if id_ in settings.organizations else None,
            ready=partial(_ready, following, followers),
            clock=clock,
            providers=registry.ids,
            event_types=registry.event_types,
        )
        address = await cleanup.enter_async_context(
            listening(
                create_app(services),
                settings.server.host,
                settings.server.port,
                h11_max_incomplete_event_size=HEADER_BYTES,
                limit_concurrency=settings.server.max_connections,
                timeout_keep_alive=int(settings.server.keep_alive),
                timeout_graceful_shutdown=int(settings.server.shutdown_grace),
            )
        )
        await followers.load()
        scheduler = Scheduler()
        scheduler.every(5, followers.watch_silence, name="silence")
        scheduler.every(5, declared.tick, name="declared")
        scheduler.start()
        first = asyncio.create_task(declared.tick(), name="declared liveblogs")
        announce(address)
        log.info("daemon.started", address=address, matches=len(followers), organizations=len(settings.organizations))
        try:
            await _until(stopped, following)
        finally:
            log.info("daemon.stopping")
            scheduler.stop()
            await _cancel(first)
            await _cancel(following)
            await followers.stop()
    log.info("daemon.stopped")


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


async def _until(stopped: asyncio.Event, following: asyncio.Task[None]) -> None:
    """Wait for the end; a follower loop that dies takes the process with it: a daemon that does nothing is worse."""
    waiting = asyncio.create_task(stopped.wait(), name="stop signal")
    await asyncio.wait({waiting, following}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if following.done() and not following.cancelled():
        following.result()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _ready(following: asyncio.Task[None], followers: Followers) -> Mapping[str, Any]:
    return {"ready": not following.done(), "matches": len(followers)}


def _declare_clients(unit: Unit, settings: Settings) -> None:
    clients.declare(
        unit,
        [
            clients.ClientSpec(
                id=name,
                secrets=tuple(_hashed(secret) for secret in client.secrets),
                organizations=client.organizations,
                scopes=client.scopes,
            )
            for name, client in settings.clients.items()
        ],
    )


def _hashed(secret: str) -> str:
    """The SHA-256 of a secret that the config gives in plain, or has hashed already (`matchwire clients hash`)."""
    return secret.removeprefix("sha256:") if secret.startswith("sha256:") else clients.hash_secret(secret)


def _pool(settings: Settings) -> PoolSettings:
    database = settings.database
    return PoolSettings(connections=database.pool_size + database.pool_overflow, timeout=database.pool_timeout)


def _rhythm(settings: Settings) -> Rhythm:
    polling = settings.polling
    pace = Pace(
        live=polling.live,
        pause=polling.pause,
        far=polling.far,
        before=polling.before,
        before_window=polling.before_window,
        after=polling.after,
        after_growth=polling.after_growth,
        after_max=polling.after_max,
        after_window=polling.after_window,
        backoff_max=polling.backoff_max,
        honour_max_age=polling.honour_max_age,
    )
    return Rhythm(pace=pace, concurrency=polling.concurrency, silence_alarm=polling.silence_alarm)


def _api_settings(settings: Settings) -> ApiSettings:
    server, limits = settings.server, settings.limits
    return ApiSettings(
        public_url=server.public_url or f"http://{server.host}:{server.port}",
        public_feeds=server.public_feeds,
        body_bytes=limits.body_bytes,
        client_per_second=limits.client_per_second,
        client_burst=limits.client_burst,
        public_per_second=limits.public_per_second,
        feed_limit_max=limits.feed_limit_max,
    )
