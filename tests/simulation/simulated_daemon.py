"""The whole daemon in virtual time: its composition root with its scheduler, jobs, purges, alarms and API.

What is replaced lies around it: clocks, the database's backend, the HTTP transport to providers, the clients of receivers,
and the server; the application that it would serve is called in its place.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import apscheduler.schedulers.base
import apscheduler.triggers.interval
import httpx
from starlette.types import ASGIApp

import api.app
import api.media.variants  # see below
from config import Settings
from ingest.alarms import alarms
from ingest.daemon import build, run
from ingest.jobs import tasks
from ingest.jobs.jobs import Jobs, Scheduler, Tick
from ingest.kit.steady_clock import SteadyClock
from ingest.sync import match_leases
from ingest.webhooks import dispatcher
from providers import http_client
from store.database import Store
from tests.simulation.simulated_process import WallClock
from tests.simulation.simulated_receivers import SimulatedReceiverClient, SimulatedReceivers
from tests.simulation.simulated_store import SimulatedBackend, SimulatedDatabase
from tests.simulation.virtual_loop import SimulatedExecution, VirtualLoop

PRODUCT = frozenset({"api", "config", "ingest", "mapping", "providers", "store"})
RARER = 10
"""So much longer than in the daemon are the pauses of what looks whether there is something to do: it is most of a day's cost."""
RARER_LEASES = 4
"""The same of what renews leases, and of how long they last: the database is away for longer than that."""
ADDRESSES = 64
"""Addresses that the HTTP client of an endpoint keeps: so few that its cache is full soon."""


def is_product(module: str) -> bool:
    return module.partition(".")[0] in PRODUCT and not module.startswith("providers.replay")


@dataclass(frozen=True)
class Remains:
    """What is left in memory of a process that was killed. A real one would leave nothing."""

    execution: SimulatedExecution
    serving: asyncio.Task[None] | None
    stopped: asyncio.Event
    backend: SimulatedBackend | None

    async def clear_away(self) -> None:
        """Let it stop in order; it reaches no database any more."""
        if self.backend is not None:
            self.backend.partitioned = True
        self.stopped.set()
        self.execution.resume()
        if self.serving is not None:
            await asyncio.wait({self.serving})


class SimulatedDaemon:
    """One process, started anew as often as it is killed. The database, the clock and the world around it remain."""

    def __init__(
        self,
        loop: VirtualLoop,
        settings: Settings,
        database: SimulatedDatabase,
        seeded: random.Random,
        clock: WallClock,
    ) -> None:
        self.execution = SimulatedExecution(loop)
        self.app: ASGIApp | None = None
        """What it would serve; None while it is away."""
        self._loop = loop
        self._settings = settings
        self._database = database
        self._seeded = seeded
        self._clock = clock
        self._serving: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()
        self._backend: SimulatedBackend | None = None

    async def start(self) -> None:
        """Returns once requests are answered; raises what it ended with instead."""
        self.execution = SimulatedExecution(self._loop)
        ready: asyncio.Future[str] = self._loop.create_future()
        self._stopped = asyncio.Event()
        work = run.run(self._settings, announce=ready.set_result, clock=self._clock, stop=self._stopped)
        self._serving = self.execution.spawn(work)
        await asyncio.wait({ready, self._serving}, return_when=asyncio.FIRST_COMPLETED)
        self.check()

    def check(self) -> None:
        """Raises what the daemon ended with, where it has ended by itself."""
        if self._serving is not None and self._serving.done():
            self._serving.result()
            raise AssertionError("the daemon has ended")

    def kill(self) -> Callable[[], Awaitable[None]]:
        """As SIGKILL does: no step of it comes any more. Gives what clears away its remains, once another one runs."""
        self.execution.stop()
        self.app = None
        self._database.backends.clear()
        remains = Remains(self.execution, self._serving, self._stopped, self._backend)
        self._serving = None
        return remains.clear_away

    async def stop(self) -> None:
        """It ends without its database."""
        await self.kill()()

    async def open_store(self, settings: Settings, clock: Callable[[], float]) -> Store:
        del settings
        self._backend = SimulatedBackend("daemon", self._database, self._seeded, clock)
        return Store(self._backend)  # type: ignore[arg-type]

    @asynccontextmanager
    async def serving(self, app: ASGIApp, *_: object) -> AsyncIterator[str]:
        self.app = app
        yield "http://matchwire.invalid"


@contextmanager
def in_virtual_time(
    daemon: SimulatedDaemon,
    loop: VirtualLoop,
    clock: WallClock,
    providers: httpx.AsyncBaseTransport,
    receivers: SimulatedReceivers,
    *,
    timetable: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """The product's clocks are those of the simulation, and so is all that the daemon reaches.

    `timetable`: when the purges are due, where that is not the product's.
    """
    with ExitStack() as patches:

        def replace(owner: object, name: str, value: object) -> None:
            patches.enter_context(patch.object(owner, name, value))

        for module, name, value in _clocks(loop, clock):
            replace(module, name, value)
        replace(apscheduler.schedulers.base, "datetime", _datetime_of(clock))
        replace(apscheduler.triggers.interval, "datetime", _datetime_of(clock))
        replace(run, "Scheduler", partial(_RareTicks, wall=clock, steady=loop.time))
        replace(api.app, "create_app", partial(api.app.create_app, monotonic=loop.time))
        replace(run, "SteadyClock", partial(SteadyClock, steady=loop.time))
        replace(build, "Jobs", partial(Jobs, steady=loop.time))
        for module in (dispatcher, alarms):
            replace(module, "TICK", module.TICK * RARER)
        for name in ("TICK", "LEASE"):
            replace(match_leases, name, getattr(match_leases, name) * RARER_LEASES)
        replace(build, "Lease", partial(match_leases.Lease, loop.time))
        replace(run, "purges", partial(_purges_at, timetable) if timetable else run.purges)
        replace(build, "open_store", daemon.open_store)
        replace(run, "serving", daemon.serving)
        replace(http_client, "ADDRESSES", ADDRESSES)
        replace(http_client.Client, "transport", property(lambda _: providers))
        replace(dispatcher, "ReceiverClient", lambda _, url, **more: SimulatedReceiverClient(receivers, url, **more))
        yield


class _RareTicks(Scheduler):
    def every(self, seconds: float, tick: Tick, *, name: str) -> None:
        super().every(seconds * RARER, tick, name=name)


def _clocks(loop: VirtualLoop, clock: WallClock) -> list[tuple[ModuleType, str, object]]:
    """Module, name and new value of each clock that a module of the product has by name."""
    clocks = SimpleNamespace(**{**vars(time), "monotonic": loop.time, "time": clock})
    values: dict[Any, object] = {time.monotonic: loop.time, time: clocks}
    return [
        (module, name, values[value])
        for module in filter(None, list(sys.modules.values()))
        if is_product(module.__name__)
        for name, value in list(vars(module).items())
        if value is time or value is time.monotonic
    ]


def _datetime_of(clock: WallClock) -> type[datetime]:
    class Virtual(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Virtual:
            return cls.fromtimestamp(clock(), tz)

    return Virtual


def _purges_at(timetable, *args, **kwargs):
    """The purges at other minutes than the product's; those that it does not name are left out."""
    at = {name: cron for cron, name in timetable.items()}
    return tuple(each._replace(cron=at[each.name]) for each in tasks.purges(*args, **kwargs) if each.name in at)
