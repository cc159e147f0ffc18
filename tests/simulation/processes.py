"""One process of matchwire, as it is composed for the play: it can end, hang, lose the database, and have its clock set."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from config.sections import Limits, Polling, Webhooks
from ingest.daemon.containment import Containment
from ingest.daemon.housekeeping import close_abandoned
from ingest.sync.follower import Followers
from ingest.sync.import_match import Importer, ProviderSource
from ingest.sync.match_leases import Lease, MatchLeases
from ingest.webhooks.dispatcher import Dispatcher
from ingest.webhooks.receiver_client import NoResponse, Response
from ingest.webhooks.steady_clock import SteadyClock
from mapping.errors import ServiceError
from providers.registry import Registry
from store.database import Store
from store.ids import new_local_id
from tests.opening import endpoint_of
from tests.simulation.database import Backend
from tests.simulation.provider import Transport

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from tests.simulation.world import World

POLLING = Polling(live=4, pause=4, before=4, far=4, after=4, after_growth=1, backoff_max=8, breaker_pause=5, rate=0)
RUNNING: ContextVar[Process] = ContextVar("RUNNING")
"""The process that a task belongs to."""


class ProcessEnded(BaseException):
    """The process of this task is no more; nothing can be awaited in it."""


def task_of(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any) -> asyncio.Task[Any]:
    """A task that its process knows, so that it ends with it."""
    task = asyncio.Task(coroutine, loop=loop, **options)
    process = RUNNING.get(None)
    if process is not None:
        process.tasks[task] = None
        task.add_done_callback(lambda done: process.tasks.pop(done, None))
    return task


class Receiver:
    """What one receiver has taken, and the way of a process to it: what `ReceiverClient` is to the product."""

    def __init__(self, guard: Any, url: str, *, connections: int) -> None:
        del guard, connections
        self._url = url
        self._process = RUNNING.get()

    async def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        """204, a fault, or nothing at all; what was taken may be answered by nothing too."""
        del headers
        world = self._process.world
        await self._process.runs()
        await asyncio.sleep(world.latency())
        fault = world.receiver_fault()
        if fault == "500":
            return Response(500, "")
        if fault == "hangs":
            await asyncio.sleep(3600)
        if fault != "unheard":
            world.delivered(self._url, body)
        await self._process.runs()
        if fault:
            raise NoResponse
        return Response(204, "")

    async def close(self) -> None:
        """Nothing is open."""


class OpenGuard:
    """No name is looked up here."""

    def on_behalf_of(self, organization: str) -> OpenGuard:
        del organization
        return self


class Process:
    """A worker, from its start to its end."""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name = world, name
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.cut_off = False
        self.offset = 0.0
        """Seconds by which its wall clock is wrong."""
        self._ended = False
        self._frozen: asyncio.Event | None = None
        self.leasing: MatchLeases
        self.dispatcher: Dispatcher
        self.followers: Followers
        self.importer: Importer

    def wall(self) -> float:
        return time.time() + self.offset

    async def runs(self) -> None:
        """Wait while the process hangs; raises where it has ended."""
        while self._frozen is not None:
            await self._frozen.wait()
        if self._ended:
            raise ProcessEnded

    def start(self) -> None:
        """Compose and start it, as `ingest.daemon.run` does."""
        token = RUNNING.set(self)
        try:
            asyncio.get_running_loop().create_task(self._main())
        finally:
            RUNNING.reset(token)

    async def _main(self) -> None:
        store = Store(Backend(self, self.world.server))  # type: ignore[arg-type] -- the same interface
        endpoint = endpoint_of(provider="heim", base_url="http://provider.example")
        provider = Registry.load().find("heim")
        assert provider is not None
        adapter = provider.connect(endpoint)
        adapter._client.opened = Transport(self, self.world.provider)  # type: ignore[attr-defined]
        lease, containment = Lease(steady=time.monotonic), Containment()
        self.followers = Followers(
            store, {endpoint.key: adapter}, POLLING, Limits(), clock=self.wall, new_id=partial(new_local_id, "e"),
            lease=lease, containment=containment,
        )  # fmt: skip
        self.leasing = MatchLeases(
            store, self.followers, lease, knows=frozenset({endpoint.key}), containment=containment
        )
        sources = {(self.world.organization, "heim"): ProviderSource(provider, adapter, text_content=False)}
        self.importer = Importer(store, sources, self.leasing, providers=frozenset({"heim"}), limits=Limits())
        self.dispatcher = Dispatcher(
            store, OpenGuard(), Webhooks(rate=0), timing=SteadyClock(wall=self.wall, steady=time.monotonic),  # type: ignore[arg-type]
            claim_owner=self.leasing, containment=containment,
        )  # fmt: skip
        store.on_step(self.dispatcher.wake)
        self.store = store
        parts = (self.followers.run(), self.leasing.run(), self.dispatcher.run(), self._ticks(store))
        await asyncio.gather(*parts)

    async def _ticks(self, store: Store) -> None:
        while True:
            await asyncio.sleep(5)
            await self.followers.watch_silence()
            with suppress(ServiceError):  # the scheduler goes on too
                await close_abandoned(store)

    async def stop(self) -> None:
        """An orderly stop, as after SIGTERM."""
        await self.dispatcher.stop(5.0)
        await self.followers.stop()
        await self.leasing.stop()
        self.kill()

    def kill(self) -> None:
        """The end, wherever it is."""
        self._ended = True
        self.thaw()
        for task in list(self.tasks):
            task.cancel()

    def freeze(self) -> None:
        """SIGSTOP, as far as others can see it."""
        self._frozen = self._frozen or asyncio.Event()

    def thaw(self) -> None:
        if self._frozen is not None:
            self._frozen.set()
            self._frozen = None

    def set_clock(self, offset: float) -> None:
        """Somebody sets the wall clock; the process notices, as the scheduler has it notice."""
        seconds, self.offset = offset - self.offset, offset
        self.followers.clock_set(seconds)

    @property
    def alive(self) -> bool:
        return not self._ended
