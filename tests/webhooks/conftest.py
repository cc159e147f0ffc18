"""A store, and deliveries to receivers in processes of their own."""

import asyncio
import socket
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from ingest.kit.quarantine import Quarantine
from ingest.kit.steady_clock import SteadyClock
from ingest.webhooks import dispatcher
from ingest.webhooks.dispatcher import Dispatcher
from mapping.rules import webhook_delivery
from store.database import Store
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import insert_game, record
from store.webhooks import delivery_log, webhooks
from tests.kit.opening import store_at
from tests.kit.sqlite import migrated_url
from tests.store.conftest import ORGANIZATION, new_game

QUICK = Webhooks(rate=0, round_timeout=120.0, try_timeout=60.0)
"""No try is given up because the machine is busy."""
SHORTER = 20
"""Quick tries follow each other so many times as fast as for real receivers."""


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that the plan made between quick tries, in its own seconds; nothing waits for a second to pass."""
    made, pause_of = [], webhook_delivery.quick_pause

    def shorter(*given, **named):
        pause = pause_of(*given, **named)
        if pause is not None:
            made.append(pause)
        return pause and pause / SHORTER

    monkeypatch.setattr(webhook_delivery, "quick_pause", shorter)
    monkeypatch.setattr(dispatcher, "TICK", 0.05)
    return made


@dataclass
class Hands:
    """Two clocks that go on evenly, and that the test moves, together or not."""

    passed: float = 0.0
    jumped: float = 0.0
    began: float = field(default_factory=time.time)
    real: float = field(default_factory=time.monotonic)

    def steady(self):
        return time.monotonic() - self.real + self.passed

    def wall(self):
        return self.began + self.steady() + self.jumped

    def pass_(self, seconds):
        self.passed += seconds

    def jump(self, seconds):
        self.jumped += seconds


class CountedDispatcher(Dispatcher):
    """Counts how often it has looked for what is due."""

    looked = 0

    async def _tick(self):
        await super()._tick()
        self.looked += 1


@pytest.fixture
def closed_port():
    """A port that refuses connections."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener.getsockname()[1]  # bound, never listening


async def subscribe(store, url, organization=ORGANIZATION):
    work = partial(webhooks.subscribe, organization_id=organization, url=url, secret=webhooks.new_secret(), limit=1000)
    return (await store.write(work))[0]


@asynccontextmanager
async def delivering(store, settings=QUICK, guard=None, *, alone=True, grace=1.0, timing=None, claim_owner=None):
    """Deliveries of what the store says, to receivers on loopback."""
    guard = guard or SsrfGuard(Webhooks(allow_hosts=["127.0.0.1"]))
    own = CountedDispatcher(
        store, guard, settings, timing=timing, claim_owner=claim_owner, quarantine=Quarantine()
    )  # fmt: skip
    store.on_step(own.wake)
    running = asyncio.create_task(own.run(alone=alone))
    try:
        yield own
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await own.stop(grace=grace)


@dataclass
class Hub:
    """A store with one liveblog, and its deliveries."""

    store: Store
    timing: SteadyClock
    game: object
    delivering: Dispatcher = None

    async def subscribe(self, url, organization=ORGANIZATION):
        return await subscribe(self.store, url, organization)

    async def change(self, game_id=None):
        return await self.store.write(lambda unit: record(unit, game_id or self.game.id, Change()))

    async def subscription(self, url, organization=ORGANIZATION):
        return await self.store.read(lambda conn: webhooks.find(conn, organization, url))

    async def log(self, url=None, organization=ORGANIZATION, **more):
        wanted = delivery_log.LogFilter(url=url)
        rows = await self.store.read(lambda conn: delivery_log.page(conn, organization, wanted, limit=500, **more))
        return rows[::-1]

    async def has_logged(self, number, url=None):
        """The log, as soon as it has so many rows."""
        async with asyncio.timeout(120):
            while len(rows := await self.log(url)) < number:
                await asyncio.sleep(0.01)
        return rows

    async def looks_again(self):
        """Wait until all that is due has been looked for, and begun."""
        enough = self.delivering.looked + 3
        async with asyncio.timeout(120):
            while self.delivering.looked < enough:
                await asyncio.sleep(0.01)

    @asynccontextmanager
    async def deliver(self, settings=QUICK, guard=None, claim_owner=None, **changes):
        settings = settings.model_copy(update=changes)
        given = {"timing": self.timing, "claim_owner": claim_owner, "grace": 0.3}
        async with delivering(self.store, settings, guard, **given) as self.delivering:
            yield self.delivering


@pytest.fixture
def hands():
    return Hands()


@pytest.fixture
def timing(hands):
    return SteadyClock(wall=hands.wall, steady=hands.steady)


@pytest.fixture
async def hub(tmp_path, timing, pauses):
    store = await store_at(migrated_url(tmp_path / "hooks.db"), clock=timing.wall)
    game = await store.write(partial(insert_game, game=new_game()))
    yield Hub(store, timing, game)
    await store.close()
