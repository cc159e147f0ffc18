"""One seed, one run: several processes follow matches and deliver, while everything fails that may fail; then nothing does.

`python -m tests.simulation.seeded_run 17` plays seed 17 alone, and with names of acts behind it these alone of what goes wrong
and of what people do, and prints what happened in it.
"""

import asyncio
import random
import secrets
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from structlog.testing import capture_logs

from ingest.kit import bulkhead
from ingest.sync import endpoint_limiter, follower, match_failures, poll
from ingest.webhooks import attempt, dispatcher
from mapping.documents.import_options import ImportOptions
from mapping.documents.scalars import LocalStatus
from mapping.errors import ServiceError, StoreUnavailable
from store.database import Store
from store.engine.liveblog_records import Change, EventWrite
from store.engine.unit import Unit
from store.following.import_request import ImportRequest
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named
from store.webhooks import webhooks
from tests.simulation.invariants import DESK, Invariants, Violation, posts, promise, require
from tests.simulation.shortest import shortest
from tests.simulation.simulated_process import OWNER, SimulatedProcess, WallClock
from tests.simulation.simulated_provider import SimulatedProvider, course
from tests.simulation.simulated_receivers import SimulatedReceiverClient, SimulatedReceivers
from tests.simulation.simulated_store import SimulatedBackend, SimulatedDatabase
from tests.simulation.virtual_loop import Deadlock, VirtualLoop

PROCESSES = 3
MATCHES = 2
RECEIVERS = 2
FAULTS_END = 50.0
"""Virtual seconds in which things fail."""
SETTLED_BY = 160.0
"""Virtual seconds by which everything has to be as it should be: leases, circuits and rounds of deliveries take their time."""
STEPS = (-172_800.0, -7200.0, -30.0, 30.0, 7200.0, 691_200.0)
"""Seconds by which a clock is set."""


class SeededRun:
    """The world of one seed: a database, a provider, receivers, and processes that come and go."""

    def __init__(self, seed: int, loop: VirtualLoop, only: Collection[str] | None = None) -> None:
        self.seed, self.only = seed, only
        self.seeded = random.Random(seed)
        self.loop = loop
        self.acts: list[str] = []
        """The names of what went wrong and of what people did."""
        self.trace: list[str] = []
        """What happened, line by line; the same for the same seed."""
        self.violation: Exception | None = None
        """The first promise that was broken; whoever broke it has gone on."""
        self.faulty = False
        self.database = SimulatedDatabase(self._committed)
        self.receivers = SimulatedReceivers(self.seeded, self._arrived)
        self.invariants = Invariants(self.database.raw, self.receivers)
        self.courses = {
            name: course(name, self.seeded, lasts=FAULTS_END, steps=self.seeded.randrange(3, 9))
            for name in map(str, range(9_000_001, 9_000_001 + MATCHES))
        }
        self.processes: list[SimulatedProcess] = []
        self._gone: list[SimulatedProcess] = []

    async def play(self) -> None:
        """Raises Violation for what happened in it or did not happen in the end."""
        self.processes = [self._begin(f"p{number}") for number in range(PROCESSES)]
        await self._subscribe()
        self._set_faulty(faulty=True)
        await asyncio.gather(self._fail("a"), self._fail("b"), self._edit(), self._join())
        await self._heal()
        await self._settle()

    async def end(self) -> None:
        """Let everything end that was begun, so that nothing of this seed reaches the next one."""
        self.database.away = True
        for process in (*self.processes, *self._gone):
            process.execution.resume()
        for _ in range(3):
            ending = asyncio.all_tasks() - {asyncio.current_task()}
            for task in ending:
                task.cancel()
            if ending:
                await asyncio.wait(ending, timeout=60.0)

    def note(self, *words: object) -> None:
        self.trace.append(" ".join([f"{self.loop.time():8.3f}", *map(str, words)]))

    def _begin(self, name: str, clock: WallClock | None = None) -> SimulatedProcess:
        clock = clock or WallClock(self.loop)
        backend = SimulatedBackend(name, self.database, self.seeded, clock)
        provider = SimulatedProvider(self.courses, self.seeded, self.invariants.answered)
        process = SimulatedProcess(self.loop, backend, provider, self.receivers, clock)
        backend.faulty = provider.faulty = self.faulty
        process.execution.spawn(self._guarded(process.run()))
        return process

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001 -- no part of a process may end by itself
            self._violated(Violation(f"a part of a process has ended: {error!r}"))

    async def _subscribe(self) -> None:
        """Two receivers, and the liveblogs of the matches, which the first process creates; then all know of everything."""
        first = self.processes[0]
        for number in range(RECEIVERS):
            await first.store.write(
                partial(
                    webhooks.subscribe,
                    organization_id=OWNER,
                    url=f"https://receiver-{number}.example/hook",
                    secret=webhooks.new_secret(),
                    limit=100,
                )
            )
        for match_id in self.courses:
            await first.execution.spawn(first.importer.create(request(match_id)))

    def _happens(self, act: str) -> bool:
        """Whether this act is one of those that are played."""
        happens = self.only is None or act in self.only
        self.acts += [act] if happens else []
        return happens

    async def _fail(self, line: str) -> None:
        """One thing after another goes wrong, and is put right after a while."""
        faults = (
            self._kill,
            self._kill_at_commit,
            self._stop,
            self._stop_in_poll,
            self._partition,
            self._lose_database,
            self._set_clock,
            self._lose_receiver,
        )
        drawn = random.Random(f"{self.seed} {line}")
        for number in count():
            await asyncio.sleep(drawn.uniform(0.5, 8.0))
            fault = drawn.choice(faults)
            if self.loop.time() >= FAULTS_END or self.violation is not None:
                return
            if self._happens(f"{line}{number}{fault.__name__}"):
                await fault()

    async def _edit(self) -> None:
        """Editors write over a post, or delete one, through an API that nothing happens to."""
        desk = Store(SimulatedBackend(DESK, self.database, self.seeded, WallClock(self.loop)))
        drawn = random.Random(f"{self.seed} edit")
        for number in count():
            await asyncio.sleep(drawn.uniform(5.0, 30.0))
            if self.loop.time() >= FAULTS_END or self.violation is not None:
                return
            if self._happens(f"edit{number}"):
                await self._while_away(partial(desk.write, self._edit_one))

    async def _join(self) -> None:
        """Another liveblog of a match, requested until somebody answers; it is the same request, whoever gets it."""
        await asyncio.sleep(self.seeded.uniform(5.0, FAULTS_END))
        wanted = replace(
            request(self.seeded.choice(list(self.courses))), idempotency_key="once", idempotency_digest="same"
        )
        while self.violation is None:
            process = self.seeded.choice(self.processes)
            self.note("create", wanted.selector_id, "through", process.backend.name)
            creating = process.execution.spawn(process.importer.create(wanted))
            await asyncio.wait({creating}, timeout=10.0)
            if creating.done() and not isinstance(error := creating.exception(), ServiceError):
                if error is not None:
                    self._violated(Violation(f"a liveblog cannot be created: {error!r}"))
                return
            await asyncio.sleep(1.0)

    async def _while_away(self, write: Callable[[], Awaitable[None]]) -> None:
        """Try it again as a client does."""
        while True:
            try:
                return await write()
            except StoreUnavailable:
                await asyncio.sleep(1.0)

    def _edit_one(self, unit: Unit) -> None:
        shown = [
            (game_id, name) for game_id in sorted(self._games()) for name in sorted(posts(self.database.raw, game_id))
        ]
        if not shown:
            return
        game_id, name = self.seeded.choice(shown)
        (event,) = events_named(unit.conn, [name]).values()
        document, status = event.document, LocalStatus.DELETED
        if self.seeded.random() < 0.6:
            headline = f"by hand {self.loop.time():.0f}"
            document, status = {**document, "headline": headline}, LocalStatus.PUBLISHED
            self.invariants.edited(name, headline)
        else:
            self.invariants.deleted(game_id, name)
        self.note("editor", status.name, name)
        written = EventWrite.new(
            local_id=name, document=document, created_at=event.created_at, local_status=status, user_id="editor"
        )
        liveblogs.record(unit, game_id, Change(events=(written,)))

    def _games(self) -> list[str]:
        return [game_id for (game_id,) in self.database.raw.execute("SELECT id FROM games").fetchall()]

    async def _kill(self) -> None:
        number = self.seeded.randrange(PROCESSES)
        await self._restart(number, self.processes[number])

    async def _restart(self, number: int, process: SimulatedProcess) -> None:
        """As kill -9 does, and whoever supervises the processes."""
        if process is not self.processes[number] or process in self._gone:
            return
        self.note("kill", process.backend.name)
        process.execution.stop()
        self._gone.append(process)
        await asyncio.sleep(self.seeded.uniform(0.1, 12.0))
        self.database.backends.remove(process.backend)
        self.note("start", process.backend.name)
        self.processes[number] = self._begin(process.backend.name, process.clock)

    async def _kill_at_commit(self) -> None:
        number = self.seeded.randrange(PROCESSES)
        process = self.processes[number]
        process.backend.dies = process.execution.stop
        await asyncio.sleep(self.seeded.uniform(0.1, 3.0))
        process.backend.dies = None
        if process.execution.stopped:
            await self._restart(number, process)

    async def _stop(self) -> None:
        process = self.seeded.choice(self.processes)
        if process.execution.stopped:
            return
        self.note("stop", process.backend.name)
        process.execution.stop()
        await asyncio.sleep(self.seeded.uniform(0.5, 25.0))
        self._continue(process)

    async def _stop_in_poll(self) -> None:
        """Until others have its lease, with an answer in hand."""
        process = self.seeded.choice(self.processes)
        process.provider.interrupt = process.execution.stop
        await asyncio.sleep(self.seeded.uniform(14.0, 30.0))
        process.provider.interrupt = None
        self._continue(process)

    def _continue(self, process: SimulatedProcess) -> None:
        if process.execution.stopped and process not in self._gone:
            self.note("continue", process.backend.name)
            process.execution.resume()

    async def _partition(self) -> None:
        backend = self.seeded.choice(self.processes).backend
        self.note("partition", backend.name)
        backend.partitioned = True
        await asyncio.sleep(self.seeded.uniform(0.5, 20.0))
        backend.partitioned = False

    async def _lose_database(self) -> None:
        self.note("database away")
        self.database.away = True
        await asyncio.sleep(self.seeded.uniform(0.5, 8.0))
        self.database.away = False

    async def _set_clock(self) -> None:
        process, seconds = self.seeded.choice(self.processes), self.seeded.choice(STEPS)
        if not process.execution.stopped:
            self.note("clock", process.backend.name, seconds)
            process.set_clock(seconds)

    async def _lose_receiver(self) -> None:
        url = f"https://receiver-{self.seeded.randrange(RECEIVERS)}.example/hook"
        self.note("receiver down", url)
        self.receivers.down.add(url)
        await asyncio.sleep(self.seeded.uniform(0.5, 20.0))
        self.receivers.down.discard(url)

    async def _heal(self) -> None:
        self.note("healed")
        self._set_faulty(faulty=False)
        for process in self.processes:
            process.execution.resume()

    def _set_faulty(self, *, faulty: bool) -> None:
        self.faulty = self.receivers.faulty = faulty
        for process in self.processes:
            process.backend.faulty = process.provider.faulty = faulty

    async def _settle(self) -> None:
        await asyncio.sleep(12.0)  # for those who come back late
        while (
            self.violation is None
            and (unfinished := self.invariants.unfinished(self.courses, self.loop.time())) is not None
        ):
            require(self.loop.time() < SETTLED_BY, "it is not as it should be in the end:", unfinished)
            await asyncio.sleep(5.0)
        self.note("settled")

    def _committed(self, backend: SimulatedBackend, touched: Mapping[str, int]) -> None:
        if touched:
            self.note(backend.name, *sorted(touched.values()))
        self._check(partial(self.invariants.committed, backend.name, touched))

    def _arrived(self, game_id: str, version: int) -> None:
        self.note("delivered", game_id, version)
        self._check(partial(self.invariants.arrived, game_id, version))

    def _check(self, check: Callable[[], None]) -> None:
        try:
            check()
        except Violation as error:
            self._violated(error)

    def _violated(self, error: Exception) -> None:
        if self.violation is None:
            self.note(error)
            self.violation = error


def request(match_id: str) -> ImportRequest:
    """What a client asks for: a liveblog of the match, everything posted by itself."""
    return ImportRequest(
        organization_id=OWNER,
        client_id="cms",
        provider="heim",
        selector_kind="match",
        selector_id=match_id,
        terms=ImportOptions(sport="", auto_post=True),
    )


@contextmanager
def virtual(loop: VirtualLoop, seed: int) -> Iterator[None]:
    """Clocks, chance and receivers of the product are those of the simulation."""
    seeded, state = random.Random(seed), random.getstate()
    with ExitStack() as patches:
        for module in (endpoint_limiter, follower, match_failures, poll, bulkhead):
            patches.enter_context(patch.object(module, "monotonic", loop.time))
        clocks = SimpleNamespace(monotonic=loop.time, time=time.time)
        patches.enter_context(patch.object(attempt, "time", clocks))
        patches.enter_context(patch.object(dispatcher, "ReceiverClient", SimulatedReceiverClient))
        patches.enter_context(patch.object(secrets, "token_hex", lambda size=16: seeded.randbytes(size).hex()))
        patches.enter_context(patch.object(secrets, "token_bytes", lambda size=32: seeded.randbytes(size)))
        patches.enter_context(patch.object(secrets, "randbits", seeded.getrandbits))
        random.seed(seed)
        try:
            yield
        finally:
            random.setstate(state)


def play(seed: int, only: Collection[str] | None = None) -> list[str]:
    """What happened in the run of this seed. Raises Violation, with the seed and how to play it alone."""
    trace, violation = run(seed, only)[1:]
    if violation is not None:
        raise violation
    return trace


def run(seed: int, only: Collection[str] | None = None) -> tuple[list[str], list[str], Violation | None]:
    """The acts of the run of this seed, what happened in it, and what it breaks."""
    loop = VirtualLoop()
    with virtual(loop, seed), capture_logs() as logged, asyncio.Runner(loop_factory=lambda: loop) as runner:
        world = SeededRun(seed, loop, only)

        async def whole() -> None:
            try:
                await world.play()
            except Violation as error:
                world.note(error)
                world.violation = world.violation or error
            finally:
                await world.end()

        try:
            runner.run(whole())
        except Deadlock:
            world.violation = world.violation or Violation("everybody waits for ever")
    failed = [each for each in logged if each.get("exc_info") or each["log_level"] == "critical"]
    if world.violation is None and failed:
        world.violation = Violation(f"something failed inside: {failed[0]}")
    if world.violation is not None:
        words = " ".join([str(seed), *(world.acts if only is not None else ())])
        failure = Violation(f"{world.violation} (seed={seed}; alone: python -m tests.simulation.seeded_run {words})")
        failure.__notes__, failure.__cause__ = world.trace[-40:], world.violation
        return world.acts, world.trace, failure
    return world.acts, world.trace, None


def check(seed: int) -> None:
    """Raises what the run of this seed breaks, in as few acts as still break the same promise."""
    acts, _, found = run(seed)
    if found is not None:

        def fails(fewer: tuple[str, ...]) -> bool:
            violation = run(seed, fewer)[2]
            return violation is not None and promise(str(violation)) == promise(str(found))

        raise (run(seed, shortest(acts, fails))[2] or found) from found


if __name__ == "__main__":
    name, *chosen = sys.argv[1:]
    print("\n".join(play(int(name), chosen or None)))  # noqa: T201
