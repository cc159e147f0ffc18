"""Receivers of webhooks beside the test: two processes that all tests share, or one of a test's own."""

import asyncio
import json
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest


@dataclass
class Receiver:
    """The process, and what it has been sent so far."""

    port: int
    log: Path
    process: subprocess.Popen = field(repr=False)
    begun: int = 0
    """Where in the log what a test has been sent begins."""

    def url(self, how, name=None):
        return f"http://127.0.0.1:{self.port}/{how}/{name or how}"

    def named_url(self, host, how, name):
        """The same under a name, which is looked up for each connection."""
        return f"http://{host}:{self.port}/{how}/{name}"

    def lines(self):
        with self.log.open("rb") as log:
            log.seek(self.begun)
            return log.read().decode().split("\n")[:-1]

    def requests(self, name=None):
        rows = [json.loads(line) for line in self.lines()]
        return [row for row in rows if name is None or row["name"] == name]

    def body(self, row):
        return json.loads(row["body"])

    def versions(self, name):
        return [int(json.loads(row["body"])["version"]) for row in self.requests(name)]

    async def until(self, condition, within=60.0):
        async with asyncio.timeout(within):
            while not condition():
                await asyncio.sleep(0.02)


@contextmanager
def running_receiver(folder):
    """A receiver of its own."""
    log = folder / "received.jsonl"
    log.touch()
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("receiver.py"), log], stdout=subprocess.PIPE, text=True
    )
    try:
        yield Receiver(int(process.stdout.readline()), log, process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def shared_receivers(tmp_path_factory):
    """Two processes for all tests: each test hears of what it was sent alone, and has names of its own to switch."""
    with (
        running_receiver(tmp_path_factory.mktemp("receiver")) as first,
        running_receiver(tmp_path_factory.mktemp("receiver")) as second,
    ):
        yield first, second


@pytest.fixture
def receiver(shared_receivers):
    return _from_now(shared_receivers[0])


@pytest.fixture
def second_receiver(shared_receivers):
    """A receiver at an address of its own."""
    return _from_now(shared_receivers[1])


def _from_now(receiver):
    urllib.request.urlopen(f"http://127.0.0.1:{receiver.port}/switch/*/reset").close()
    return replace(receiver, begun=receiver.log.stat().st_size)
