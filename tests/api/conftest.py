import asyncio
import functools
import sqlite3
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

from api.app import create_app
from api.feeds.feed_selection import UnknownThemes
from api.http.request import RuleEngine, Services
from api.middleware.outermost import RequestLog
from api.view.liveblog_reads import ReadCounts, StepSignal
from config.organizations import FollowEntry
from ingest.sync.fixture_lists import day_of
from ingest.sync.rule_book import RuleBook
from mapping.follow.preview import RulePreview
from mapping.match.fixture import Fixture, FixtureDay, FixtureList
from store.clients import clients
from store.clients.service_keys import Keys
from store.database import Store
from store.files.storage import FileMissing, FileStore, FoundFile, StoredFile
from store.following.import_request import FoundStandby, ImportRequest, StandbyRequest
from store.liveblogs import liveblogs
from store.masterdata import declarations
from store.schema import metadata
from tests.kit import matchday
from tests.kit.browser import browser, browsers, chromium
from tests.kit.opening import pool_settings, store_at
from tests.kit.settings import configured
from tests.kit.sqlite import copied_url, filled_database

__all__ = ["browser", "browsers", "chromium"]

NOW = 1_790_000_000


PREVIEW = {
    "provider": "heim",
    "selector": {"matchId": "8315073"},
    "sportstype": "soccer",
    "title": "SV Hafenstadt – AV Bergheim",
    "competition": "Küstencup",
    "homeTeam": "SV Hafenstadt",
    "awayTeam": "AV Bergheim",
    "startsAt": NOW + 3600,
    "status": "scheduled",
    "scoreboard": True,
    "lineUps": 36,
    "events": 0,
    "textContent": True,
}
"""What a provider holds of a match that is still to be played."""


class NoFiles:
    """A storage that takes every file and has none."""

    async def put(self, key: str, chunks: AsyncIterable[bytes]) -> StoredFile:
        parts = [chunk async for chunk in chunks]
        return StoredFile(sum(map(len, parts)), "0" * 64)

    async def read(self, key: str, most: int, start: int = 0) -> bytes:
        raise FileMissing("there is no such file")

    async def delete(self, key: str) -> None: ...

    async def keys(self, after: str, limit: int) -> list[FoundFile]:
        return []

    async def discard_unfinished(self, before: float) -> None: ...


@dataclass
class Server:
    """The API over a real store, and a client for it; time stands still unless a test moves it."""

    store: Store
    http: httpx.AsyncClient
    app: Any
    services: Services | None = None
    requested: list[ImportRequest] = field(default_factory=list)
    fails: Exception | Mapping[str, Exception] | None = None
    """What every request fails with, or those for these matches."""
    previewed: dict[str, Any] = field(default_factory=lambda: dict(PREVIEW))
    listed: dict[str, tuple[Fixture, ...]] = field(default_factory=dict)
    """The matches of every day, by provider or else by organization."""
    unreadable: int = 0
    days: list[tuple[str, str]] = field(default_factory=list)
    """Provider and day of each list that was wanted."""
    answered: dict[str, float] = field(default_factory=dict)
    creating: asyncio.Lock = field(default_factory=asyncio.Lock)
    ready: dict[str, Any] = field(default_factory=lambda: {"ready": True})
    rule_book: RuleBook | None = None
    """Says what is wrong with rules; nothing is without it."""
    rules: RulePreview = field(default_factory=lambda: RulePreview((), (), {}))
    """What rules would make."""
    looked_again: list[str] = field(default_factory=list)
    """The organizations whose rules have changed."""
    now: float = NOW
    ticks: float = 0.0

    async def create(self, request: ImportRequest) -> str:
        """As the importer, for every request the same liveblog."""
        self._look(request)
        async with self.creating:
            if await self.store.read(partial(liveblogs.find_game, name="gnew")) is None:
                await self.add(matchday.Liveblog(local_id="gnew", ticker_id="9e" * 12))
        return "9e" * 12

    async def preview(self, request: ImportRequest) -> dict[str, Any]:
        self._look(request)
        return {**self.previewed, "provider": request.provider}

    async def fixtures(self, organization_id: str, provider: str, day: str) -> FixtureDay:
        self.days.append((provider, day))
        if isinstance(self.fails, Exception):
            raise self.fails
        return FixtureDay(
            day=day_of(day, "Europe/Berlin", self.now),
            timezone="Europe/Berlin",
            endpoint=provider,
            sports=frozenset({"soccer"}),
            listed=FixtureList(
                fixtures=self.listed.get(provider, self.listed.get(organization_id, ())), unreadable=self.unreadable
            ),
        )

    def _look(self, request: ImportRequest) -> None:
        self.requested.append(request)
        fault = self.fails.get(request.selector_id) if isinstance(self.fails, dict) else self.fails
        if fault is not None:
            raise fault

    async def find_standby(self, wanted: StandbyRequest) -> FoundStandby:
        raise NotImplementedError

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Nothing is followed."""

    def check_text(self, organization_id: str, provider: str, sport: str) -> None:
        """There is text for all."""

    async def is_ready(self) -> dict[str, Any]:
        return self.ready

    async def report(self) -> dict[str, Any]:
        """What a daemon says of itself where nothing is wrong."""
        process = {"version": "1", "role": "all", "host": "h", "pid": 1, "startedAt": NOW}
        return {
            "process": process,
            "workers": 1,
            "matches": None,
            "followed": [],
            "endpoints": [],
            "webhooks": None,
            "alarms": [],
            "missing": [],
        }

    def rule_faults(self, entry: FollowEntry) -> Iterable[Any]:
        return () if self.rule_book is None else self.rule_book.faults(entry)

    async def preview_rules(self, organization_id: str) -> RulePreview:
        return self.rules

    async def add(self, game: matchday.Liveblog) -> None:
        await self.store.write(partial(matchday.insert, game))


@asynccontextmanager
async def serving(
    store: Store,
    *,
    metrics: Callable[[str], tuple[bytes, str]] | None = None,
    files: FileStore | None = None,
    parts: Mapping[str, Any] | None = None,
    **settings: Any,
) -> AsyncIterator[Server]:
    """The API over the store; `parts`: services in place of ours, by their names."""
    server = Server(store=store, http=None, app=None)  # type: ignore[arg-type]
    services = Services(
        store=store,
        settings=configured(**{"public_url": "https://live.example.org/blogs/", **settings}),
        importer=server,
        organizations={matchday.ORGANIZATION: "Example Newsroom", matchday.OTHER: "Other"}.get,
        ready=server.is_ready,
        clock=lambda: server.now,
        providers=frozenset({"heim", "gn-gsd"}),
        event_types=frozenset({"soccer.goal", "soccer.yellow-card", "tennis.start"}),
        keys=Keys(media=b"k" * 32, readers=b"r" * 32, reader_ids=b"r" * 32),
        files=files or NoFiles(),
        metrics=metrics,
        status=server.report,
        last_answers=lambda: server.answered,
    )
    services = replace(services, **(parts or {})).having(
        RequestLog(1.0),
        ReadCounts(),
        UnknownThemes(),
        StepSignal(store),
        RuleEngine(server.rule_faults, server.preview_rules, server.looked_again.append),
    )
    server.services = services
    server.app = create_app(services, monotonic=lambda: server.ticks)
    transport = httpx.ASGITransport(app=server.app, raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as http:
        server.http = http
        yield server


async def contents(server: Server) -> dict[str, Any]:
    """Everything that is stored, table by table: the rows of a SQLite file, on PostgreSQL a hash of them."""
    return await server.store.read(_contents)


def _contents(conn: Connection) -> dict[str, Any]:
    """By one statement, or a connection that costs a sixth of the store's own."""
    if conn.dialect.name == "postgresql":
        hashed = "SELECT '{0}', md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM \"{0}\" AS t"
        query = " UNION ALL ".join(map(hashed.format, metadata.tables))
        return {row[0]: row[1] for row in conn.exec_driver_sql(query)}
    _, _, file = conn.exec_driver_sql("PRAGMA database_list").one()
    with closing(sqlite3.connect(file)) as raw:
        raw.row_factory = sqlite3.Row
        return {name: raw.execute(f'SELECT * FROM "{name}"').fetchall() for name in metadata.tables}


async def open_store(url: str) -> Store:
    return await store_at(url, clock=lambda: NOW - 60, pool=pool_settings(timeout=60.0))


@functools.cache
def declared_database() -> bytes:
    """The bytes of a database with the clients and tags that a configuration declares: each test has a copy."""

    async def declare(url: str) -> None:
        opened = await open_store(url)
        await opened.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
        await opened.write(lambda unit: declarations.declare(unit, matchday.TAGS))
        await opened.close()

    return filled_database(declare)


@pytest.fixture
async def store(tmp_path) -> AsyncIterator[Store]:
    opened = await open_store(copied_url(tmp_path / "test.db", declared_database))
    yield opened
    await opened.close()


@pytest.fixture
async def server(store) -> AsyncIterator[Server]:
    async with serving(store, client_per_second=0, public_per_second=0) as running:
        yield running


@pytest.fixture
async def public(store) -> AsyncIterator[Server]:
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True) as running:
        yield running


@pytest.fixture
def auth() -> dict[str, str]:
    return {"client_id": "desk", "client_secret": matchday.SECRET}
