"""Names that take long to look up use the places of their own organization, and no others."""

import asyncio
import socket
import subprocess
import sys
import threading

import pytest

from config.sections import Webhooks
from ingest.guard.ssrf_guard import Resolver, SsrfGuard
from tests.kit.command import ROOT
from tests.kit.latency import OTHER, SLOW, games_of
from tests.webhooks.conftest import QUICK


class SlowNames:
    """The system's look-up, in which names that begin with `slow` take long and then are not found."""

    def __init__(self, monkeypatch, seconds):
        self.seconds = seconds
        self.look_up = socket.getaddrinfo
        self.let_go = threading.Event()
        self.begun, self.ended = [], []
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host, *arguments, **named):
        if not str(host).startswith("slow"):
            return self.look_up(host, *arguments, **named)
        self.begun.append(host)
        self.let_go.wait(self.seconds)
        self.ended.append(host)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")

    @property
    def under_way(self):
        return len(self.begun) - len(self.ended)


@pytest.fixture
def slow_names(monkeypatch):
    names = SlowNames(monkeypatch, 60)
    yield names
    names.let_go.set()


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


async def test_slow_names_hold_up_nobody_else(hub, receiver, slow_names):
    """Twenty subscriptions of one organization whose names are never found: another one's goes out at once."""
    (own,), (theirs,) = await games_of(hub, SLOW[0], 2, 1), await games_of(hub, OTHER, 3, 1)
    for number in range(20):
        await hub.subscribe(receiver.named_url(f"slow-{number}.example", "ok", "never"), SLOW[0])
    await hub.subscribe(receiver.named_url("localhost", "once", "other"), OTHER)
    async with hub.deliver(QUICK, guard=SsrfGuard(Webhooks(allow_hosts=["localhost"]))):
        await hub.change(own)
        await until(lambda: slow_names.under_way)
        for _ in range(5):
            version = await hub.change(theirs)
            await receiver.until(lambda version=version: version in receiver.versions("other"))
            assert not slow_names.ended

    assert slow_names.under_way <= 8
    assert len(receiver.requests("other")) == len(set(receiver.versions("other")))


async def test_a_look_up_that_was_given_up_keeps_its_place(slow_names):
    """As many threads as the organization may have, whoever has given up; another one finds the rest, and when they end
    the next name of the first has its turn."""
    resolver = Resolver(8, 2)
    hasty, guard = (SsrfGuard(Webhooks(allow_hosts=["localhost"], look_up_timeout=each)) for each in (0.05, 30))
    hasty._resolve = guard._resolve = resolver
    for number in range(6):
        assert not await hasty.is_allowed(f"http://slow-{number}.example:8080/", "a")
    assert len(slow_names.begun) == 1  # of two places one is kept for names that are known to be quick
    assert await guard.is_allowed("http://localhost:8080/", "b")
    assert resolver._bulkhead.taken == 1

    slow_names.let_go.set()
    await until(lambda: not resolver._bulkhead.taken)
    assert await guard.is_allowed("http://localhost:8080/", "a")


HANGING = """
import asyncio, socket, time
from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
socket.getaddrinfo = lambda *_, **__: time.sleep(60)
assert not asyncio.run(SsrfGuard(Webhooks(look_up_timeout=0.1)).is_allowed("https://slow.example/"))
"""


@pytest.mark.proof
def test_the_end_of_the_process_waits_for_no_look_up():
    """A thread that hangs in a look-up is left behind."""
    subprocess.run([sys.executable, "-c", HANGING], cwd=ROOT, check=True, timeout=50)
