"""Every loop that lasts as long as its process goes by one helper, and outlives whatever any of its steps raises."""

import ast
import asyncio
import itertools
import time
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest
import structlog

from api.middleware.outermost import RequestLog
from api.statistics.beacon_writer import BeaconWriter
from api.stream.streams import Channel, Streams
from config.sections import Server, Webhooks
from ingest.alarms.alarms import AlarmMonitor
from ingest.jobs.jobs import Scheduler
from ingest.kit.quarantine import Quarantine
from ingest.server.connection_limits import ConnectionLimits
from ingest.sync.follower import Followers
from ingest.sync.match_leases import MatchLeases
from ingest.webhooks.dispatcher import Dispatcher
from ingest.webhooks.hub_ping import DuePing, HubPings
from mapping.errors import NotFound, StoreUnavailable
from store.engine.errors import UnreadableRow
from store.engine.loops import LoggedLoop, repeat
from store.engine.postgres.sessions import NotifyListener, NotifySender
from store.timeline.timeline import PostTimeline
from tests.kit.settings import LIMITS, configured, polling
from tests.simulation.virtual_loop import VirtualLoop

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("ingest", "api", "store", "providers", "mapping", "config")
HELPER = "store/engine/loops.py"
BOUNDED = {
    "ingest/daemon/reload.py:_until_stopped": "is the process: what it raises is meant to end it, with a line for the operator",
    "ingest/kit/start_wait.py:through": "ends within database.start_wait",
    "ingest/guard/guarded_session.py:connect": "ends with a usable connection, or an error of the request",
    "ingest/media/probe.py:run": "ends after a while; what it leaves is asked for again",
    "ingest/webhooks/receiver_rows.py:_run_all": "ends when nobody waits; what a run raises is told to its callers",
    "ingest/sync/match_leases.py:start": "ends when nothing more can be leased; what it raises stops the start",
    "ingest/sync/poll.py:_steps": "ends when the snapshot is applied; each unit brings it further or is left out",
    "ingest/webhooks/receiver_rows.py:_run": "ends when nothing waits; each record's failure is told to its receiver",
    "ingest/webhooks/receiver_rows.py:_until_written": "ends with the write, and with `stop`",
    "providers/contract/resolving.py:closing": "ends within CLOSED_WITHIN",
    "store/engine/postgres/sessions.py:_listen": "ends with its connection, which the lasting loop of the notices opens again",
}
"""Loops without a bound in their head, and what ends them."""


def unbounded_loops(path):
    """The async functions that hold a `while` whose condition a loop that lasts could have."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
            if any(isinstance(each.test, ast.Constant | ast.Attribute | ast.UnaryOp) for each in loops):
                yield f"{path.relative_to(ROOT)}:{function.name}"


def test_no_loop_lasts_but_by_the_helper():
    """Every async loop without a bound in its head is the helper's, or stands in a list with what ends it."""
    paths = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if " while " in path.read_text()]
    found = {each for path in paths for each in unbounded_loops(path) if not each.startswith(HELPER)}
    assert found == set(BOUNDED)


async def a_second(*_args):
    await asyncio.sleep(1)


def followers():
    made = Followers(
        MagicMock(), {}, polling(), LIMITS, clock=lambda: 0.0, new_id=str, quarantine=Quarantine()
    )  # fmt: skip
    made._sleep = AsyncMock(side_effect=a_second)
    return made, made.run()


def dispatcher():
    made = Dispatcher(MagicMock(), MagicMock(), Webhooks(), quarantine=Quarantine())
    made._look = AsyncMock(return_value=True)
    return made, made.run()


def dispatcher_looking():
    made = Dispatcher(MagicMock(), MagicMock(), Webhooks(), quarantine=Quarantine())
    made._notice, made._tick = AsyncMock(return_value=True), AsyncMock()
    made.store.write = AsyncMock()
    made.timing = SimpleNamespace(steady=asyncio.get_running_loop().time, speed=1.0)
    return made, made.run(alone=True)


def leases():
    made = MatchLeases(MagicMock(), MagicMock(), MagicMock(), knows=frozenset(), quarantine=Quarantine())
    made.renew = AsyncMock()
    return made, made.run()


def alarms():
    made = AlarmMonitor(
        MagicMock(), {}, SimpleNamespace(close=AsyncMock()), clock=lambda: 0.0, quarantine=Quarantine(), alone=True
    )
    made._note, made._writable, made._announce, made._unwritable = (AsyncMock() for _ in range(4))
    made._store.check_writes = AsyncMock()
    return made, made.run()


def statistics():
    made = BeaconWriter(
        MagicMock(), MagicMock(), MagicMock(), interval=5, places=1, clock=lambda: 0.0, counts=lambda _: True
    )
    made._finish = AsyncMock()
    return made, made.run()


def hub_pings():
    made = HubPings(MagicMock(), configured(hub="https://hub.example.org/"), MagicMock())
    made._waiting = {"g": DuePing(0.0)}
    made._ping = AsyncMock()
    made._due = Mock(return_value={"g": DuePing(0.0)})
    return made, made.run()


def request_log():
    made = RequestLog(1.0)
    made.report = Mock()
    return made, made.run()


def connections():
    made = ConnectionLimits(Server(), connections_per_address=1, max_connections=1)
    made._open = {MagicMock()}
    made._sweep = Mock()
    return made, made.watch()


def clock_watch():
    made = Scheduler()
    made._look = Mock()
    made._scheduler = MagicMock()
    made.start()
    return made, asyncio.wait({made._watch})


def streams_pump():
    made = watched()
    made._wait = AsyncMock(side_effect=a_second)
    for step in LOOPS[streams_pump][1:]:
        setattr(made, step, AsyncMock())
    return made, asyncio.wait({made._start(made._run, "streams")})


def streams_ticker():
    made = watched()
    made._begin_all = AsyncMock()
    return made, asyncio.wait({made._start(made._tick, "silent streams")})


def watched():
    made = Streams(MagicMock())
    made._channels = {("g", 0): Channel("g", 0, 1)}
    return made


def listener():
    made = NotifyListener(AsyncMock(), Mock())
    made._listen = AsyncMock(side_effect=a_second)
    made.start(Mock())
    return made, asyncio.wait({made._listening})


def sender():
    made = NotifySender(AsyncMock())
    made._unsent = {"g": 1}
    made._send = AsyncMock()
    return made, made._send_all()


def timelines():
    made = PostTimeline(MagicMock(), time.time)
    made.write = AsyncMock()
    return made, made.run()


LOOPS = {
    followers: ("_sleep", "_begin_due"), dispatcher: ("_look", "_wait"), dispatcher_looking: ("_notice", "_tick"),
    leases: ("renew",), alarms: ("look", "_note", "_writable", "_announce"), statistics: ("flush", "_finish"),
    hub_pings: ("_due", "_ping"), request_log: ("report",), connections: ("_sweep",), clock_watch: ("_look",),
    streams_pump: ("_wait", "_advance_heard", "_look_at_versions", "_look_at_lost", "_look_at_results"),
    streams_ticker: ("_readers", "_begin_all"), listener: ("_connect", "_listen"), sender: ("_send",),
    timelines: ("write",),
}  # fmt: skip
"""How each lasting loop is made alone, and its steps."""
FAULTS = (
    RuntimeError("planted"), ValueError("planted"), KeyError("planted"), MemoryError(), RecursionError(), TimeoutError(),
    OSError(5, "planted"), ExceptionGroup("planted", [ValueError()]), UnreadableRow("planted"), NotFound("planted"),
    StoreUnavailable("planted"), asyncio.CancelledError(),
)  # fmt: skip


@pytest.mark.parametrize(("make", "step"), [(make, step) for make, steps in LOOPS.items() for step in steps])
def test_a_lasting_loop_outlives_whatever_a_step_raises(make, step):
    """Each step raises an error of each type in turn, and is taken again, and at last works."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, structlog.testing.capture_logs():
        assert runner.run(survived(make, step)) > len(FAULTS)


async def survived(make, step):
    """How often the step was taken, until it had raised everything and worked three times more."""
    made, running = make()
    faults, taken, works = list(FAULTS), [], getattr(made, step)
    enough = asyncio.Event()

    def fault():
        taken.append(step)
        if len(taken) > len(FAULTS) + 3:
            enough.set()
        if faults:
            raise faults.pop()

    async def planted_async(*args, **named):
        fault()
        return await works(*args, **named)

    def planted(*args, **named):
        fault()
        return works(*args, **named)

    is_async = asyncio.iscoroutinefunction(works) or isinstance(works, AsyncMock)
    setattr(made, step, planted_async if is_async else planted)
    task = asyncio.ensure_future(running)
    arrived = asyncio.create_task(enough.wait())
    async with asyncio.timeout(86_400):  # of virtual time
        await asyncio.wait({task, arrived}, return_when=asyncio.FIRST_COMPLETED)
    assert enough.is_set(), task
    task.cancel()
    return len(taken)


def test_the_list_of_loops_is_whole():
    """Every place in the product that repeats a turn has its row in the table of this test."""
    calls = sum(
        path.read_text(encoding="utf-8").count("repeat(self.") + path.read_text(encoding="utf-8").count("repeat(partial(self.")
        + path.read_text(encoding="utf-8").count("repeat(turn, ")
        for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))
    )  # fmt: skip
    both_ways = 2  # the two loops of the streams are begun in one place, and the dispatcher's turn stands in two rows
    assert calls == len(LOOPS) - both_ways


def test_what_fails_is_logged_once_and_waits_no_longer_than_ten_seconds():
    """One line when it begins to fail, one when it works again; the pause grows to ten seconds and no further."""
    turns = []

    async def turn():
        turns.append(asyncio.get_running_loop().time())
        if len(turns) <= 40:
            raise ValueError("planted")
        await asyncio.sleep(1)

    async def main():
        with structlog.testing.capture_logs() as logs:
            await repeat(turn, LoggedLoop("test"), until=lambda: len(turns) > 42)
        return logs

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        logs = runner.run(main())
    assert [each["event"] for each in logs] == ["loop.failed", "loop.recovered"]
    pauses = [after - before for before, after in itertools.pairwise(turns)]
    assert pauses[0] <= 0.1
    assert max(pauses) <= 10
    assert min(pauses[10:39]) >= 5


def test_who_cancels_a_lasting_loop_ends_it():
    """The task ends with the first cancellation, wherever it is."""

    async def main():
        task = asyncio.create_task(repeat(lambda: asyncio.sleep(60), LoggedLoop("test")))
        await asyncio.sleep(90)
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        return task.cancelled()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(main())
