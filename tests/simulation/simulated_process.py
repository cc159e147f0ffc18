"""A process of the daemon in a simulation: the product's own followers, leases, outbox sequencer and deliveries."""

import asyncio
from functools import partial
from typing import Any

from config.sections import Webhooks
from ingest.kit.quarantine import Quarantine
from ingest.kit.steady_clock import SteadyClock
from ingest.sync.followed_match import Lease
from ingest.sync.follower import Followers
from ingest.sync.import_match import MatchImporter
from ingest.sync.match_leases import MatchLeases
from ingest.sync.provider_source import ProviderSource
from ingest.webhooks.dispatcher import Dispatcher
from mapping.rules.webhook_delivery import Plan
from providers.heim.adapter import HEIM
from store.database import Store
from store.engine.liveblog_records import new_local_id
from tests.kit.settings import LIMITS, polling
from tests.simulation.simulated_provider import SimulatedProvider
from tests.simulation.simulated_receivers import SimulatedReceivers
from tests.simulation.simulated_store import SimulatedBackend
from tests.simulation.virtual_loop import SimulatedExecution, VirtualLoop

EPOCH = 1_749_918_000.0
"""The wall clock at the beginning: the matches are under way."""
OWNER = "5f0c1de2a1b2c3d4e5f60718"
PLAN = Plan(gap=8.0, longest_gap=20.0)
"""A failed delivery is tried again after seconds instead of minutes."""


class WallClock:
    """A process's idea of the time of day; `offset` is what somebody has set it by."""

    def __init__(self, loop: VirtualLoop, epoch: float = EPOCH) -> None:
        self.offset = 0.0
        self.epoch = epoch
        self._loop = loop

    def __call__(self) -> float:
        return self.epoch + self._loop.time() + self.offset


class SimulatedProcess:
    """Built, started, and stopped or killed at any step. What it knows dies with it; the database does not."""

    def __init__(
        self,
        loop: VirtualLoop,
        backend: SimulatedBackend,
        provider: SimulatedProvider,
        receivers: SimulatedReceivers,
        clock: WallClock,
    ) -> None:
        self.execution = SimulatedExecution(loop)
        self.backend = backend
        self.provider = provider
        self.clock = clock
        self.store = Store(backend)
        quarantine, lease = Quarantine(), Lease(loop.time)
        adapters: dict[str, Any] = {provider.endpoint.key: provider}
        self.followers = Followers(
            self.store,
            adapters,
            polling(),
            LIMITS,
            clock=clock,
            new_id=partial(new_local_id, "e"),
            lease=lease,
            quarantine=quarantine,
        )
        self.leasing = MatchLeases(self.store, self.followers, lease, knows=frozenset(adapters), quarantine=quarantine)
        sources = {(OWNER, "heim"): ProviderSource(HEIM, provider, text_content=False)}
        self.importer = MatchImporter(self.store, sources, self.leasing, providers=frozenset({"heim"}), limits=LIMITS)
        self.dispatcher = Dispatcher(
            self.store,
            receivers,
            Webhooks(rate=0),
            timing=SteadyClock(clock, loop.time),
            claim_owner=self.leasing,
            quarantine=quarantine,
        )
        self.dispatcher.plan = PLAN

    async def run(self) -> None:
        """As the daemon starts its parts."""
        self.store.on_step(self.dispatcher.wake)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.leasing.run())
            tasks.create_task(self.followers.run())
            tasks.create_task(self.dispatcher.run())

    def set_clock(self, seconds: float) -> None:
        """Somebody sets the clock, and the process notices."""
        self.clock.offset += seconds
        self.followers.clock_set(seconds)
