"""A rate limit that is too low for the live matches is said, and shared out evenly among them."""

import asyncio
from collections import Counter

import pytest
from structlog.testing import capture_logs

from ingest.sync.match_leases import share_limits
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
