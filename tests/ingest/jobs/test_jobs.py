"""Finite work that the leading process runs: once at a time, bounded, put off when it fails."""

import asyncio
from functools import partial

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from config.organizations import Liveblog
from ingest.jobs import jobs as jobs_module
from ingest.jobs.jobs import Jobs
from ingest.jobs.purges import run_again
from ingest.kit.quarantine import Quarantine
from ingest.sync.declared_liveblogs import Declared
from mapping.errors import UpstreamUnavailable
from tests.kit.virtual_time import in_virtual_time


class Desk:
    """Jobs of a process that leads; `ran` has the keys that began, and `open` lets those go on that wait for it."""

    def __init__(self, **options):
        self.leads = True
        self.jobs = Jobs(lambda: self.leads, **options)
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

    async def fragile(self):
        self.ran.append("fragile")
        if not self.open.is_set():
            raise UpstreamUnavailable("nobody answers")

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        async with asyncio.timeout(60):
            await self.jobs.stop(0.0)


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.02)


@in_virtual_time
async def test_what_is_requested_twice_before_it_begins_runs_once():
    """It runs once more when it is requested while it runs, however often."""
    async with Desk() as desk:
        for _ in range(3):
            desk.jobs.request("wait long")
        await until(lambda: desk.ran == ["wait"])
        for _ in range(3):
            desk.jobs.request("wait long")
        desk.open.set()
        await until(lambda: len(desk.ended) == 2)
        desk.jobs.request("note it")
        await until(lambda: desk.ran == ["wait", "wait", "note"])

    assert b'outcome="done"} 2.0' in generate_latest(desk.jobs.counted)


@in_virtual_time
async def test_a_process_that_does_not_lead_runs_nothing():
    """From when it leads it does; what fails where it led is shown by nobody else."""
    async with Desk() as desk:
        desk.leads = False
        desk.jobs.request("note it")
        await asyncio.sleep(0.05)
        assert desk.ran == []
        desk.leads = True
        desk.jobs.request("note it")
        await until(lambda: desk.ran == ["note"])


@in_virtual_time
async def test_what_waits_for_room_begins_only_where_the_process_leads_still():
    """It stood still meanwhile, and another process has taken it all over: what runs ends, nothing else begins, or again."""
    async with Desk() as desk:
        for number in range(jobs_module.ROOM):
            desk.jobs.add(f"wait {number}", desk.wait)
            desk.jobs.request(f"wait {number}")
        await until(lambda: len(desk.ran) == jobs_module.ROOM)
        desk.jobs.request("wait 0")
        desk.jobs.request("note it")
        desk.leads = False
        desk.open.set()
        await until(lambda: len(desk.ended) == jobs_module.ROOM)
        await asyncio.sleep(0.05)
        assert desk.ran == ["wait"] * jobs_module.ROOM
        counted = generate_latest(desk.jobs.counted).decode()
        assert f'kind="wait",outcome="done"}} {jobs_module.ROOM}.0' in counted
        desk.leads = True
        desk.jobs.request("note it")
        await until(lambda: desk.ran[-1] == "note")


@in_virtual_time
async def test_a_shutdown_lets_a_job_end_within_its_grace():
    """What ends in time has ended; nothing new begins."""
    async with Desk() as desk:
        desk.jobs.request("wait long")
        await until(lambda: desk.ran)
        stopping = asyncio.create_task(desk.jobs.stop(20))
        await asyncio.sleep(0.1)
        desk.jobs.request("note it")
        desk.open.set()
        await stopping

    assert (desk.ran, desk.ended) == (["wait"], ["wait"])


@in_virtual_time
async def test_a_shutdown_is_bounded_whatever_a_job_does():
    """A job that does not want to end is left behind."""

    async def stubborn():
        desk.ran.append("stubborn")
        while not desk.open.is_set():
            try:
                await desk.open.wait()
            except asyncio.CancelledError:
                desk.ended.append("refused")

    desk = Desk()
    desk.jobs.add("stay", stubborn)
    desk.jobs.request("stay")
    await until(lambda: desk.ran)
    async with asyncio.timeout(60):
        await desk.jobs.stop(0.1)

    assert "refused" in desk.ended
    desk.open.set()


@in_virtual_time
async def test_a_failing_job_is_logged_once_tried_again_counted_and_shown(monkeypatch):
    """The first failure is logged with its key, the third in a row is shown in health, and so is the end of it."""
    monkeypatch.setattr(jobs_module, "FIRST", 0.05)
    desk = Desk()

    desk.jobs.add("fetch a/b", desk.fragile)
    with capture_logs() as logged:
        async with desk:
            desk.jobs.request("fetch a/b")
            await until(lambda: desk.jobs.failing() == {"fetch": 1})
            desk.leads = False
            assert desk.jobs.failing() == {}
            desk.leads = True
            desk.open.set()
            await until(lambda: desk.jobs.failing() == {})

    events = [(each["event"], each["key"], each.get("cause")) for each in logged]
    assert events == [("job.failed", "fetch a/b", "nobody answers"), ("job.recovered", "fetch a/b", None)]
    assert f'kind="fetch",outcome="failed"}} {len(desk.ran) - 1}.0' in generate_latest(desk.jobs.counted).decode()


@in_virtual_time
async def test_what_failed_is_put_off_although_it_is_requested():
    """A tick that asks every few seconds does not hurry what fails."""
    desk = Desk()

    async def broken():
        desk.ran.append("broken")
        raise ValueError("a defect")

    desk.jobs.add("break", broken)
    async with desk:
        desk.jobs.request("break")
        await until(lambda: b'outcome="failed"} 1.0' in generate_latest(desk.jobs.counted))
        desk.jobs.request("break")
        desk.jobs.request("note it")
        await until(lambda: "note" in desk.ran)
        await asyncio.sleep(0.3)

    assert desk.ran == ["broken", "note"]


@in_virtual_time
async def test_a_job_that_takes_too_long_is_cut_off_and_counts_as_failed():
    """The next job runs."""
    with capture_logs() as logged:
        async with Desk(limit=0.2) as desk:
            desk.jobs.request("wait long")
            await until(lambda: logged)
            desk.jobs.request("note it")
            await until(lambda: desk.ran == ["wait", "note"])

    assert [(each["event"], each["cause"]) for each in logged] == [("job.failed", "took longer than 0.2 s")]


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

    async def create(self, _request):
        self.created += 1
        if self.error is not None:
            raise self.error


@pytest.fixture
def declared():
    """What is declared, with its store, importer and clocks."""
    entry = Liveblog(key="derby", organization="5f0c1de2a1b2c3d4e5f60718", provider="heim", match_id="1", lead=3600.0)
    found = Declared(
        (entry,),
        Records(),
        Creating(),
        clock=lambda: found.wall,
        steady=lambda: found.at,
        quarantine=Quarantine(),
    )
    found.wall, found.at, found.entry = 1_800_000_000.0, 100.0, entry
    found.key = f"declare {entry.organization}/{entry.key}"
    return found


@in_virtual_time
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


@in_virtual_time
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


@in_virtual_time
async def test_a_purge_that_did_not_finish_is_run_again_soon():
    """Not at the next full hour: what comes in between may be more than a run gets done."""
    runs = []

    async def purge():
        runs.append(1)
        return len(runs) == 3

    jobs = Jobs(lambda: True)
    jobs.add("purge", partial(run_again, jobs, "purge", purge))
    jobs.request("purge")
    async with asyncio.timeout(60):
        while len(runs) < 3:
            await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    await jobs.stop(2)

    assert 3 == len(runs)
