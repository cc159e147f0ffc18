"""A start while PostgreSQL is away: one line that names it, a bounded wait, and then it is ready or ends with a status."""

import asyncio
import os
import signal
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest
from structlog.testing import capture_logs

from config import Settings
from ingest.daemon import run as daemon
from ingest.kit.start_wait import StartWait
from store.engine import migrate
from tests.kit.command import MATCHWIRE
from tests.kit.day import configuration
from tests.kit.faults_postgres import frozen

WITHIN = 30.0

ENVIRON = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}


def settings_for(folder, url, **database):
    made = configuration("http://127.0.0.1:9", folder, database=url)
    return Settings.model_validate(made | {"database": {"url": url, **database}})


@dataclass
class Start:
    """A daemon that starts, and what it logs."""

    log: list
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)

    def logged(self, event):
        return [line for line in self.log if line["event"] == event]

    async def until_away(self):
        async with asyncio.timeout(WITHIN):
            while not self.logged("database.away"):
                await asyncio.sleep(0.01)
        return self.logged("database.away")[0]


@asynccontextmanager
async def starting(settings):
    """A daemon that starts in this event loop; it is ready, and then stopped in order, when the context ends."""
    with capture_logs() as log:
        start = Start(log)
        running = asyncio.create_task(daemon.run(settings, announce=lambda _: start.ready.set(), stop=start.stop))
        try:
            yield start
            ready = asyncio.create_task(start.ready.wait())
            await asyncio.wait({running, ready}, timeout=WITHIN, return_when=asyncio.FIRST_COMPLETED)
            assert start.ready.is_set()
        finally:
            start.stop.set()
            await running
    assert ["database.away", "database.back"] == [line["event"] for line in log if line["event"].startswith("database")]


async def started_again(cluster):
    """Start the server again; after SIGKILL its last children keep its memory for a moment."""
    async with asyncio.timeout(WITHIN):
        while True:
            try:
                return await asyncio.to_thread(cluster.start)
            except RuntimeError:
                await asyncio.sleep(0.1)


@pytest.mark.proof
async def test_a_start_waits_for_a_server_that_does_not_listen_yet(postgres_cluster, postgres_url, tmp_path):
    """One line names the server, another one says that it is there."""
    await asyncio.to_thread(postgres_cluster.stop)
    try:
        async with starting(settings_for(tmp_path, postgres_url)) as start:
            away = await start.until_away()
            await asyncio.to_thread(postgres_cluster.start)
    finally:
        await asyncio.to_thread(postgres_cluster.start) if postgres_cluster.process.poll() is not None else None

    assert away["database"] == postgres_url.partition("@")[2]
    assert "refused" in away["cause"]
    assert postgres_cluster.password not in str(start.log)


@pytest.mark.proof
async def test_a_start_waits_for_a_server_that_shuts_down_and_comes_back(postgres_cluster, postgres_url, tmp_path):
    """`the database system is shutting down`, then nobody listens, then it is there."""
    last = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    stopping = postgres_cluster.process
    stopping.send_signal(signal.SIGTERM)
    try:
        await until_refused(postgres_url, "57P03")
        async with starting(settings_for(tmp_path, postgres_url)) as start:
            away = await start.until_away()
            await last.close()
            stopping.send_signal(signal.SIGINT)  # whoever else is still connected holds it up no longer
            await asyncio.to_thread(stopping.wait, WITHIN)
            await asyncio.to_thread(postgres_cluster.start)
    finally:
        await last.close()
        await asyncio.to_thread(stopping.wait, WITHIN)
        if postgres_cluster.process is stopping:
            await asyncio.to_thread(postgres_cluster.start)

    assert away["cause"] == "the database system is shutting down"


async def until_refused(url, code):
    """Wait until the server refuses connections for this reason."""
    async with asyncio.timeout(WITHIN):
        while True:
            try:
                await (await asyncpg.connect(url.replace("+asyncpg", ""))).close()
            except asyncpg.PostgresError as error:
                if error.sqlstate == code:
                    return
            except OSError:
                pass
            await asyncio.sleep(0.02)


async def waiting_for_a_lock(conn, number=1):
    """Wait until so many others wait for what this connection holds."""
    async with asyncio.timeout(WITHIN):
        while await conn.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted") < number:
            await asyncio.sleep(0.02)


@pytest.mark.proof
async def test_a_server_killed_in_the_middle_of_a_start_is_waited_for(postgres_cluster, postgres_url, tmp_path):
    """kill -9 while the start writes what the configuration declares: it is written once the server is back."""
    foreign = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    await foreign.execute("BEGIN; LOCK TABLE clients")
    async with starting(settings_for(tmp_path, postgres_url, timeout=30.0)) as start:
        await waiting_for_a_lock(foreign)
        postgres_cluster.process.kill()
        postgres_cluster.process.wait()
        await start.until_away()
        await started_again(postgres_cluster)
    foreign.terminate()

    conn = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    assert 1 == await conn.fetchval("SELECT count(*) FROM clients")
    await conn.close()


@pytest.mark.proof
async def test_a_server_killed_in_the_middle_of_a_migration_is_waited_for(
    postgres_cluster, bare_postgres_url, tmp_path
):
    """kill -9 while `db upgrade` runs: nothing of it stays, and it runs again when the server is back."""
    foreign = await asyncpg.connect(bare_postgres_url.replace("+asyncpg", ""))
    await foreign.execute(f"SELECT pg_advisory_lock({migrate.UPGRADE_KEY})")
    database = settings_for(tmp_path, bare_postgres_url).database
    with capture_logs() as log:
        upgrading = asyncio.create_task(
            StartWait(database).through(lambda: migrate.bring_up_to_date(bare_postgres_url))
        )
        await waiting_for_a_lock(foreign)
        postgres_cluster.process.kill()
        postgres_cluster.process.wait()
        await started_again(postgres_cluster)
        await asyncio.wait_for(upgrading, WITHIN)
    foreign.terminate()

    assert ["database.away", "database.back"] == [line["event"] for line in log]
    assert migrate.head() == await asyncio.to_thread(migrate.current, bare_postgres_url)


@pytest.mark.proof
async def test_a_frozen_server_is_waited_for(postgres_cluster, postgres_url, tmp_path):
    """The connection comes about, and nobody answers: ready as soon as somebody does."""
    with frozen(postgres_cluster.process):
        holding = starting(settings_for(tmp_path, postgres_url, timeout=1.0))
        start = await holding.__aenter__()
        away = await start.until_away()
    await holding.__aexit__(None, None, None)

    assert away["cause"] == "it does not answer in time"


@pytest.mark.parametrize("how", ["away", pytest.param("frozen", marks=pytest.mark.proof)])
async def test_a_start_that_is_stopped_while_it_waits_ends(postgres_cluster, postgres_url, tmp_path, how):
    """SIGTERM does not wait for the database longer than for one answer, and is no fault."""
    settings = settings_for(tmp_path, postgres_url.replace(f":{postgres_cluster.port}/", ":9/"), start_wait=600.0)
    stop = asyncio.Event()
    if how == "frozen":
        settings = settings_for(tmp_path, postgres_url, timeout=1.0, start_wait=600.0)
        freeze = frozen(postgres_cluster.process)
        freeze.__enter__()
    try:
        running = asyncio.create_task(daemon.run(settings, announce=lambda _: None, stop=stop))
        await asyncio.sleep(0.3)
        assert not running.done()
        stop.set()
        await asyncio.wait_for(running, WITHIN)
    finally:
        if how == "frozen":
            freeze.__exit__(None, None, None)


@pytest.mark.proof
def test_a_stop_ends_though_the_server_is_frozen(postgres_cluster, postgres_url, configured):
    """Nobody waits for a dozen time-outs one after the other: soon after its grace the process is gone."""
    config = configured(postgres_url)
    text = (
        config.read_text().replace("port = 0", "port = 0\nshutdown_grace = 0").replace("timeout = 1", "timeout = 300")
    )
    config.write_text(text)
    running = subprocess.Popen(
        [*MATCHWIRE, "run", "--config", config], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRON
    )
    assert "listens on" in running.stdout.readline()
    with frozen(postgres_cluster.process):
        running.terminate()
        _, said = running.communicate(timeout=120)

    assert "daemon.stop_cut_off" in said
    assert "Traceback" not in said


@pytest.fixture
def configured(tmp_path):
    """Write a configuration with this database; returns its path."""

    def write(url, start_wait=0.5):
        path = tmp_path / "matchwire.toml"
        path.write_text(f'[server]\nport = 0\n[database]\nurl = "{url}"\nstart_wait = {start_wait}\ntimeout = 1\n')
        return path

    return write


async def execute(url, statement):
    conn = await asyncpg.connect(url.replace("+asyncpg", ""))
    await conn.execute(statement)
    await conn.close()
