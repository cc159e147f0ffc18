"""Lists of matches: how often a provider is requested for them, how long they are kept, and whom a failure concerns."""

import asyncio
from contextlib import suppress
from datetime import UTC, date, datetime

import pytest

from ingest.sync import fixture_lists
from ingest.sync.endpoint_limiter import EndpointLimiter
from ingest.sync.fixture_lists import FixtureLists, day_of
from mapping.errors import BadBody, ServiceError, Unprocessable, UpstreamUnavailable
from mapping.match.fixture import Fixture, FixtureList
from mapping.rules.pacing import CircuitBreakerConfig
from providers.http_client import Throttled
from tests.kit.limited_provider import Provider
from tests.kit.settings import polling
from tests.kit.virtual_time import in_virtual_time

DAY, NEXT = date(2026, 11, 28), date(2026, 11, 29)
RULE = CircuitBreakerConfig(breaker_after=2, breaker_pause=30, lasting=0.0)


class Lister(Provider):
    """Also lists its matches, as many as `rows`; `takes` seconds, or fails."""

    def __init__(self, name="one"):
        super().__init__(name)
        self.listed, self.rows, self.takes, self.fresh_for = [], 1, 0.0, None

    async def fixtures(self, first, last):
        self.listed.append(first)
        await asyncio.sleep(self.takes)
        if "list" in self.does:
            raise self.does["list"]
        rows = tuple(Fixture(match_id=str(number)) for number in range(self.rows))
        return FixtureList(fixtures=rows, fresh_for=self.fresh_for)


def lists_of(*providers, **pace):
    """The lists of these endpoints, and the key and the limiter of the first one."""
    limiters = {each.endpoint.key: EndpointLimiter(each, concurrency=8, rate=0, rule=RULE) for each in providers}
    return FixtureLists(limiters, polling(**pace)), next(iter(limiters)), next(iter(limiters.values()))


@in_virtual_time
async def test_ten_people_cost_one_request_a_list_and_interval():
    """However many want a list and whoever goes away meanwhile; another day and another endpoint are lists of their own."""
    one, two = Lister(), Lister("two")
    one.takes = 0.5
    lists, key, _ = lists_of(one, two)
    wanting = [asyncio.create_task(lists.get(key, DAY, DAY)) for _ in range(10)]
    await asyncio.sleep(0.1)
    wanting.pop(0).cancel()
    assert len({id(found) for found in await asyncio.gather(*wanting)}) == 1
    await asyncio.sleep(59)
    await lists.get(key, DAY, DAY)
    assert one.listed == [DAY]
    await asyncio.sleep(1)
    await asyncio.gather(*(lists.get(key, DAY, DAY) for _ in range(10)))
    await lists.get(key, NEXT, NEXT)
    await lists.get(two.endpoint.key, DAY, DAY)

    assert (one.listed, two.listed) == ([DAY, DAY, NEXT], [DAY])


@pytest.mark.parametrize(("fresh_for", "kept"), [(None, 60), (0, 60), (40, 60), (120, 120), (5000, 600)])
@in_virtual_time
async def test_a_list_is_kept_as_long_as_the_provider_says_within_bounds(fresh_for, kept):
    """At least a minute and at most ten."""
    provider = Lister()
    provider.fresh_for = fresh_for
    lists, key, _ = lists_of(provider)
    for pause, requests in ((0, 1), (kept - 1, 1), (1, 2)):
        await asyncio.sleep(pause)
        await lists.get(key, DAY, DAY)
        assert len(provider.listed) == requests


@pytest.mark.parametrize(
    ("fault", "raised"),
    [(BadBody("no list"), BadBody), (ZeroDivisionError("of an adapter"), BadBody), (25.0, UpstreamUnavailable)],
)
@in_virtual_time
async def test_a_failure_is_kept_for_ten_seconds(fault, raised):
    """Whatever went wrong, the list that is too slow too; then it is requested again, and other lists were all the time."""
    provider = Lister()
    if isinstance(fault, float):
        provider.takes = fault
    else:
        provider.does["list"] = fault
    lists, key, _ = lists_of(provider)
    for pause, requests in ((0, 1), (9, 1), (1, 2)):
        await asyncio.sleep(pause)
        with pytest.raises(raised):
            await lists.get(key, DAY, DAY)
        assert len(provider.listed) == requests
    provider.takes = 0.0
    provider.does.clear()
    assert (await lists.get(key, NEXT, NEXT)).fixtures


@in_virtual_time
async def test_lists_respect_the_endpoint_and_never_lose_it():
    """Failing lists open no circuit; while it is open, or the provider wants a pause, no list is requested."""
    provider = Lister()
    lists, key, limiter = lists_of(provider)
    provider.does["list"] = UpstreamUnavailable("gone")
    for _ in range(5):
        with suppress(ServiceError):
            await lists.get(key, DAY, DAY)
        await asyncio.sleep(11)
    assert (limiter.lost, limiter.paused_for(), len(provider.listed)) == (None, 0, 5)
    provider.does["list"] = Throttled("slow down", retry_after=20.0)
    with suppress(ServiceError):
        await lists.get(key, DAY, DAY)
    assert 19 < limiter.paused_for() <= 20
    await asyncio.sleep(21)
    provider.does = {"*": UpstreamUnavailable("gone")}
    for name in "12":
        await limiter.fetch(name, {}, text=False, hints={})
    assert limiter.lost
    with pytest.raises(UpstreamUnavailable):
        await lists.get(key, DAY, DAY)
    assert len(provider.listed) == 6


@in_virtual_time
async def test_a_provider_without_lists_says_so():
    """It cannot be read, which is another thing than an empty day."""
    lists, key, _ = lists_of(Provider())
    with pytest.raises(Unprocessable) as raised:
        await lists.get(key, DAY, DAY)

    assert raised.value.field == "provider"


@in_virtual_time
async def test_what_is_kept_is_bounded_by_its_matches():
    """Lists that nobody wanted for the longest time go, many small ones too; one that is larger than all is kept alone."""
    provider = Lister()
    lists, key, _ = lists_of(provider)
    days = [date.fromordinal(DAY.toordinal() + number) for number in range(600)]
    for day in days:
        await lists.get(key, day, day)
    assert len(lists._kept) == fixture_lists.MOST_ROWS // fixture_lists.LEAST_ROWS
    provider.rows = 2 * fixture_lists.MOST_ROWS
    await lists.get(key, date.min, date.min)
    await lists.get(key, date.min, date.min)

    assert (len(lists._kept), len(provider.listed)) == (1, 601)
    await lists.close()


MIDNIGHT = datetime(2026, 11, 27, 23, 30, tzinfo=UTC).timestamp()
DAYS = {
    ("today", "Europe/Berlin"): "2026-11-28", ("today", "UTC"): "2026-11-27", ("today", "America/Lima"): "2026-11-27",
    ("yesterday", "Europe/Berlin"): "2026-11-27", ("tomorrow", "Europe/Berlin"): "2026-11-29",
    ("2024-02-29", "UTC"): "2024-02-29",
}  # fmt: skip


def test_a_day_is_that_of_the_endpoint():
    """Half an hour after midnight there it is today in Berlin, and yesterday elsewhere; what is no day is refused."""
    assert {key: day_of(*key, MIDNIGHT).isoformat() for key in DAYS} == DAYS
    for text in ("", "Today", "2026-02-30", "20261128", "2026-W01-1", "2026-1-1", "\u0661026-01-01", "28.11.2026"):
        with pytest.raises(Unprocessable) as raised:
            day_of(text, "UTC", MIDNIGHT)
        assert raised.value.field == "day"
