"""When a subscription is disabled, whatever the clock does; and that nothing of an answer is kept but its status."""

import asyncio

import pytest
from sqlalchemy import select

from config.sections import Webhooks
from ingest.guard.ssrf_guard import SsrfGuard
from mapping.rules.webhook_delivery import DAY
from store.schema import metadata
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


INSIDE = "inner-9d1f"


async def stored(hub):
    """All that is stored, as text."""
    return await hub.store.read(
        lambda conn: str([conn.execute(select(table)).all() for table in metadata.tables.values()])
    )


@pytest.mark.parametrize("how", ["telling", "telling-ok"])
async def test_nothing_of_an_answer_but_its_status_is_kept(hub, receiver, how):
    """Neither body nor headers nor reason of an answer stand in the log, in the subscription or anywhere else."""
    url = receiver.url(how)
    await hub.subscribe(url)
    async with hub.deliver():
        await hub.change()
        (row,) = await hub.has_logged(1, url)

    assert row.status_code == (500 if how == "telling" else 200)
    assert INSIDE not in await stored(hub)
    assert INSIDE not in str(row)


async def test_an_address_that_may_not_be_called_looks_like_one_that_does_not_answer(hub, closed_port):
    """Whether a name leads inside, to which address, leads nowhere, or to a closed port: the log says the same of each."""
    inside = {"inside": "10.0.0.7", "loopback": "127.0.0.1", "metadata": "169.254.169.254"}

    async def resolve(host, _):
        if host == "unknown.example":
            raise OSError("no such name")
        return [inside[host.removesuffix(".example")]]

    urls = [f"https://{name}.example/hook" for name in (*inside, "unknown")]
    urls += ["https://10.0.0.7/hook", f"http://127.0.0.2:{closed_port}/hook"]
    for url in urls:
        await hub.subscribe(url)
    async with hub.deliver(guard=SsrfGuard(Webhooks(allow_hosts=["127.0.0.2"]), resolve=resolve)):
        await hub.change()
        rows = [(await hub.has_logged(1, url))[0] for url in urls]
    subscriptions = [await hub.subscription(url, ORGANIZATION) for url in urls]
    outcomes = {(row.message, row.status_code, row.tries) for row in rows}

    assert len(outcomes) == 1
    assert len({(each.outcome_message, each.outcome_code, each.failures) for each in subscriptions}) == 1
    assert not any(word in str(outcomes) for word in ("10.0.0.7", "127.0.0.1", "169.254", ".example"))
    assert [each.url for each in subscriptions] == urls
