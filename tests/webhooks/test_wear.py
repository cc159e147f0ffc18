"""When a subscription is disabled, in a process whose clock may jump."""

import asyncio

import pytest

from mapping.rules.delivery import DAY
from store.webhooks.webhooks import find
from tests.store.conftest import ORGANIZATION


async def fail(hub, url, times):
    """So many updates that the receiver refuses, one after the other."""
    for _ in range(times):
        known = len(await hub.log(url))
        await hub.change()
        await hub.has_logged(known + 1, url)


async def status_of(hub, url):
    row = await hub.store.read(lambda conn: find(conn, ORGANIZATION, url))
    return row.status, row.failures


async def test_ten_failures_over_seven_days_disable(hub, receiver, hands):
    """Nine are not enough, nor are six days; then the next one is, and nothing more is sent."""
    url = receiver.url("400")
    await hub.subscribe(url)
    async with hub.deliver():
        await fail(hub, url, 5)
        hands.pass_(6 * DAY)
        await hub.has_logged(10, url)  # the open rounds of before are due
        await fail(hub, url, 1)
        status, failures = await status_of(hub, url)
        assert (status, failures >= 10) == ("active", True)

        hands.pass_(DAY)
        await hub.change()
        async with asyncio.timeout(60):
            while (await status_of(hub, url))[0] == "active":
                await asyncio.sleep(0.01)
        await hub.looks_again()
        sent = len(receiver.requests())
        await hub.change()
        await hub.looks_again()
        assert len(receiver.requests()) == sent


@pytest.mark.parametrize("days", [8, -8])
async def test_a_clock_that_jumps_disables_nothing(hub, receiver, hands, days):
    """Ten failures within an hour of real time are ten failures within an hour, whatever the wall clock says."""
    url = receiver.url("400")
    await hub.subscribe(url)
    async with hub.deliver():
        await fail(hub, url, 5)
        hands.jump(days * DAY)
        await fail(hub, url, 7)

        assert (await status_of(hub, url)) == ("active", 12)


async def test_a_clock_that_goes_back_does_not_stop_deliveries(hub, receiver, hands):
    """New updates go out at once, and open rounds ten minutes later by the time that has really passed."""
    url = receiver.url("400")
    await hub.subscribe(url)
    async with hub.deliver():
        await fail(hub, url, 1)
        hands.jump(-2 * 3600)
        await fail(hub, url, 1)
        hands.pass_(601)
        await receiver.until(lambda: len(receiver.requests()) == 4)


async def test_an_open_round_planned_by_a_clock_set_back_since_is_made(hub, receiver, hands):
    """A process that starts with an earlier clock does not wait until the later one comes round again."""
    url = receiver.url("400")
    await hub.subscribe(url)
    async with hub.deliver():
        await fail(hub, url, 1)
    hands.jump(-8 * DAY)
    hub.timing._seen = None  # another process
    async with hub.deliver():
        await receiver.until(lambda: len(receiver.requests()) == 2)

        assert (await status_of(hub, url))[0] == "active"
