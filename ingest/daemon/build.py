"""The parts of the daemon without its HTTP server: store, providers and sync, built once and handed on by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.daemon.containment import Containment
from ingest.daemon.declared_records import declared_records
from ingest.daemon.endpoints import connect, rehome
from ingest.daemon.jobs import Jobs, queue_of
from ingest.daemon.roles import Role
from ingest.daemon.start_wait import StartWait
from ingest.sync.caps import Caps
from ingest.sync.declared_liveblogs import Declared, retune
from ingest.sync.follower import Followers, PollingConfig
from ingest.sync.import_match import Importer
from ingest.sync.match_leases import Lease, LeasedElsewhere, MatchLeases
from ingest.sync.poll import unrecorded
from mapping.rules.breaker import CircuitBreakerConfig
from mapping.rules.pacing import PollIntervals
from providers.registry import Registry
from store import clients
from store.database import Store
from store.declarations import declare
from store.errors import StoreError, UnreadableRow
from store.ids import new_local_id
from store.settings import PoolSettings

if TYPE_CHECKING:
    from config import Settings
    from ingest.sync.poll import Record
    from store.unit import Unit

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts that the daemon and `sync-once` share."""

    store: Store
    registry: Registry
    followers: Followers
    importer: Importer
    declared: Declared
    leasing: MatchLeases
    jobs: Jobs
    wait: StartWait
    containment: Containment


@asynccontextmanager
async def build_components(
    settings: Settings, clock: Clock = time.time, role: Role = Role.ALL, stopped: asyncio.Event | None = None
) -> AsyncIterator[Components]:
    """Open the store, declare clients, connect the endpoints; everything is closed in reverse. `clock`: Unix seconds.

    Waits for a database that is away. Raises StoreError for a database that stays away, refuses us, or has another
    schema, and for a role that needs other processes beside it where there can be none; Stopped when `stopped` is set
    while it waits.
    """
    if settings.database.is_sqlite and role is not Role.ALL:
        raise StoreError(f"--role {role} needs PostgreSQL: a SQLite file belongs to one process, which does everything")
    registry = Registry.load()
    wait = StartWait(settings.database, stopped)
    async with AsyncExitStack() as cleanup:
        sources = connect(settings, registry)
        adapters = {source.adapter.endpoint.key: source.adapter for source in sources.values()}
        for adapter in adapters.values():
            cleanup.push_async_callback(adapter.aclose)
        store = await wait.through(partial(open_store, settings, clock))
        cleanup.push_async_callback(store.close)
        containment = Containment()
        await wait.through(partial(store.write, partial(_declare, settings=settings)))
        await wait.through(partial(check_clients, store, containment))
        await wait.through(partial(retune, settings.liveblogs, store, containment))
        await wait.through(partial(rehome, store, sources, containment))
        record, new_id = _recorder(settings, clock, cleanup), partial(new_local_id, "e")
        lease = Lease()
        followers = Followers(
            store,
            adapters,
            _rhythm(settings),
            clock=clock,
            new_id=new_id,
            record=record,
            lease=lease,
            containment=containment,
        )
        leasing = MatchLeases(
            store,
            followers,
            lease,
            knows=frozenset(adapters),
            alone=settings.database.is_sqlite,
            containment=containment,
        )
        importer = Importer(
            store, sources, leasing if role.works else LeasedElsewhere(), providers=registry.ids, caps=_caps(settings)
        )
        declared = Declared(settings.liveblogs, store, importer, clock=clock, containment=containment)
        queue = partial(queue_of, settings.database.session_url, _pool(settings))
        jobs = Jobs(queue, alone=settings.database.is_sqlite)
        for key, work in declared.jobs.items():
            jobs.add(key, work)
        yield Components(
            store=store,
            registry=registry,
            followers=followers,
            importer=importer,
            declared=declared,
            leasing=leasing,
            jobs=jobs,
            wait=wait,
            containment=containment,
        )


async def check_clients(store: Store, containment: Containment) -> None:
    """Say which clients cannot be read, and so may do nothing."""
    for row in await store.read(clients.listed):
        if row.readable:
            containment.recovered("client", row.id, client=row.id)
        else:
            cause = UnreadableRow("clients: secrets, organizations or scopes are no lists of texts")
            containment.failed("client", row.id, cause, client=row.id)


def _recorder(settings: Settings, clock: Clock, cleanup: AsyncExitStack) -> Record:
    """What keeps the answers of polls, where that is wanted; its last lines are written at the end."""
    kept = settings.recording
    if not kept.enabled:
        return unrecorded
    from ingest.sync.recorder import Recorder

    recorder = Recorder(Path(kept.folder), retention=kept.retention, max_bytes=kept.max_bytes, clock=clock)
    cleanup.push_async_callback(asyncio.to_thread, recorder.close)
    return recorder


def _declare(unit: Unit, settings: Settings) -> None:
    """Write what the configuration says of clients and records, all of it or nothing."""
    _declare_clients(unit, settings)
    declare(unit, declared_records(settings))


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


async def open_store(settings: Settings, clock: Clock) -> Store:
    """The store of the configured database."""
    database = settings.database
    direct_url = None if database.direct_url is None else database.session_url
    return await Store.open(database.url.get_secret_value(), direct_url=direct_url, clock=clock, pool=_pool(settings))


def _pool(settings: Settings) -> PoolSettings:
    database = settings.database
    return PoolSettings(pool_size=database.pool_size, timeout=database.timeout)


def _rhythm(settings: Settings) -> PollingConfig:
    polling = settings.polling
    pace = PollIntervals(
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
    return PollingConfig(
        pace=pace,
        concurrency=polling.concurrency,
        rate=polling.rate,
        breaker=CircuitBreakerConfig(after=polling.breaker_after, pause=polling.breaker_pause, refused=pace.refused),
        silence_alarm=polling.silence_alarm,
        caps=_caps(settings),
    )


def _caps(settings: Settings) -> Caps:
    limits = settings.limits
    return Caps(provider_rows=limits.provider_rows, match_rows=limits.match_rows, match_people=limits.match_people)
