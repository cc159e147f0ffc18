"""What is logged of an outage, and how many requests an endpoint is sent: no match is blamed, and none is starved."""

import asyncio
from collections import Counter

import pytest
from structlog.testing import capture_logs

from ingest.sync.match_leases import share_limits
from mapping.errors import StoreUnavailable
from providers.base import Known
from tests.kit.limited_provider import Provider, followed, followers_of
from tests.kit.outage import MANY, Flaky, Matches
from tests.kit.virtual_time import in_virtual_time


@in_virtual_time
async def test_a_lost_store_is_logged_once_and_its_return_once_with_the_matches_that_waited():
    """Not once for each of a hundred live matches; health counts them; all are polled again soon, whatever their back-off."""
    matches = Matches(Flaky(), live=0.05, backoff_max=60.0)
    matches.store.lost = True
    with capture_logs() as lines:
        async with matches.running():
            await matches.until(lambda: len(matches.provider.requested) > 3 * MANY)
            assert (MANY, MANY) == (matches.followers.unwritten, matches.followers.health()["failing"])
            for match in matches.followers.matches:
                matches.followers.schedule(match, 60.0)
            matches.store.lost = False
            await asyncio.sleep(0.1)
            before = len(matches.provider.requested)
            matches.followers.store_back()
            await matches.until(lambda: len(set(matches.provider.requested[before:])) == MANY)
            await matches.until(lambda: not any(match.bad for match in matches.followers.matches))

    assert [line["event"] for line in lines] == ["store.unavailable", "store.recovered"]
    assert lines[1]["matches"] == MANY
    assert 0 == matches.followers.unwritten == matches.followers.health()["failing"]


@in_virtual_time
async def test_no_match_is_called_silent_because_the_store_was_lost():
    """Neither during the outage nor at its end; a minute later the provider is to blame again."""
    matches = Matches(Flaky(), number=1)
    matches.store.lost = True
    (match,) = matches.followers.matches
    await matches.followers.poll(match)
    with capture_logs() as lines:
        matches.now += 300
        await matches.followers.watch_silence()
        matches.store.lost = False
        matches.followers.store_back()
        await matches.followers.watch_silence()
        logged = [line["event"] for line in lines]
        matches.now += 61
        await matches.followers.watch_silence()
    await matches.followers.stop()

    assert logged == ["store.recovered"]
    assert lines[-1]["event"] == "match.silent"


class Refusing(Flaky):
    """A store that takes everything but what one match has to say."""

    async def write(self, work):
        if getattr(work, "keywords", {}).get("follow_id") == "f0":
            raise StoreUnavailable("the database does not answer in time")
        return await super().write(work)


@in_virtual_time
async def test_a_match_that_alone_cannot_be_written_is_no_outage():
    """After it has looked like one three times: the match is named, once, and nobody talks of the store any more."""
    matches = Matches(Refusing(), number=2, live=0.01, backoff_max=0.02)
    ill, well = matches.followers.matches
    with capture_logs() as lines:
        for _ in range(12):
            await matches.followers.poll(ill)
            await matches.followers.poll(well)
            matches.followers.store_back()
    await matches.followers.stop()

    logged = [line["event"] for line in lines if line["log_level"] != "debug"]
    assert logged == [*["store.unavailable", "store.recovered"] * 3, "match.quarantined"]
    assert ill.match_id == next(line["match"] for line in lines if line["event"] == "match.quarantined")


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
