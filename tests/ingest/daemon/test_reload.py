"""SIGHUP: a valid configuration is applied while requests go on; a wrong one changes nothing and is logged."""

import asyncio
import json
import signal
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.kit.daemon import SECRET, client_of
from tests.kit.news_daemon import daemon_in, made, shown, written

pytestmark = pytest.mark.proof

RENEWED = "another-secret-of-32-characters-and-more"


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.02)


def events_of(log, name):
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [line for line in lines if line["event"] == name]


@asynccontextmanager
async def requests_all_along(daemon):
    """Requests, each on a connection of its own, until the context ends; yields their statuses or errors."""
    seen = []

    async def request():
        async with httpx.AsyncClient(
            trust_env=False, verify=False, timeout=60, headers={"Connection": "close"}
        ) as client:
            while True:
                try:
                    seen.append((await client.get(f"{daemon.address}/livez")).status_code)
                except httpx.HTTPError as error:
                    seen.append(repr(error))

    task = asyncio.create_task(request())
    try:
        yield seen
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def open_files(daemon):
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir()))


async def test_a_hangup_applies_what_is_valid_and_refuses_nobody(tmp_path):
    """A client's new secret holds without a new process; a wrong file, another database and an impossible start change nothing."""
    log = tmp_path / "matchwire.log"
    async with daemon_in(tmp_path, "--log-file", str(log)) as daemon, client_of(daemon) as client:
        text = daemon.config.read_text()
        liveblog = await made(client)

        async def hung_up(changed, event, times=1):
            daemon.config.write_text(changed)
            daemon.process.send_signal(signal.SIGHUP)
            await until(lambda: len(events_of(log, event)) >= times)
            return events_of(log, event)[-1]

        async with requests_all_along(daemon) as seen:
            assert await hung_up(text, "config.unchanged")
            wrong = await hung_up(text.replace("port = 0", "prot = 0"), "config.invalid")
            assert "server.port" in wrong["problems"][0]
            moved = await hung_up(text.replace("port = 0", "port = 1234"), "config.needs_restart")
            assert moved["keys"] == ["server.port"]
            other = await hung_up(text.replace("matchwire.db", "other.db"), "config.needs_restart", 2)
            assert other["keys"] == ["database"]
            assert (await shown(client, liveblog)).status_code == 200

            files = open_files(daemon)
            renewed = text.replace(SECRET, RENEWED)
            applied = await hung_up(renewed, "daemon.started", 2)
            assert applied["address"] == daemon.address
            assert events_of(log, "config.applying")[-1]["changed"] == ["clients"]
            assert (await shown(client, liveblog)).status_code == 401
            client.auth = httpx.BasicAuth("cms", RENEWED)
            assert (await written(client, liveblog)).status_code == 200

            folder = f'\n[recording]\nenabled = true\nfolder = "{log}/below"\n'
            refused = await hung_up(renewed + folder, "config.not_applied")
            assert refused["cause"].startswith("recording.folder: ")
            await until(lambda: len(events_of(log, "daemon.started")) == 3)
            assert (await shown(client, liveblog)).status_code == 200

            for more in range(4, 7):
                await hung_up(f"{renewed}\n[comments]\nmax_links = {more}\n", "daemon.started", more)
            assert (await shown(client, liveblog)).json()["version"] == 2
        assert set(seen) == {200}
        assert len(seen) > 5
        await until(lambda: open_files(daemon) <= files + 5)
        assert await daemon.terminate() == 0
    assert RENEWED not in log.read_text()
    assert not events_of(log, "matchwire.failed")
