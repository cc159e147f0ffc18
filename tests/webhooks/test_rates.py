"""Turns of a host: so many a second, organization by organization."""

from __future__ import annotations

import asyncio
from time import monotonic

from ingest.kit.rate_limiter import FairRateLimiter


async def waiting(rates, served, organization, receiver, count):
    """Tasks that wait for a turn each, and note when they have had it."""

    async def wait():
        await rates.acquire("host", organization, receiver)
        served.append(receiver)

    tasks = [asyncio.create_task(wait()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def test_organizations_and_their_receivers_take_turns():
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


async def test_who_gives_up_uses_no_turn():
    """Those behind one who has given up come as if nobody had waited."""
    rates, served = FairRateLimiter(20, 1), []
    await rates.acquire("host")
    gone = await waiting(rates, served, "a", "gone", 400)
    tasks = await waiting(rates, served, "a", "there", 2)
    for each in gone:
        each.cancel()
    async with asyncio.timeout(10):  # four hundred turns are twenty seconds
        await asyncio.gather(*tasks)

    assert served == ["there", "there"]
    await asyncio.gather(*gone, return_exceptions=True)


async def test_no_more_than_the_rate_and_a_burst():
    """After a rest a burst at once, then one after the other; another host has its own."""
    rates, served = FairRateLimiter(50, 5), []
    began = monotonic()
    await asyncio.gather(*await waiting(rates, served, "a", "a", 15))
    took = monotonic() - began

    assert took >= (15 - 5 - 1) / 50
    await rates.acquire("another")
    rates.forget()
    assert set(rates._hosts) == {"host", "another"}
    await asyncio.sleep(0.15)
    rates.forget()
    assert not rates._hosts


async def test_no_limit():
    """A rate of nothing means that nobody waits."""
    rates = FairRateLimiter(0, 0)
    for _ in range(1000):
        await rates.acquire("host")
    assert not rates._hosts
