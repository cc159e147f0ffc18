"""Names that take long to look up use the places of their own organization, and no others."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading

import pytest

from config.sections import Webhooks
from ingest.guard.names import Resolver
from ingest.guard.ssrf_guard import Blocked, SsrfGuard
from tests.kit.command import ROOT
from tests.kit.latency import OTHER, SLOW, changing, games_of, latencies, p99, shown
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


async def test_who_asks_for_the_same_name_shares_the_look_up(slow_names):
    """One look-up for all, also of several organizations; one who gives up takes nobody along."""
    resolver = Resolver(8, 8)
    lookups = [
        asyncio.create_task(resolver("slow.example", 443, organization=each)) for each in ("a", "a", "b", "c", "d")
    ]
    await until(lambda: slow_names.begun)
    lookups[0].cancel()
    await asyncio.sleep(0.01)
    slow_names.let_go.set()
    outcomes = await asyncio.gather(*lookups, return_exceptions=True)

    assert isinstance(outcomes[0], asyncio.CancelledError)
    assert all(isinstance(each, socket.gaierror) for each in outcomes[1:])
    assert slow_names.begun == ["slow.example"]
    assert resolver._bulkhead.taken == 0


async def test_a_name_that_is_known_to_be_slow_leaves_places_to_others(slow_names):
    """Of the places of its organization names that were slow take three quarters at most."""
    slow_names.seconds = 1.1
    resolver = Resolver(8, 8)
    every = [resolver(f"slow-{number}.example", 443, organization="a") for number in range(7)]
    await asyncio.gather(*every, return_exceptions=True)
    slow_names.seconds = 60
    again = [
        asyncio.create_task(resolver(f"slow-{number}.example", 443, organization="a"))  #
        for number in range(7)
    ]
    await until(lambda: slow_names.under_way == 6)
    await resolver("localhost", 443, organization="a")
    assert slow_names.under_way == 6

    slow_names.let_go.set()
    await asyncio.gather(*again, return_exceptions=True)


async def test_a_check_ends_with_the_time_of_a_look_up(slow_names):
    """What is not found in time may not be called."""
    async with asyncio.timeout(10):
        with pytest.raises(Blocked):
            await SsrfGuard(Webhooks(look_up_timeout=0.1)).check("https://slow.example/")


async def test_without_a_thread_a_name_is_not_found(monkeypatch):
    """A system that gives no more threads is a failed look-up, and its place is free again."""

    def start(_):
        raise RuntimeError("can't start new thread")

    resolver = Resolver(8, 8)
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(OSError, match="no thread"):
        await resolver("public.example", 443)
    assert resolver._bulkhead.taken == 0


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


@pytest.mark.soak
async def test_sixty_names_that_take_twelve_seconds(hub, receiver, monkeypatch):
    """A receiver of another organization, whose name is looked up for each delivery, is as fast as alone."""
    SlowNames(monkeypatch, 12)
    own, theirs = await games_of(hub, SLOW[0], 10, 10), await games_of(hub, OTHER, 30, 10)
    await hub.subscribe(receiver.named_url("localhost", "once", "other"), OTHER)
    async with (
        hub.deliver(Webhooks(rate=0), guard=SsrfGuard(Webhooks(allow_hosts=["localhost"]))),
        changing(hub, own, 0.2),
    ):
        alone = await latencies(hub, receiver, "other", theirs, 600, 0.05)
        for number in range(60):
            await hub.subscribe(receiver.named_url(f"slow-{number}.example", "ok", "never"), SLOW[0])
        await asyncio.sleep(5)
        beside = await latencies(hub, receiver, "other", theirs, 600, 0.05)
    print(f"\nalone: {shown(alone)}\nbeside sixty slow names: {shown(beside)}")  # noqa: T201

    assert p99(beside) <= 3 * p99(alone)
