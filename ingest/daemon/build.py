"""The parts of the daemon without its HTTP server: store, providers and sync, built once and handed on by name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import get_args

from config import Settings
from config.errors import StartError
from config.sections import MediaConfig, Traces
from ingest.jobs.jobs import Jobs
from ingest.jobs.tasks import check_clients
from ingest.kit.process import Role
from ingest.kit.quarantine import Quarantine
from ingest.kit.start_wait import FULL, StartWait
from ingest.sync.declared_liveblogs import Declared, retune
from ingest.sync.declared_matches import DeclaredMatches
from ingest.sync.fixture_lists import FixtureLists
from ingest.sync.follow_rules import RULES, FollowRules, RulePlans
from ingest.sync.followed_match import Lease, given_endpoints
from ingest.sync.follower import Followers
from ingest.sync.import_match import NEW_IDS, MatchImporter, NewIds
from ingest.sync.match_leases import LeasedElsewhere, MatchLeases
from ingest.sync.poll import Record, record_nothing
from ingest.sync.provider_source import connect, endpoint_names, rehome
from ingest.sync.rule_book import RuleBook, rules_of
from ingest.sync.rule_desk import TOPIC, RuleDesk
from ingest.sync.rule_standbys import RuleStandbys
from ingest.sync.standby_sources import StandbyRules, crosswalks_of
from ingest.sync.standby_watch import StandbyWatch
from mapping.fusion.leading_source import LeadRules
from mapping.posts.withdrawal_notes import WithdrawalRules
from providers.base import Provider
from providers.registry import Registry
from store.clients import clients
from store.clients.service_keys import Keys, all_keys
from store.database import Store
from store.engine import private_files
from store.engine.errors import StoreError
from store.engine.settings import PoolSettings
from store.engine.unit import Unit
from store.files.disk import DiskFiles
from store.files.storage import FileStore
from store.masterdata.declarations import Declaration, DeclaredKind, declare
from store.timeline.timeline import PostTimeline

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts that the daemon and `sync-once` share."""

    store: Store
    registry: Registry
    followers: Followers
    standbys: StandbyWatch
    importer: MatchImporter
    declared: Declared
    leasing: MatchLeases
    rules: FollowRules
    rule_desk: RuleDesk
    jobs: Jobs
    wait: StartWait
    quarantine: Quarantine
    keys: Keys
    timeline: PostTimeline


@asynccontextmanager
async def build_components(
    settings: Settings,
    clock: Clock = time.time,
    role: Role = Role.ALL,
    stopped: asyncio.Event | None = None,
    ids: NewIds = NEW_IDS,
) -> AsyncIterator[Components]:
    """Open the store, declare clients, connect the endpoints; everything is closed in reverse.

    `clock`: Unix seconds; `ids`: of what the sync creates.

    Waits for a database that is away. Raises StoreError for a database that stays away, refuses us, or has another
    schema, and for a role that needs other processes beside it where there can be none; Stopped when `stopped` is set
    while it waits.
    """
    if settings.database.is_sqlite and role is not Role.ALL:
        raise StoreError(f"--role {role} needs PostgreSQL: a SQLite file belongs to one process, which does everything")
    registry = Registry.load()
    wait = StartWait(settings.database, stopped)
    async with AsyncExitStack() as cleanup:
        await _send_traces(settings.traces, cleanup)
        sources = connect(settings, registry)
        adapters = {source.adapter.endpoint.key: source.adapter for source in sources.values()}
        for adapter in adapters.values():
            cleanup.push_async_callback(adapter.aclose)
        store = await wait.through(partial(open_store, settings, clock))
        cleanup.push_async_callback(store.close)
        quarantine = Quarantine()
        await wait.through(partial(store.write, partial(_declare, settings=settings)))
        keys = await wait.through(partial(store.write, all_keys))
        await wait.through(partial(check_clients, store, quarantine))
        await wait.through(partial(retune, settings.liveblogs, store, quarantine))
        await wait.through(partial(rehome, store, sources, quarantine))
        record = _recorder(settings, clock, cleanup)
        lease, withdrawals, timeline = Lease(), withdrawal_rules(settings), PostTimeline(store, clock)
        serves = given_endpoints({(source.adapter.endpoint.key, owner) for (owner, _), source in sources.items()})
        standby = standby_rules(settings, serves, [source.provider for source in sources.values()])
        followers = Followers(
            store,
            adapters,
            settings.polling,
            settings.limits,
            clock=clock,
            new_id=ids.event,
            record=record,
            lease=lease,
            quarantine=quarantine,
            serves=serves,
            withdrawals=withdrawals,
            standby=standby,
            timeline=timeline,
        )
        cleanup.push_async_callback(timeline.close)
        for key, name in endpoint_names(sources).items():
            followers.limiters[key].name = name
        leasing = MatchLeases(
            store,
            followers,
            lease,
            knows=frozenset(adapters),
            alone=settings.database.is_sqlite,
            quarantine=quarantine,
        )
        following = leasing if role.works else LeasedElsewhere()
        lists = FixtureLists(followers.limiters, settings.polling)
        cleanup.push_async_callback(lists.close)
        importer = MatchImporter(
            store,
            sources,
            following,
            providers=registry.ids,
            limits=settings.limits,
            withdrawals=withdrawals,
            clock=clock,
            record=record,
            timeline=timeline,
            lists=lists,
            ids=ids,
        )
        declared = Declared(settings.liveblogs, store, importer, clock=clock, quarantine=quarantine)
        book = RuleBook(settings, {each.id: each.catalog for each in registry}, sources)
        plans = RulePlans(
            rules_of(settings.follow),
            read=store.read,
            lists=lists,
            sources=sources,
            declared=DeclaredMatches(settings.liveblogs),
            clock=clock,
            more=book.in_force,
        )
        rules = FollowRules(
            plans,
            store=store,
            importer=importer,
            polling=settings.polling,
            clock=clock,
            standbys=RuleStandbys(store, importer, lists, sources),
        )
        store.on_announcement(TOPIC, rules.look_again)

        def look_again(organization_id: str) -> None:
            rules.look_again(organization_id)
            store.announce(TOPIC, organization_id)

        jobs = Jobs(lambda: leasing.leads)
        jobs.add(RULES, rules.look)
        for key, work in declared.jobs.items():
            jobs.add(key, work)
        yield Components(
            store=store,
            registry=registry,
            followers=followers,
            standbys=StandbyWatch(store, followers, standby, clock=clock),
            importer=importer,
            declared=declared,
            rules=rules,
            rule_desk=RuleDesk(book, lists, read=store.read, clock=clock, look_again=look_again),
            leasing=leasing,
            jobs=jobs,
            wait=wait,
            quarantine=quarantine,
            keys=keys,
            timeline=timeline,
        )


async def _send_traces(traces: Traces, cleanup: AsyncExitStack) -> None:
    """Have spans made and sent, where that is configured. Raises StartError where the extra for it is not installed."""
    if traces.endpoint is None:
        return
    try:
        from ingest.telemetry.traces import sending
    except ModuleNotFoundError as error:
        raise StartError('traces.endpoint needs the extra traces: pip install "matchwire[traces]"') from error
    await cleanup.enter_async_context(sending(traces))


def withdrawal_rules(settings: Settings) -> WithdrawalRules:
    """What goals that are taken back leave behind, as the configuration has it."""
    silent = {owner for owner, organization in settings.organizations.items() if organization.withdrawn == "silent"}
    return WithdrawalRules(silent=frozenset(silent), note_after=settings.polling.note_after)


def standby_rules(
    settings: Settings, serves: Callable[[str, str], bool], providers: Iterable[Provider]
) -> StandbyRules:
    """How matches of two sources are treated, as the configuration has it. Raises StartError for a crosswalk that is none."""
    standby = settings.standby
    return StandbyRules(
        lead=LeadRules(
            silence=standby.silence, stall=standby.stall, implausible=standby.implausible, quiet_time=standby.quiet_time
        ),
        hold=standby.hold,
        slower=standby.slower,
        crosswalks=crosswalks_of(settings),
        kinds={each.id: frozenset().union(*each.catalog.values()) for each in providers},
        serves=serves,
    )


def _recorder(settings: Settings, clock: Clock, cleanup: AsyncExitStack) -> Record:
    """Records the responses to polls, where that is configured; its last lines are written at the end."""
    recording = settings.recording
    if not recording.enabled:
        return record_nothing
    from ingest.sync.recorder import Recorder

    folder = Path(recording.folder)
    _check_writable(folder)
    recorder = Recorder(folder, retention=recording.retention, max_bytes=recording.max_bytes, clock=clock)
    cleanup.push_async_callback(asyncio.to_thread, recorder.close)
    return recorder


def _check_writable(folder: Path) -> None:
    """Raises StartError where no recording can be kept in `folder`; a full disk may have room again later."""
    try:
        folder.mkdir(mode=private_files.FOLDER, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return
    except OSError as error:
        if error.errno not in FULL:
            raise StartError(f"recording.folder: cannot write to {folder}: {error.strerror}") from error


def _declare(unit: Unit, settings: Settings) -> None:
    """Write what the configuration says of clients and records, all of it or nothing."""
    clients.declare(
        unit,
        [
            clients.ClientSpec(
                id=name,
                secrets=tuple(_secret_hash(secret) for secret in client.secrets),
                organizations=client.organizations,
                scopes=client.scopes,
                response_prefix=client.type_prefix,
            )
            for name, client in settings.clients.items()
        ],
    )
    declare(unit, declared_records(settings))


def _secret_hash(secret: str) -> str:
    """The SHA-256 of a secret that the config gives in plain, or has hashed already (`matchwire clients hash`)."""
    return secret.removeprefix("sha256:") if secret.startswith("sha256:") else clients.hash_secret(secret)


async def open_store(settings: Settings, clock: Clock) -> Store:
    """The store of the configured database."""
    database = settings.database
    direct_url = None if database.direct_url is None else database.session_url
    pool = PoolSettings(pool_size=database.pool_size, timeout=database.timeout)
    return await Store.open(database.url.get_secret_value(), direct_url=direct_url, clock=clock, pool=pool)


def declared_records(settings: Settings) -> tuple[Declaration, ...]:
    """Templates, pricings, tags and locations of all organizations."""
    return tuple(
        Declaration(owner_id=owner_id, kind=kind, id=record_id, fields=record.model_dump(exclude_none=True))
        for owner_id, organization in settings.organizations.items()
        for kind in get_args(DeclaredKind)
        for record_id, record in getattr(organization, f"{kind}s").items()
    )


def file_store(media: MediaConfig) -> FileStore:
    """The storage of uploads. Raises StartError where the extra for it is not installed."""
    folder = Path(media.folder)
    if media.storage == "disk":
        return DiskFiles(folder)
    try:
        from store.files.s3 import S3Files, S3Settings
    except ModuleNotFoundError as error:
        raise StartError('media.storage: "s3" needs the extra s3: pip install "matchwire[s3]"') from error
    secret_key = media.s3_secret_key
    settings = S3Settings(
        s3_bucket=media.s3_bucket,
        s3_endpoint=media.s3_endpoint,
        s3_region=media.s3_region,
        s3_prefix=media.s3_prefix,
        s3_access_key=media.s3_access_key,
        s3_secret_key=None if secret_key is None else secret_key.get_secret_value(),
        s3_timeout=media.s3_timeout,
    )
    return S3Files(settings, folder)
