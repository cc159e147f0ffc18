"""A rate limit that is too low for the live matches is said, and shared out evenly among them."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from ingest.sync.endpoint_limiter import share_limits
from ingest.sync.poll_slots import PollSlots
from ingest.telemetry.state_metrics import FollowingMetrics
from mapping.match import Status
from providers.base import Known
from tests.kit.limited_provider import Provider, followed, followers_of
from tests.kit.virtual_time import in_virtual_time

TWO = {"match": Known(digest="a"), "match-event": Known(digest="b")}


@pytest.fixture
def provider():
    return Provider()


def following(provider, count, **settings):
    """Followers of so many live matches, of which each poll makes two requests."""
    return followers_of(provider, [followed(provider, number, known=dict(TWO)) for number in range(count)], **settings)


def metric(followers, provider):
    registry = CollectorRegistry()
    registry.register(FollowingMetrics(followers))
    return registry.get_sample_value("matchwire_endpoint_demand", {"endpoint": provider.endpoint.key})


async def watched(followers):
    with capture_logs() as lines:
        await followers.watch_rates()
    return lines


@in_virtual_time
async def test_a_rate_that_is_too_low_is_logged_once_and_once_more_when_it_is_enough(provider):
    """Ten live matches need four requests a second, three are allowed; then one match ends."""
    followers = following(provider, 10, live=5, rate=3)
    [line] = await watched(followers)

    assert line == {
        "event": "endpoint.rate_too_low", "log_level": "warning", "endpoint": provider.endpoint.key,
        "cause": "polling.rate allows fewer requests a second than the matches need", "needed": 4.0, "rate": 3.0,
    }  # fmt: skip
    assert await watched(followers) == []
    for number in range(3):
        del followers._matches[f"f{number}"]
    [line] = await watched(followers)
    assert (line["event"], line["needed"]) == ("endpoint.rate_sufficient", 2.8)
    assert await watched(followers) == []


@in_virtual_time
async def test_what_the_matches_need_is_shown(provider):
    """As a part of what the rate allows in the metric, as a count of endpoints in the health."""
    followers = following(provider, 10, live=5, rate=3)
    assert metric(followers, provider) == 0
    await watched(followers)

    assert metric(followers, provider) == pytest.approx(4 / 3)
    assert followers.health()["endpoints_limited"] == 1
    followers._matches.clear()
    await watched(followers)
    assert (metric(followers, provider), followers.health()["endpoints_limited"]) == (0, 0)


@pytest.mark.parametrize("rate", [0, 4])
@in_virtual_time
async def test_a_rate_that_is_enough_is_no_matter(provider, rate):
    """Exactly what is needed, or no limit at all."""
    followers = following(provider, 10, live=5, rate=rate)

    assert await watched(followers) == []
    assert followers.health()["endpoints_limited"] == 0


@in_virtual_time
async def test_matches_that_are_over_need_little(provider):
    """Each match counts with the interval that it has now."""
    followers = following(provider, 10, live=5, after=50, rate=3)
    for number in range(6):
        followers._matches[f"f{number}"] = followed(provider, number, known=dict(TWO), status=Status.FINISHED)

    assert await watched(followers) == []


@in_virtual_time
async def test_each_match_has_its_turn(provider):
    """Four times as many matches as the rate is for: all of them are polled equally often, late or not."""
    followers = following(provider, 40, live=0.1, rate=200)  # 800 requests a second are needed
    for number, match in enumerate(followers.matches):
        followers.schedule(match, 0 if number < 20 else 0.05)
    driving = asyncio.create_task(followers.run())
    await asyncio.sleep(2.5)
    driving.cancel()
    await followers.stop(grace=0)
    turns = Counter(provider.requested)

    assert len(turns) == 40
    assert min(turns.values()) >= 3
    assert max(turns.values()) - min(turns.values()) <= 1


@in_virtual_time
async def test_processes_share_the_limits_of_an_endpoint_by_their_matches(provider):
    """Six of ten matches are ours: six tenths of rate and slots; all of both where nobody else follows any."""
    followers = following(provider, 6, live=5, rate=50, concurrency=8)
    limiter = followers.limiters[provider.endpoint.key]
    seen = []
    for others in (0, 4, 594, 0):
        share_limits(followers.limiters, followers.matches, {provider.endpoint.key: 6 + others})
        await watched(followers)
        seen.append((round(limiter._rate, 3), limiter._slots._size, round(limiter.demand, 3)))

    assert seen == [(50, 8, 0.048), (30, 5, 0.08), (0.5, 1, 4.8), (50, 8, 0.048)]


@in_virtual_time
async def test_slots_that_are_taken_away_and_given_back_lose_no_poll():
    """Of four at a time one is left, then three: who waits is served as room comes."""
    slots, running, most = PollSlots(4), [0], []

    async def work():
        running[0] += 1
        most.append(running[0])
        await asyncio.sleep(0.01)
        running[0] -= 1

    polls = [asyncio.create_task(slots.run(work, recently_failed=number % 2 == 0)) for number in range(40)]
    await asyncio.sleep(0)
    slots.resize(1)
    while len(most) < 8:  # those that had begun are over, and others have run
        await asyncio.sleep(0.001)
    middle, _ = most[-1], most.clear()
    slots.resize(3)
    await asyncio.gather(*polls)

    assert (middle, max(most), running[0]) == (1, 3, 0)
