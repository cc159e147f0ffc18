"""uvloop counts in milliseconds, so half of all timers fire a little early: who has set one does not set it again and again."""

from __future__ import annotations

import asyncio
import random
from functools import partial

import uvloop

from ingest.kit.rate_limiter import FairRateLimiter
from ingest.sync.follower import Followers
from ingest.sync.poll_slots import PollSlots
from mapping.errors import UpstreamUnavailable
from tests.kit.limited_provider import Provider, followed, followers_of
from tests.simulation.virtual_loop import VirtualLoop

SEEDED = random.Random(1)


def counted(patch, owner, name):
    """The calls of a method from now on."""
    calls, method = [], getattr(owner, name)

    def counting(*args):
        calls.append(args)
        return method(*args)

    patch.setattr(owner, name, counting)
    return calls


def on_uvloop(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())


def test_polls_are_waited_for_once(monkeypatch):
    """Two wake-ups a poll: it is due, and the next one is planned; with early timers set again they were nearly six."""
    waits = counted(monkeypatch, Followers, "_sleep")
    provider = Provider()

    async def main():
        matches = [followed(provider, number) for number in range(60)]
        followers = followers_of(provider, matches, live=60)
        for number, match in enumerate(matches):
            followers.schedule(match, number * 0.01 + SEEDED.uniform(0, 0.009))
        driving = asyncio.create_task(followers.run())
        while len(provider.requested) < 60:
            await asyncio.sleep(0.05)
        driving.cancel()
        await followers.stop()

    on_uvloop(main)
    assert len(waits) < 3 * 60


def test_turns_of_a_host_are_waited_for_once(monkeypatch):
    """A timer a turn."""
    served = counted(monkeypatch, FairRateLimiter, "_serve")

    async def main():
        rates = FairRateLimiter(225, 1)
        for _ in range(60):
            await rates.acquire("host")

    on_uvloop(main)
    assert len(served) < 2 * 60


def test_a_poll_that_has_to_give_way_is_looked_at_once(monkeypatch):
    """Whenever it began, and however long the others take: rounding of neither keeps it, nor the time from going on."""
    looks = counted(monkeypatch, PollSlots, "_give_way")
    loop, gave_way = VirtualLoop(), []

    async def main():
        slots = PollSlots(1)
        for number in range(200):
            slots._usual = SEEDED.uniform(0.1, 3.0)
            await asyncio.sleep(SEEDED.uniform(0, 1000))
            first = asyncio.create_task(slots.run(partial(asyncio.sleep, 60)))
            await asyncio.gather(first, slots.run(partial(asyncio.sleep, 0)), return_exceptions=True)
            gave_way.append(isinstance(first.exception(), UpstreamUnavailable))
            assert len(looks) <= 2 * (number + 1)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())
    assert all(gave_way)
    assert not loop.unexpected
