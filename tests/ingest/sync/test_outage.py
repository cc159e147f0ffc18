"""What is logged of an outage: once that it began, once that it is over, whether the store is gone or a provider."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from structlog.testing import capture_logs

from ingest.kit.quarantine import Quarantine
from ingest.sync import match_leases
from ingest.sync.match_leases import Lease, MatchLeases
from mapping.errors import BadBody, StoreUnavailable
from store.following import sync
from tests.kit.followed_rows import MATCH
from tests.kit.opening import store_at
from tests.kit.outage import MANY, Flaky, Matches
from tests.kit.sqlite import migrated_url
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
async def test_a_poll_that_writes_what_it_could_not_ends_the_outage():
    """Nobody else needs to find out."""
    matches = Matches(Flaky(), number=1)
    (match,) = matches.followers.matches
    with capture_logs() as lines:
        for lost in (True, True, False, False):
            matches.store.lost = lost
            await matches.followers.poll(match)
    await matches.followers.stop()

    assert [line["event"] for line in lines] == ["store.unavailable", "store.recovered"]
    assert 0 == match.failures


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


class Counted(Flaky):
    """Knows how often it was written to."""

    tries = 0

    async def write(self, work):
        self.tries += 1
        return await super().write(work)


async def test_the_renewal_of_leases_finds_the_store_lost_and_back(tmp_path, monkeypatch):
    """With nothing to write but that this process lives: one line each, however often it was tried in between."""
    monkeypatch.setattr(match_leases, "TICK", 0.01)
    store = await store_at(migrated_url(tmp_path / "outage.db"))
    flaky = Counted(store)
    matches = Matches(flaky, number=0)
    await store.write(partial(sync.follow_for, match=MATCH))
    leasing = MatchLeases(
        flaky, matches.followers, Lease(), knows=frozenset({MATCH.endpoint}), alone=True, quarantine=Quarantine()
    )
    await leasing.start()
    with capture_logs() as lines:
        renewing = asyncio.create_task(leasing.run())
        for flaky.lost in (True, False):
            tries = flaky.tries
            while flaky.tries < tries + 4:
                await asyncio.sleep(0.01)
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
    await leasing.stop()
    await store.close()

    assert ["store.unavailable", "store.recovered"] == [
        line["event"] for line in lines if line["event"] != "match.endpoint_missing"
    ]


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


@in_virtual_time
async def test_a_single_failure_of_a_match_is_no_news():
    """The next answer is good."""
    matches = Matches(Flaky(), number=1)
    (match,) = matches.followers.matches
    with capture_logs() as lines:
        matches.provider.does["*"] = BadBody("match: empty answer")
        await matches.followers.poll(match)
        matches.provider.does.clear()
        await matches.followers.poll(match)
    await matches.followers.stop()

    assert lines == []


@in_virtual_time
async def test_the_end_of_a_silence_is_logged():
    """One line for the alarm, one when the match is heard again."""
    matches = Matches(Flaky(), number=1)
    (match,) = matches.followers.matches
    with capture_logs() as lines:
        matches.now += 61
        await matches.followers.watch_silence()
        await matches.followers.poll(match)
        await matches.followers.watch_silence()
    await matches.followers.stop()

    assert [line["event"] for line in lines] == ["match.silent", "match.silence_ended"]
    assert 0 == matches.followers.health()["silent"]
