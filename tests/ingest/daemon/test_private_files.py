"""What the daemon writes is for its own user and group alone, however carelessly it was started."""

import asyncio
import os
import stat
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from structlog.testing import capture_logs

from ingest.sync.recorder import Recorder
from providers.base import Answer, Outcome
from providers.http_server import bind_socket, listening
from tests.kit.opening import endpoint_of, store_at
from tests.kit.sampling import sampled
from tests.kit.workers import NUMBERS, Upstream, Worker, create, until

DAY = 86_400.0
UMASKS = (0o000, 0o077)
ANSWER = Answer(resource="match", outcome=Outcome.CHANGED, body=b"{}")
HEIM = endpoint_of(provider="heim", base_url="http://127.0.0.1")
PROGRAM = """
import os, sys
os.umask({umask})
sys.argv += ["--data-dir", {folder!r}]
from ingest.cli.main import main
main()
"""


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def too_open(folder):
    """What is below that others may touch, or the group may write to: path → mode."""
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert any(path.is_file() for path in found)
    return {
        str(path.relative_to(folder)): f"{mode:o}"
        for path, mode in found.items()
        if mode & (0o027 if path.is_dir() else 0o137)
    }


@pytest.mark.proof
@pytest.mark.parametrize("umask", sampled(UMASKS, bool), ids=oct)
async def test_a_running_daemon_has_no_file_that_others_may_read(tmp_path, umask):
    """Database, WAL, shared memory, lock, recordings and log, and the folders that it makes for them."""
    data = tmp_path / "made" / "data"
    async with listening(upstream := Upstream(*NUMBERS), bind_socket("127.0.0.1", 0)) as address:
        daemon = Worker(tmp_path, "careless", "all", database="sqlite+aiosqlite:///matchwire.db", upstream=address)
        daemon.program = PROGRAM.format(umask=umask, folder=str(data))
        with daemon.config.open("a") as config:
            config.write("[recording]\nenabled = true\n")
        log = daemon.config.with_suffix(".log")
        log.touch()
        log.chmod(0o666)
        await daemon.start()
        try:
            await create(daemon, NUMBERS[0])

            async def recorded():
                return upstream.let_in > 5 and list(data.glob("recordings/*/*.gz"))

            await until(recorded, within=60)
            names = {path.name for path in data.iterdir()}
            assert names >= {"matchwire.db", "matchwire.db-wal", "matchwire.db-shm", "matchwire.db.lock", "recordings"}
            assert {} == too_open(tmp_path / "made")
            assert log.stat().st_mode & 0o137 == 0
            assert 1 == log.read_text().count("file.tightened"), "an older log was open to everybody"
        finally:
            assert 0 == await daemon.end()


async def test_files_of_an_earlier_version_are_tightened_once_and_that_is_logged(tmp_path):
    """Database, what a crash left beside it, and recordings: one line each, with the mode that it had."""
    url, day = f"sqlite+aiosqlite:///{tmp_path / 'matchwire.db'}", tmp_path / "recordings" / "2026-11-21"
    day.mkdir(parents=True)
    await (await store_at(url)).close()
    loose = [tmp_path / "matchwire.db", tmp_path / "matchwire.db-wal", day / "heim-1.jsonl.gz"]
    for path in loose:
        path.touch()
        path.chmod(0o666)
    with capture_logs() as lines:
        for _ in range(2):
            store = await store_at(url)
            recorder = Recorder(tmp_path / "recordings", retention=DAY, max_bytes=1_000_000, clock=time.time)
            recorder(HEIM, "1", [ANSWER])
            await asyncio.to_thread(recorder.close)
            await store.close()

    assert [("file.tightened", str(path), "666") for path in loose] == [
        (line["event"], line["file"], line["mode"]) for line in lines
    ]
    assert {} == {path: mode for path, mode in too_open(tmp_path).items() if not path.startswith("recordings")}
    assert {0o640} == {stat.S_IMODE(path.stat().st_mode) for path in loose if path.exists()}


async def test_a_file_of_somebody_else_is_warned_of(tmp_path):
    """What cannot be tightened does not stop the start; one line says so."""
    file = tmp_path / "matchwire.db"
    file.touch()
    file.chmod(0o666)
    with (
        capture_logs() as lines,
        patch.object(Path, "chmod", side_effect=PermissionError(1, "Operation not permitted")),
    ):
        await (await store_at(f"sqlite+aiosqlite:///{file}")).close()

    assert [("file.not_private", str(file), "666")] == [(line["event"], line["file"], line["mode"]) for line in lines]
