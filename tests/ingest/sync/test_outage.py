"""What is logged of an outage: once that the store is gone, once that it is back, and no match is blamed for it."""

import asyncio

from structlog.testing import capture_logs

from mapping.errors import StoreUnavailable
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
