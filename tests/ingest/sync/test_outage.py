"""What is logged of an outage: once that it began, once that it is over, whether the store is gone or a provider."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from mapping.errors import BadBody
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


@pytest.mark.parametrize("failures", [2, 5])
@in_virtual_time
async def test_a_match_that_fails_is_logged_once_and_once_when_it_is_well_again(failures):
    """The endpoint is well, one match is not: `provider.lost` at the second failure in a row, `provider.recovered` after it."""
    matches = Matches(Flaky(), number=2)
    ill, well = matches.followers.matches
    with capture_logs() as lines:
        for _ in range(2):
            matches.provider.does[ill.match_id] = BadBody("match: empty answer")
            for _ in range(failures):
                await matches.followers.poll(ill)
                await matches.followers.poll(well)
            matches.provider.does.clear()
            for _ in range(2):
                await matches.followers.poll(ill)
    await matches.followers.stop()

    logged = [(line["event"], line["match"]) for line in lines]
    assert logged == [("provider.lost", ill.match_id), ("provider.recovered", ill.match_id)] * 2
    assert {failures} == {line["failures"] for line in lines if line["event"] == "provider.recovered"}
