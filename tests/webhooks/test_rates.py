"""Turns of a host: so many a second, organization by organization; in virtual time."""

import asyncio
from functools import wraps

from ingest.kit import bulkhead
from ingest.kit.bulkhead import FairRateLimiter
from tests.simulation.virtual_loop import VirtualLoop


def in_virtual_time(test):
    @wraps(test)
    def run(monkeypatch):
        loop = VirtualLoop()
        monkeypatch.setattr(bulkhead, "monotonic", loop.time)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(test(loop))

    del run.__wrapped__  # whose argument is no fixture
    return run


async def waiting(rates, served, organization, receiver, count):
    """Tasks that wait for a turn each, and note when they have had it."""

    async def wait():
        await rates.acquire("host", organization, receiver)
        served.append(receiver)

    tasks = [asyncio.create_task(wait()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


@in_virtual_time
async def test_organizations_and_their_receivers_take_turns(loop):
    """Whoever waits for many turns lets one of each other one pass in between."""
    rates, served = FairRateLimiter(100, 1), []
    await rates.acquire("host")
    tasks = [
        *await waiting(rates, served, "a", "a1", 4),
        *await waiting(rates, served, "a", "a2", 2),
        *await waiting(rates, served, "b", "b1", 2),
    ]
    await asyncio.gather(*tasks)

    assert served == ["a1", "b1", "a2", "b1", "a1", "a2", "a1", "a1"]
    assert round(loop.time(), 3) == len(served) / 100


@in_virtual_time
async def test_no_more_than_the_rate_and_a_burst(loop):
    """After a rest a burst at once, then one after the other; another host has its own."""
    rates, served = FairRateLimiter(50, 5), []
    await asyncio.gather(*await waiting(rates, served, "a", "a", 15))

    assert round(loop.time(), 3) == (15 - 5) / 50
    await rates.acquire("another")
    rates.forget()
    assert set(rates._hosts) == {"host", "another"}
    await asyncio.sleep(0.15)
    rates.forget()
    assert not rates._hosts
