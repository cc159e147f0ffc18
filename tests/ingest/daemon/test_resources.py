"""A daemon that runs out of what a machine has: file descriptors, room on the disk, room for its log."""

import asyncio
import os
import resource
import socket
import sqlite3
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import httpx
import pytest

from tests.kit.daemon import SECRET, client_of
from tests.kit.news_daemon import daemon_in, made, post, shown, within, written

pytestmark = pytest.mark.proof


def refused_for_now(answer):
    """Whether an answer is the service's own outage."""
    body = answer.json()
    return (answer.status_code, body["retryable"], set(body)) == (503, True, {"code", "message", "retryable"})


def used(pid):
    """Seconds of processor time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def intact(file):
    with closing(sqlite3.connect(file)) as conn:
        return conn.execute("PRAGMA integrity_check").fetchone()[0]


def knock(host, port):
    """A connection that goes away at once, if it is taken at all."""
    with suppress(OSError):
        socket.create_connection((host, int(port)), timeout=0.5).close()


def opened(pid):
    return sorted(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208


def waits(pid):
    """Whether no thread of the process wants to run: on a busy machine one that stands still may only wait for its turn."""
    stats = (path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/stat"))
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)


async def settled(pid):
    """Wait until the process opens no files any more: what comes after readiness is loaded."""
    before, calm = None, 0
    while calm < 10:
        now = opened(pid)
        before, calm = now, calm + 1 if now == before and waits(pid) else 0
        await asyncio.sleep(0.1)


@pytest.mark.parametrize("figures", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["answers", "figures"])
async def test_without_file_descriptors_known_connections_are_served_and_new_ones_come_back(tmp_path, figures):
    """Open files at their limit: what is connected is answered, the process neither dies nor spins, and it heals itself."""
    async with daemon_in(tmp_path) as daemon, client_of(daemon) as client:
        pid, liveblog = daemon.process.pid, await made(client)
        for first in (written, shown):
            assert (await first(client, liveblog)).status_code == 200
        await settled(pid)
        address = daemon.address.removeprefix("http://").rpartition(":")
        highest = max(int(name) for name in os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208
        _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 10, hard))
        with ExitStack() as idle:
            for _ in range(60):
                idle.enter_context(socket.create_connection((address[0], int(address[2]))))
            began, most = time.monotonic(), 0
            answers = []
            while time.monotonic() - began < 3:
                answers += [await written(client, liveblog), await shown(client, liveblog)]
                for _ in range(5):
                    knock(*address[::2])
                most = max(most, len(opened(pid)))
                await asyncio.sleep(0.05)
            assert most > highest + 5, "nothing ran out"
            # Now nobody wants anything but to be let in: however busy the machine is, that costs a process next to nothing.
            began, before = time.monotonic(), used(pid)
            await asyncio.sleep(2)
            spent, took = used(pid) - before, time.monotonic() - began
        assert all(answer.status_code == 200 or refused_for_now(answer) for answer in answers)
        assert 200 in {answer.status_code for answer in answers}
        assert not figures or spent < took * 0.2, "it spins"

        async def answered_anew():
            try:
                async with client_of(daemon) as fresh:
                    return (await written(fresh, liveblog)).status_code == 200
            except httpx.TransportError:
                return False

        await within(60, answered_anew)
        assert await daemon.terminate() == 0
    assert intact(tmp_path / "matchwire.db") == "ok"


async def test_a_full_disk_refuses_writes_serves_reads_and_heals(tmp_path):
    """No file may grow: 503 for whoever writes, everything that was there for whoever reads, then all as before."""
    log = tmp_path / "matchwire.log"
    async with daemon_in(tmp_path, "--log-file", str(log)) as daemon, client_of(daemon) as client:
        liveblog, pid = await made(client), daemon.process.pid
        first = (await written(client, liveblog)).json()
        largest = max(file.stat().st_size for file in tmp_path.iterdir())
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (min(largest, log.stat().st_size), hard))
        refused = [await written(client, liveblog, post("x" * 500_000)) for _ in range(5)]
        read = [await shown(client, liveblog) for _ in range(5)]
        ready = await client.get("/livez")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))

        async def taken():
            return (await written(client, liveblog, post("later"))).status_code == 200

        await within(60, taken)
        ids = [event["local_id"] for event in (await shown(client, liveblog)).json()["events"]]
        assert await daemon.terminate() == 0

    assert all(map(refused_for_now, refused)), [answer.text for answer in refused]
    assert [[event["local_id"] for event in answer.json()["events"]] for answer in read] == [[first["local_id"]]] * 5
    assert ready.status_code == 200
    assert ids[0] == first["local_id"]
    assert len(ids) == 2
    assert intact(tmp_path / "matchwire.db") == "ok"


@pytest.mark.parametrize("kind", ["full disk", "closed pipe"])
async def test_a_log_that_cannot_be_written_costs_log_lines_alone(tmp_path, kind):
    """Every write to the log fails, from the start or as soon as nobody reads it; requests and SIGTERM are as ever."""
    log, reader = "/dev/full", None
    if kind == "closed pipe":
        log = str(tmp_path / "pipe")
        os.mkfifo(log)
        reader = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
    async with daemon_in(tmp_path, "--log-file", log) as daemon, client_of(daemon) as client:
        if reader is not None:
            os.close(reader)
        liveblog = await made(client)
        answers = [await written(client, liveblog), await shown(client, liveblog), await client.get("/nowhere")]
        assert await daemon.terminate() == 0

    assert [answer.status_code for answer in answers] == [200, 200, 404]


async def test_a_reader_that_takes_its_time_does_not_let_the_log_of_the_database_grow(tmp_path):
    """A feed of megabytes that nobody takes from the socket holds no snapshot: the write-ahead log is used again and again."""
    async with daemon_in(tmp_path) as daemon, client_of(daemon) as client:
        liveblog = await made(client)
        for number in range(20):
            assert (await written(client, liveblog, post(f"{number} " + "x" * 100_000))).status_code == 200
        host, _, port = daemon.address.removeprefix("http://").rpartition(":")
        query = f"liveblogId={liveblog}&limit=1000&client_id=cms&client_secret={SECRET}"
        with ExitStack() as slow:
            for _ in range(4):
                reader = slow.enter_context(socket.create_connection((host, int(port))))
                reader.sendall(f"GET /api/embed/v4/feed/liveblog.json?{query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            for number in range(150):
                assert (await written(client, liveblog, post(f"{number} " + "y" * 100_000))).status_code == 200
            log = (tmp_path / "matchwire.db-wal").stat().st_size
        assert await daemon.terminate() == 0
    total = (tmp_path / "matchwire.db").stat().st_size

    assert total > 15_000_000
    assert log < total / 2
