"""The limiter of one endpoint: slots, rate, circuit breaker, and what it logs."""

import asyncio
from functools import partial

import pytest
from structlog.testing import capture_logs

from ingest.sync.endpoint_limiter import SHORTEST, EndpointLimiter, EndpointPaused, PollSlots
from mapping.errors import UpstreamUnavailable
from mapping.rules.pacing import CircuitBreakerConfig
from providers.http_client import Throttled
from tests.kit.limited_provider import Provider
from tests.kit.virtual_time import in_virtual_time

RULE = CircuitBreakerConfig(breaker_after=3, breaker_pause=0.3, refused=9, lasting=0.0)
PATIENT = CircuitBreakerConfig(breaker_after=5, breaker_pause=30)


@pytest.fixture
def provider():
    return Provider()


def fetch(limiter, match_id="1"):
    return limiter.fetch(match_id, {}, text=False, hints={})


def limiter_of(provider, *, concurrency=8, rule=RULE):
    return EndpointLimiter(provider, concurrency=concurrency, rate=0, rule=rule)


@in_virtual_time
async def test_so_many_failures_in_a_row_leave_the_endpoint_alone(provider):
    """After the third nothing is requested, after the pause one poll tries, and a good one ends it; one line each."""
    provider.does["*"] = UpstreamUnavailable("gone")
    limiter = limiter_of(provider)
    with capture_logs() as lines:
        for name in "123":
            await fetch(limiter, name)
        assert limiter.lost == "gone"
        with pytest.raises(EndpointPaused):
            await fetch(limiter)
        await asyncio.sleep(0.31)
        await fetch(limiter)
        assert limiter.paused_for() > 0.2
        await asyncio.sleep(0.31)
        provider.does.clear()
        await fetch(limiter)

    assert limiter.lost is None
    assert limiter.paused_for() == 0
    assert [line["event"] for line in lines] == ["provider.lost", "provider.recovered"]
    assert len(provider.requested) == 5


@in_virtual_time
async def test_a_request_for_distance_moves_the_whole_endpoint(provider):
    """`Retry-After` of one match pauses all, without being an outage."""
    provider.does["1"] = Throttled("slow down", retry_after=2.0)
    limiter = limiter_of(provider)
    await fetch(limiter, "1")

    assert 1.9 < limiter.paused_for() <= 2
    assert limiter.lost is None


@in_virtual_time
async def test_a_match_that_is_always_throttled_is_meant_alone(provider):
    """Throttled twice in a row while the others were answered well, a match pauses the endpoint no more."""
    provider.does["1"] = Throttled("slow down", retry_after=1.0)
    limiter = limiter_of(provider)
    await fetch(limiter, "1")
    await asyncio.sleep(1.01)
    await fetch(limiter, "2")
    await fetch(limiter, "1")

    assert limiter.paused_for() == 0


@in_virtual_time
async def test_hanging_matches_give_way(provider):
    """Eight hanging polls on eight slots: who comes after them waits for the shortest patience alone."""
    provider.does = {f"slow{n}": 300.0 for n in range(8)}
    limiter = limiter_of(provider, concurrency=8, rule=PATIENT)
    hanging = [asyncio.create_task(fetch(limiter, name)) for name in provider.does]
    await asyncio.sleep(SHORTEST)
    async with asyncio.timeout(30):
        await asyncio.gather(*(fetch(limiter, f"{n}") for n in range(50)))

    assert provider.most == 8
    done, pending = await asyncio.wait(hanging, timeout=0)
    assert len(done) >= 1
    assert all(isinstance(task.exception(), UpstreamUnavailable) for task in done)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    assert limiter.lost is None


@in_virtual_time
async def test_matches_that_failed_leave_half_of_the_slots_to_the_others(provider):
    """Twenty that failed and hang now have four of eight slots: all the others are polled before any of them gives way."""
    names = [f"slow{n}" for n in range(20)]
    limiter = limiter_of(provider, concurrency=8, rule=PATIENT)
    await fetch(limiter)
    for name in names:
        provider.does[name] = UpstreamUnavailable("gone")
        await fetch(limiter, name)
        await fetch(limiter)
        provider.does[name] = 60.0
    provider.requested.clear()
    hanging = [asyncio.create_task(fetch(limiter, name)) for name in names]
    await asyncio.sleep(0)
    await asyncio.gather(*(fetch(limiter, f"{n}") for n in range(50)))

    assert 54 == len(provider.requested)
    assert not any(task.done() for task in hanging)
    await asyncio.wait(hanging, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(0.01)
    assert len(provider.requested) > 54, "the next of them gets a slot"
    for task in hanging:
        task.cancel()
    await asyncio.gather(*hanging, return_exceptions=True)
    provider.does.clear()
    async with asyncio.timeout(30):
        assert all([(await fetch(limiter, name)).good for name in names])


@in_virtual_time
async def test_where_all_are_slow_nobody_gives_way():
    """Usual is what most polls take: a provider that became slow is waited for after a few polls."""
    slots = PollSlots(2)
    failures = []

    async def poll():
        try:
            await slots.run(partial(asyncio.sleep, 0.3))
        except UpstreamUnavailable:
            failures.append(1)

    slots._usual = 0.1
    await asyncio.gather(*(poll() for _ in range(10)))

    assert failures == []


@in_virtual_time
async def test_slots_are_given_back_by_those_who_give_up():
    """Somebody who is cancelled while waiting, or while holding, takes nothing along."""
    slots = PollSlots(1)

    async def occupy(seconds):
        await slots.run(partial(asyncio.sleep, seconds))

    first, second, third = (asyncio.create_task(occupy(9)) for _ in range(3))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0.01)
    third.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)
    async with asyncio.timeout(30):
        await occupy(0)
