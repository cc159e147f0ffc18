"""The service with providers behind it in one process: liveblogs are created over HTTP, and matches are polled by hand."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from ingest.kit.quarantine import Quarantine
from ingest.sync.followed_match import FollowedMatch
from ingest.sync.follower import Followers
from ingest.sync.import_match import MatchImporter
from ingest.sync.poll import Record, record_nothing
from ingest.sync.provider_source import ProviderSource
from providers.base import Provider, ProviderAdapter
from store.clients import clients
from store.database import Store
from store.engine.liveblog_records import new_local_id
from store.following import follow_rows
from tests.api.conftest import Server, serving
from tests.kit import matchday
from tests.kit.opening import pool_settings, store_at
from tests.kit.scripted import Clock
from tests.kit.settings import LIMITS, polling

DESK = ("desk", matchday.SECRET)
ORGANIZATION = f"/apigw/sports/v2/{matchday.ORGANIZATION}/liveblog"
SECONDS = 5
"""Between two polls."""


@dataclass(kw_only=True)
class ProviderService:
    """`connect` gives the adapter of a provider to each process that starts."""

    store: Store
    clock: Clock
    providers: Mapping[str, Provider]
    connect: Callable[[Provider], ProviderAdapter]
    record: Record = record_nothing
    server: Server = field(init=False)
    adapters: dict[str, ProviderAdapter] = field(init=False, default_factory=dict)

    async def start(self) -> None:
        """A fresh process: nothing in memory, no match taken up."""
        await self.stop()
        self.adapters = {name: self.connect(each) for name, each in self.providers.items()}
        self.followers = Followers(
            self.store,
            {each.endpoint.key: each for each in self.adapters.values()},
            polling(),
            LIMITS,
            clock=lambda: self.clock.now,
            new_id=lambda: new_local_id("e"),
            quarantine=Quarantine(),
            record=self.record,
        )
        access = {
            (matchday.ORGANIZATION, name): ProviderSource(self.providers[name], adapter, text_content=True)
            for name, adapter in self.adapters.items()
        }
        self.importer = MatchImporter(
            self.store, access, self.followers, providers=frozenset(self.adapters), limits=LIMITS
        )

    async def stop(self) -> None:
        """Close the adapters."""
        for each in self.adapters.values():
            await each.aclose()

    async def take_up(self, provider: str) -> None:
        """Follow the stored matches of a provider."""
        for row in await self.store.read(follow_rows.follows):
            if row.provider == provider:
                await self.followers.follow(row.id)

    async def create(self, provider: str, selector: Mapping[str, str], **wishes: Any) -> dict[str, Any]:
        """The liveblog of a match."""
        body = {"provider": provider, **selector, "autoPostEnabled": True, **wishes}
        answer = await self.server.http.post(f"{ORGANIZATION}/createFromExternal", json=body, auth=DESK)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def poll(self, times: int = 1) -> None:
        """Poll every match so many times."""
        for _ in range(times):
            self.clock.now += SECONDS
            for match in self.matches:
                await self.followers.poll(match)
        self.server.now = self.clock.now

    @property
    def matches(self) -> tuple[FollowedMatch, ...]:
        return self.followers.matches

    async def answer(self, path: str, **params: str) -> httpx.Response:
        """What the API answers; 200."""
        answer = await self.server.http.get(path, params=params, auth=DESK)
        assert answer.status_code == 200, answer.text
        return answer

    async def get(self, path: str, **params: str) -> dict[str, Any]:
        """The document that the API answers."""
        found: dict[str, Any] = (await self.answer(path, **params)).json()
        return found


@dataclass
class Running:
    """The importer of the process that runs."""

    service: ProviderService

    def __getattr__(self, name: str) -> Any:
        return getattr(self.service.importer, name)


@asynccontextmanager
async def provider_service(
    url: str, providers: Iterable[Provider], connect: Callable[[Provider], ProviderAdapter]
) -> AsyncIterator[ProviderService]:
    """The service over a migrated database, with its first process started."""
    known = {each.id: each for each in providers}
    clock = Clock()
    store = await store_at(url, clock=lambda: clock.now, pool=pool_settings(timeout=60.0))
    await store.write(lambda unit: clients.declare(unit, matchday.CLIENTS))
    service = ProviderService(store=store, clock=clock, providers=known, connect=connect)
    await service.start()
    kinds = frozenset(kind for each in known.values() for group in each.catalog.values() for kind in group)
    parts = {"importer": Running(service), "providers": frozenset(known), "event_types": kinds}
    async with serving(store, client_per_second=0, public_per_second=0, public_feeds=True, parts=parts) as server:
        service.server = server
        yield service
    await service.stop()
    await store.close()
