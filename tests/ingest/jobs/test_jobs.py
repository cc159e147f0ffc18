"""Finite work that runs once, whoever requests it: in one process, in several, through deaths and outages."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from config.organizations import Liveblog
from ingest.jobs import jobs as queued
from ingest.jobs.jobs import Jobs, queue_of
from ingest.jobs.purges import run_again
from ingest.kit.containment import Containment
from ingest.sync.declared_liveblogs import Declared
from mapping.errors import UpstreamUnavailable
from tests.ingest.sync.test_workers import NUMBERS, two_processes
from tests.ingest.sync.test_workers import until as when
from tests.kit.day import ORGANIZATION
from tests.kit.opening import pool_settings

DECLARED = """
[[liveblogs]]
key = "derby"
organization = "{}"
provider = "heim"
match_id = "{}"
"""
ENVIRON = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
QUICK = pool_settings(timeout=2.0)
PROCESS = """
import asyncio, sys
from functools import partial
from ingest.jobs.jobs import Jobs, queue_of
from store.engine.settings import PoolSettings

url, connections, timeout, seconds, patience, *keys = sys.argv[1:]
pool = PoolSettings(pool_size=int(connections), timeout=float(timeout))

async def work(key):
    print("began", key, flush=True)
    await asyncio.sleep(0 if key.startswith("ready") else float(seconds))
    print("ended", key, flush=True)

async def main():
    jobs = Jobs(partial(queue_of, url, pool), alone=False, patience=float(patience))
    for key in keys:
        jobs.add(key, partial(work, key))
    running = asyncio.create_task(jobs.run())
    while line := await asyncio.to_thread(sys.stdin.readline):
        jobs.ask(line.strip())
    await jobs.stop(5)
    await running

asyncio.run(main())
"""


class Process:
    """A process that shares jobs, reads from its input what to request, and writes to its output what it runs."""

    def __init__(self, url, name, *, keys, seconds=0.0, patience=30.0):
        self.ready = f"ready {name}"
        usual = pool_settings()
        given = map(str, (url, usual.pool_size, usual.timeout, seconds, patience))
        self.line = [sys.executable, "-c", PROCESS, *given, self.ready, *keys]
        self.said = []

    async def start(self):
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(*self.line, stdin=pipe, stdout=pipe, env=ENVIRON)
        self.ask(self.ready)
        await self.until(f"ended {self.ready}")
        return self

    def ask(self, *keys):
        self.process.stdin.write("".join(f"{key}\n" for key in keys).encode())

    async def until(self, line):
        while line not in self.said:
            said = await self.process.stdout.readline()
            assert said, "the process has ended"
            self.said.append(said.decode().strip())

    async def end(self):
        """Let it stop in order; gives the keys that it ended."""
        self.process.stdin.close()
        self.said += (await self.process.stdout.read()).decode().splitlines()
        assert await self.process.wait() == 0
        return [line.removeprefix("ended ") for line in self.said if line.startswith("ended ") and "ready" not in line]

    async def kill(self):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()


@asynccontextmanager
async def processes(*wanted):
    started = []
    try:
        async with asyncio.timeout(60):
            for each in wanted:
                started.append(each)
                await each.start()
            yield
    finally:
        for each in started:
            await each.kill()


class Desk:
    """Jobs of this process; `ran` has the keys that began, and `open` lets those go on that wait for it."""

    def __init__(self, url, **options):
        self.jobs = Jobs(partial(queue_of, url, QUICK), alone=url.startswith("sqlite"), **options)
        self.ran = []
        self.ended = []
        self.open = asyncio.Event()
        self.jobs.add("note it", self.note)
        self.jobs.add("note more", self.note)
        self.jobs.add("wait long", self.wait)

    async def note(self):
        self.ran.append("note")

    async def wait(self):
        self.ran.append("wait")
        await self.open.wait()
        self.ended.append("wait")

    async def __aenter__(self):
        self.running = asyncio.create_task(self.jobs.run())
        return self

    async def __aexit__(self, *_):
        async with asyncio.timeout(60):
            await self.jobs.stop(0.0)
            await self.running


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'matchwire.db'}"
    return request.getfixturevalue("postgres_url")


async def test_what_is_requested_twice_before_it_begins_runs_once(url):
    """It runs once more when it is requested after that."""
    desk = Desk(url)
    for _ in range(3):
        desk.jobs.ask("note it")
    async with desk:
        desk.jobs.ask("note it")
        await until(lambda: desk.ran == ["note"])
        desk.jobs.ask("note more")
        await until(lambda: len(desk.ran) == 2)
        await until(lambda: b'outcome="done"} 2.0' in generate_latest(desk.jobs.counted))

        desk.jobs.ask("note it")
        await until(lambda: len(desk.ran) == 3)

    assert desk.ran == ["note"] * 3


async def test_two_processes_ask_within_the_time_of_gathering_and_it_runs_once(postgres_url):
    """At the full hour every process asks for the purge; their clocks differ a little."""
    one, two = Desk(postgres_url), Desk(postgres_url)
    for desk in (one, two):
        desk.jobs.add("note once", desk.note, settle=1.0)
    async with one, two:
        one.jobs.ask("note once")
        await asyncio.sleep(0.5)
        two.jobs.ask("note once")
        await until(lambda: one.ran or two.ran)
        await asyncio.sleep(1.5)

    assert one.ran + two.ran == ["note"]


async def test_two_processes_share_jobs_and_run_each_once(postgres_url):
    """A hundred jobs, half of them requested by each process."""
    keys = [f"job {n}" for n in range(100)]
    one = Process(postgres_url, "one", keys=keys, seconds=0.01)
    two = Process(postgres_url, "two", keys=keys, seconds=0.01)
    async with processes(one, two):
        one.ask(*keys[::2])
        two.ask(*keys[1::2])
        await asyncio.sleep(3)  # what is requested stands in the queue by now; the rest of it is handed back, or ends
        shares = [await one.end(), await two.end()]

    assert Counter(shares[0] + shares[1]) == Counter(keys)
    assert all(shares)


async def test_a_job_whose_process_is_killed_runs_in_another(postgres_url):
    """`kill -9` in the middle of a job: the other process runs it again, without being requested there."""
    one = Process(postgres_url, "one", keys=["job"], seconds=60, patience=2)
    two = Process(postgres_url, "two", keys=["job"], patience=2)
    async with processes(one):
        one.ask("job")
        await one.until("began job")
        async with processes(two):
            await one.kill()
            await two.until("ended job")

            assert await two.end() == ["job"]
    assert "ended job" not in one.said


async def test_jobs_go_on_when_postgresql_comes_back(postgres_url, postgres_cluster):
    """What is requested meanwhile is kept; the loss is logged once, so is the return, and health shows it."""
    with capture_logs() as logged:
        async with Desk(postgres_url, patience=2) as desk:
            desk.jobs.ask("note it")
            await until(lambda: len(desk.ran) == 1)
            postgres_cluster.stop()
            try:
                desk.jobs.ask("note more")
                await until(lambda: desk.jobs.failing() == {"queue": 1})
            finally:
                postgres_cluster.start()
            await until(lambda: len(desk.ran) == 2)
            await until(lambda: desk.jobs.failing() == {})

    assert [each["event"] for each in logged] == ["jobs.queue_lost", "jobs.queue_recovered"]


async def test_a_shutdown_lets_a_job_end_within_its_grace(url):
    """What ends in time has ended; nothing new begins."""
    async with Desk(url) as desk:
        desk.jobs.ask("wait long")
        await until(lambda: desk.ran)
        stopping = asyncio.create_task(desk.jobs.stop(20))
        await asyncio.sleep(0.1)
        desk.jobs.ask("note it")
        desk.open.set()
        await stopping

    assert (desk.ran, desk.ended) == (["wait"], ["wait"])


async def test_what_a_shutdown_cuts_off_is_handed_back(postgres_url):
    """Another process runs it at once, and does not wait until the first one counts as dead."""
    async with Desk(postgres_url, patience=600) as one:
        one.jobs.ask("wait long")
        await until(lambda: one.ran)
    async with Desk(postgres_url, patience=600) as two:
        two.open.set()
        await until(lambda: two.ended)

    assert (one.ended, two.ended) == ([], ["wait"])


async def test_a_shutdown_is_bounded_whatever_a_job_does(url):
    """A job that does not want to end is left behind."""

    async def stubborn():
        desk.ran.append("stubborn")
        while not desk.open.is_set():
            try:
                await desk.open.wait()
            except asyncio.CancelledError:
                desk.ended.append("refused")

    desk = Desk(url)
    desk.jobs.add("stay", stubborn)
    running = asyncio.create_task(desk.jobs.run())
    desk.jobs.ask("stay")
    await until(lambda: desk.ran)
    async with asyncio.timeout(60):
        await desk.jobs.stop(0.1)

    assert "refused" in desk.ended
    desk.open.set()
    await running


async def test_a_failing_job_is_logged_once_tried_again_counted_and_shown(url, monkeypatch):
    """The first failure is logged with its key, the third in a row is shown in health, and so is the end of it."""
    monkeypatch.setattr(queued, "FIRST", 0.05)
    desk = Desk(url)

    async def fragile():
        desk.ran.append("fragile")
        if not desk.open.is_set():
            raise UpstreamUnavailable("nobody answers")

    desk.jobs.add("fetch a/b", fragile)
    with capture_logs() as logged:
        async with desk:
            desk.jobs.ask("fetch a/b")
            await until(lambda: desk.jobs.failing() == {"fetch": 1})
            desk.open.set()
            await until(lambda: desk.jobs.failing() == {})

    events = [(each["event"], each["key"], each.get("cause")) for each in logged]
    assert events == [("job.failed", "fetch a/b", "nobody answers"), ("job.recovered", "fetch a/b", None)]
    assert f'kind="fetch",outcome="failed"}} {len(desk.ran) - 1}.0' in generate_latest(desk.jobs.counted).decode()


async def test_what_failed_is_put_off_although_it_is_requested(url):
    """A tick that asks every few seconds does not hurry what fails."""
    desk = Desk(url)

    async def broken():
        desk.ran.append("broken")
        raise ValueError("a defect")

    desk.jobs.add("break", broken)
    async with desk:
        desk.jobs.ask("break")
        await until(lambda: b'outcome="failed"} 1.0' in generate_latest(desk.jobs.counted))
        await asyncio.sleep(0.3)  # until the queue has noted the end
        desk.jobs.ask("break")
        desk.jobs.ask("note it")
        await until(lambda: "note" in desk.ran)
        await asyncio.sleep(0.3)

    assert desk.ran == ["broken", "note"]


async def test_a_job_that_takes_too_long_is_cut_off_and_counts_as_failed(url):
    """The next job runs."""
    with capture_logs() as logged:
        async with Desk(url, limit=0.2) as desk:
            desk.jobs.ask("wait long")
            await until(lambda: logged)
            desk.jobs.ask("note it")
            await until(lambda: desk.ran == ["wait", "note"])

    assert [(each["event"], each["cause"]) for each in logged] == [("job.failed", "took longer than 0.2 s")]


async def test_the_queues_own_log_is_emptied(url, monkeypatch):
    """It would grow by three rows a job for as long as the database lives."""
    monkeypatch.setattr(queued, "FORGET", 1)
    async with Desk(url) as desk:
        for number in range(1, 6):
            desk.jobs.ask("note it" if number % 2 else "note more")
            await until(lambda number=number: len(desk.ran) == number)
            await asyncio.sleep(0.3)
        log = await desk.jobs._queue.queries.queue_log()

    assert len(log) <= 4


async def test_the_first_probe_of_the_queue_waits_for_the_listener(postgres_url):
    """A probe that is sent before the queue listens would never be heard, and the queue be given up ten seconds later."""
    heard = asyncio.Queue()
    async with queue_of(postgres_url, QUICK) as queue:
        driver = queue.queries.driver
        probing = asyncio.create_task(driver.notify("matchwire_jobs", "probe"))
        await asyncio.wait({probing}, timeout=1)
        await driver.add_listener("matchwire_jobs", heard.put_nowait)
        await probing
        assert await asyncio.wait_for(heard.get(), 30) == "probe"


async def test_the_migrated_tables_are_those_that_the_library_needs(postgres_url):
    """A new version of the library with other tables fails here: it needs a revision."""
    async with queue_of(postgres_url, QUICK) as queue:
        plan = await queue.queries.plan_upgrade()

    assert list(plan.statements) == []


NAMES = """
import asyncio
from ingest.jobs.jobs import queue_of
from store.engine.settings import PoolSettings

async def main():
    async with queue_of("sqlite+aiosqlite://", PoolSettings(pool_size=1, timeout=5.0)) as queue:
        names = queue.qm.queries.qbe.settings
        print((queue.channel, names.db_schema, names.function) != ("matchwire_jobs", "matchwire_jobs", "fn_pgqueuer_changed"))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "program", ["import sys, ingest.daemon.run; print('pgqueuer' in sys.modules)", NAMES], ids=["loaded-late", "names"]
)
async def test_the_library_is_loaded_late_and_named_by_nobody_else(program):
    """The start does not pay for it, and a common name in the environment changes nothing."""
    hostile = {
        "DB_SCHEMA": "a b",
        "CHANNEL": "a b",
        "FUNCTION": "x-y",
        "PGQUEUER_CHANNEL": "other",
        "QUEUE_TABLE_LOG": "matchwire_jobs",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, env=ENVIRON | hostile
    )

    assert (await process.communicate())[0].decode().strip() == "False"


@pytest.mark.long
async def test_two_workers_create_what_both_declare_once(tmp_path, postgres_url):
    """`matchwire run` twice, started together with the same declaration: it is created once, and nobody fails."""
    async with two_processes(tmp_path, postgres_url, one="worker", two="worker") as (_, one, two):
        for worker in (one, two):
            worker.config.write_text(worker.config.read_text() + DECLARED.format(ORGANIZATION, NUMBERS[0]))
        await asyncio.gather(one.start(), two.start())

        async def followed():
            return sum([(await worker.ready())["matches"] for worker in (one, two)]) == 1

        await when(followed, within=60)
        await asyncio.sleep(6)  # both have requested it once more
        ready = [await worker.ready() for worker in (one, two)]
        assert [await worker.end() for worker in (one, two)] == [0, 0]

    logs = "".join(worker.config.with_suffix(".log").read_text() for worker in (one, two))
    assert (logs.count("liveblog.created"), logs.count("job.failed"), logs.count("jobs.queue_lost")) == (1, 0, 0)
    assert not any("failingJobs" in each for each in ready)


class Records:
    """A store that knows whether somebody has created the liveblog."""

    exists = False

    async def read(self, _query):
        return object() if self.exists else None


class Creating:
    """An importer that notes when it was called, and fails as the test says."""

    def __init__(self):
        self.created = 0
        self.error = None
        self.begins = None

    async def kickoff(self, _request):
        return self.begins

    async def __call__(self, _request):
        self.created += 1
        if self.error is not None:
            raise self.error


@pytest.fixture
def declared():
    """What is declared, with its store, importer and clocks."""
    entry = Liveblog(key="derby", organization="5f0c1de2a1b2c3d4e5f60718", provider="heim", match_id="1", lead=3600.0)
    found = Declared(
        (entry,), Records(), Creating(), clock=lambda: found.wall, steady=lambda: found.at, containment=Containment()
    )
    found.wall, found.at, found.entry = 1_800_000_000.0, 100.0, entry
    found.key = f"declare {entry.organization}/{entry.key}"
    return found


async def test_what_is_declared_is_a_job_until_it_exists(declared):
    """Whoever created it: a process that finds it requests it no more."""
    assert (await declared.due(), list(declared.jobs)) == ([declared.key], [declared.key])
    declared._store.exists = True
    work = declared.jobs[declared.key]
    await work()

    assert (await declared.due(), declared._importer.created) == ([], 0)


async def test_a_creation_that_failed_is_put_off_by_a_clock_that_nobody_sets(declared):
    """Half a minute, however the wall clock jumps; the job itself keeps to it too, if another process asks."""
    declared._importer.error = UpstreamUnavailable("nobody answers")
    work = declared.jobs[declared.key]
    await work()
    await work()
    declared.wall -= 7200

    assert (await declared.due(), declared._importer.created) == ([], 1)
    declared.at += 31
    assert await declared.due() == [declared.key]


async def test_what_is_declared_with_a_lead_is_created_that_long_before_the_kick_off(declared):
    """Until then the kick-off is fetched again every hour, and when somebody sets the wall clock."""
    declared._importer.begins = declared.wall + 2.5 * 3600
    work = declared.jobs[declared.key]
    await work()
    assert (await declared.due(), declared._importer.created) == ([], 0)

    declared.at += 3600
    declared.wall += 3600
    assert await declared.due() == [declared.key]
    await work()
    assert (await declared.due(), declared._importer.created) == ([], 0)

    declared.wall += 1800
    declared.clock_set(1800.0)
    await work()
    assert declared._importer.created == 1


async def test_a_purge_that_did_not_finish_is_run_again_soon():
    """Not at the next full hour: what comes in between may be more than a run gets done."""
    runs = []

    async def purge():
        runs.append(1)
        return len(runs) == 3

    jobs = Jobs(partial(queue_of, "sqlite+aiosqlite://", QUICK), alone=True)
    jobs.add("purge", partial(run_again, jobs, "purge", purge))
    serving = asyncio.create_task(jobs.run())
    jobs.ask("purge")
    async with asyncio.timeout(60):
        while len(runs) < 3:
            await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    await jobs.stop(2)
    await serving

    assert 3 == len(runs)
