"""The process that leads ends, stands still or loses its database: another one runs the jobs, and what they do is done once."""

import asyncio
import signal
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import func, select, update

from store.media.tables import media_probes
from store.tables import attachments, workers
from tests.kit import origin as origins
from tests.kit.daemon import DECLARED
from tests.kit.day import ORGANIZATION, SHOW
from tests.kit.event_desk import photo
from tests.kit.news_daemon import NEWS, WRITE
from tests.kit.opening import look, store_at
from tests.kit.pictures import picture
from tests.kit.workers import NUMBERS, Worker, two_processes, until

SOON = 60
"""Seconds within which everything comes about, however busy the machine is."""
HASTY = "import ingest.sync.match_leases as own; own.LEASE, own.TICK = 4.0, 1.0; " + Worker.program
"""`matchwire run` whose leases last half as long, so that nobody waits for their end as long as in earnest."""
pytestmark = pytest.mark.proof

MEDIA = """
[webhooks]
allow_hosts = ["127.0.0.1"]
[media]
folder = "{}"
"""
DECLARATIONS = 'matchwire_jobs_total{kind="declare",outcome="done"}'
PROBES = 'matchwire_jobs_total{kind="probe",outcome="done"}'


@asynccontextmanager
async def leader_and_other(folder, database, *numbers, role="worker", program=Worker.program, media=False):
    """The provider, the process that leads and another one, both with a liveblog declared of each of these matches.

    The provider answers nobody: the leader is at the creation of as many of them as there is room for.
    """
    declared = "".join(DECLARED.format(ORGANIZATION, number).replace("derby", f"m{number}") for number in numbers)
    async with two_processes(folder, database, one=role, two=role) as (upstream, *processes):
        for each in processes:
            each.config.write_text(
                each.config.read_text() + declared + (MEDIA.format(folder / "media") if media else "")
            )
            each.program = program
        upstream.open.clear()
        try:
            await asyncio.gather(*(each.start() for each in processes))

            async def begun():
                return upstream.waiting.total() == min(len(numbers), 4)

            await until(begun, within=SOON)
            processes.sort(key=lambda each: -upstream.waiting[each.name])
            assert [await shown(each, "matchwire_leads") for each in processes] == [1, 0]
            yield upstream, *processes
        finally:
            upstream.open.set()


async def shown(process, sample):
    """The value of a sample at the process's `/metrics`."""
    lines = (await process.client.get("/metrics")).text.splitlines()
    return next(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{sample} "))


def leads(process):
    async def holds():
        return await shown(process, "matchwire_leads") == 1

    return holds


def all_followed(number, *processes):
    """The condition that these processes follow so many matches together."""

    async def holds():
        return sum([(await each.ready())["matches"] for each in processes]) == number

    return holds


async def declared_keys(database):
    keys = await look(database, lambda conn: conn.scalars(select(attachments.c.declared_key)).all())
    return sorted(keys)


def logged(event, *processes):
    """How often these processes have logged the event."""
    logs = "".join(each.config.with_suffix(".log").read_text() for each in processes)
    return logs.count(f'"event": "{event}"')


async def pictured(process, address):
    """A liveblog with a post that shows the picture; its id."""
    liveblog = (await process.client.post(f"{WRITE}/ticker/create.json", json=NEWS)).json()["local_id"]
    params = {"ticker_local_id": liveblog}
    answer = await process.client.post(f"{WRITE}/event/create.json", params=params, json={"contents": [photo(address)]})
    assert answer.status_code == 200, answer.text
    return liveblog


async def be_due(database):
    """The time has passed after which a probe that nobody finished is due again."""
    store = await store_at(database)
    await store.write(lambda unit: unit.conn.execute(update(media_probes).values(next_at=0)))
    await store.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
async def test_a_job_under_way_is_taken_up_when_its_process_ends(tmp_path, postgres_url, how):
    """Killed while a declared liveblog is created and a file probed: the other process does both, and each once."""
    async with (
        origins.serving() as origin,
        leader_and_other(tmp_path, postgres_url, NUMBERS[0], role="all", media=True) as (upstream, leader, other),
    ):
        origin.files, origin.delay = {"/a.png": picture("png", 40, 30)}, 3600.0
        liveblog = await pictured(other, f"{origin.address}/a.png")

        async def probed():
            return len(origin.requests) == 1

        await until(probed, within=SOON)
        leader.send(how)
        assert await leader.process.wait() == (0 if how == signal.SIGTERM else -how)
        assert await declared_keys(postgres_url) == []
        origin.delay = 0.0
        upstream.open.set()
        await be_due(postgres_url)
        await until(leads(other), within=SOON)
        await until(all_followed(1, other), within=SOON)

        async def known():
            game = (await other.client.get(SHOW, params={"local_id": liveblog})).json()
            return game["version"], [file.get("width") for event in game["events"] for file in event["media"]]

        async def learned():
            return (await known())[1] == [40]

        await until(learned, within=SOON)
        assert (await known())[0] == 3, "the liveblog, its post, and what the post learned: a step each"
        assert len(origin.requests) == 2
        assert await declared_keys(postgres_url) == [f"m{NUMBERS[0]}"]
        assert logged("liveblog.created", leader, other) == 1
        assert logged("jobs.taken_up", other) == 1
        assert await shown(other, DECLARATIONS) >= 1
        assert await shown(other, PROBES) >= 1
        status = (await other.client.get("/status.json")).json()
        assert (status["workers"], status["matches"]["matches"], status["alarms"]) == (1, 1, [])
        assert "failingJobs" not in await other.ready()


async def test_a_leader_that_stood_still_begins_nothing_when_it_goes_on(tmp_path, postgres_url):
    """Frozen for longer than its lease it ends what it was at, where nothing is left to do, and leaves the rest to the other."""
    async with leader_and_other(tmp_path, postgres_url, *NUMBERS[:6], program=HASTY) as (upstream, leader, other):
        leader.send(signal.SIGSTOP)

        async def taken_up():
            return upstream.waiting[other.name] == 4

        await until(taken_up, within=SOON)
        leader.send(signal.SIGCONT)
        assert await shown(leader, "matchwire_leads") == 0
        upstream.open.set()
        await until(all_followed(6, leader, other), within=SOON)

        async def ended():
            return await shown(leader, DECLARATIONS) >= 4

        await until(ended, within=SOON)
        assert await shown(leader, DECLARATIONS) == 4, "it began what waited for room"
        assert await shown(other, DECLARATIONS) >= 6
        assert [await shown(each, "matchwire_leads") for each in (leader, other)] == [0, 1]
        assert await declared_keys(postgres_url) == [f"m{number}" for number in NUMBERS[:6]]
        assert logged("liveblog.created", leader, other) == 6
        assert logged("job.failed", leader, other) == 0


async def test_a_database_that_is_started_again_leaves_one_leader(tmp_path, postgres_cluster, postgres_url):
    """Both processes join anew and one of them leads; the job that was under way is done once, whoever goes on with it."""
    async with leader_and_other(tmp_path, postgres_url, NUMBERS[0]) as (upstream, *processes):
        before = await look(postgres_url, lambda conn: conn.scalars(select(workers.c.id)).all())
        postgres_cluster.stop()
        await asyncio.to_thread(postgres_cluster.start)

        async def joined_anew():
            now = await look(postgres_url, lambda conn: conn.scalars(select(workers.c.id)).all())
            return len(now) == 2 and not set(now) & set(before)

        async def led():
            return sorted([await shown(each, "matchwire_leads") for each in processes]) == [0, 1]

        await until(joined_anew, within=SOON)
        await until(led, within=SOON)
        upstream.open.set()
        await until(all_followed(1, *processes), within=SOON)
        assert await declared_keys(postgres_url) == [f"m{NUMBERS[0]}"]
        assert logged("liveblog.created", *processes) == 1
        assert await look(postgres_url, lambda conn: conn.scalar(select(func.count()).select_from(attachments))) == 1
        assert ["failingJobs" in await each.ready() for each in processes] == [False, False]
