"""Turns of a host, and receivers that one process claims; in virtual time."""

import asyncio
from dataclasses import dataclass
from functools import partial, wraps

from ingest.kit import bulkhead
from ingest.kit.bulkhead import FairRateLimiter
from ingest.webhooks.receiver import ReceiverWorker
from mapping.errors import StoreUnavailable
from mapping.rules import webhook_delivery
from store.webhooks import deliveries, delivery_log
from tests.simulation.virtual_loop import VirtualLoop
from tests.store.conftest import ORGANIZATION


def in_virtual_time(test):
    @wraps(test)
    def run(monkeypatch):
        loop = VirtualLoop()
        monkeypatch.setattr(bulkhead, "monotonic", loop.time)
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(test(loop))

    del run.__wrapped__  # whose argument is no fixture
    return run


async def waiting(rates, served, organization, receiver, count):
    """Tasks that wait for a turn each, and note when they have had it."""

    async def wait():
        await rates.acquire("host", organization, receiver)
        served.append(receiver)

    tasks = [asyncio.create_task(wait()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


@in_virtual_time
async def test_organizations_and_their_receivers_take_turns(loop):
    """Whoever waits for many turns lets one of each other one pass in between."""
    rates, served = FairRateLimiter(100, 1), []
    await rates.acquire("host")
    tasks = [
        *await waiting(rates, served, "a", "a1", 4),
        *await waiting(rates, served, "a", "a2", 2),
        *await waiting(rates, served, "b", "b1", 2),
    ]
    await asyncio.gather(*tasks)

    assert served == ["a1", "b1", "a2", "b1", "a1", "a2", "a1", "a1"]
    assert round(loop.time(), 3) == len(served) / 100


@in_virtual_time
async def test_no_more_than_the_rate_and_a_burst(loop):
    """After a rest a burst at once, then one after the other; another host has its own."""
    rates, served = FairRateLimiter(50, 5), []
    await asyncio.gather(*await waiting(rates, served, "a", "a", 15))

    assert round(loop.time(), 3) == (15 - 5) / 50
    await rates.acquire("another")
    rates.forget()
    assert set(rates._hosts) == {"host", "another"}
    await asyncio.sleep(0.15)
    rates.forget()
    assert not rates._hosts


@dataclass
class Switched:
    """The name of a process, and whether it counts as alive."""

    name: str = "one"
    alive: bool = True

    @property
    def owner(self):
        return self.name if self.alive else None


async def test_who_counts_as_dead_delivers_nothing(hub, receiver):
    """No first try while the process counts as dead; what came meanwhile goes out as soon as it lives again."""
    claim_owner = Switched()
    await hub.subscribe(receiver.url("ok"))
    async with hub.deliver(claim_owner=claim_owner):
        first = await hub.change()
        await receiver.until(lambda: receiver.versions("ok") == [first])
        await hub.has_logged(1)
        claim_owner.alive = False
        second = await hub.change()
        await hub.looks_again()
        assert receiver.versions("ok") == [first]

        claim_owner.alive = True
        await receiver.until(lambda: receiver.versions("ok") == [first, second])


async def test_a_round_ends_when_the_process_counts_as_dead(hub, receiver, monkeypatch):
    """No quick retry after that, and no record of what was not finished; under a new name the round is made anew."""
    claim_owner, url, pause_of = Switched(), receiver.url("500"), webhook_delivery.quick_pause

    def dies(*given, **named):
        claim_owner.alive = claim_owner.name == "two"
        return pause_of(*given, **named)

    monkeypatch.setattr(webhook_delivery, "quick_pause", dies)
    await hub.subscribe(url)
    async with hub.deliver(claim_owner=claim_owner):
        await hub.change()
        await receiver.until(lambda: not claim_owner.alive)
        await hub.looks_again()
        assert len(receiver.requests()) == 1
        assert await hub.log(url) == []

        claim_owner.name, claim_owner.alive = "two", True
        hub.delivering.wake()
        rows = await hub.has_logged(1, url)
    assert [(row.round, row.tries) for row in rows] == [(1, 4)]
    assert len(receiver.requests()) == 1 + 4


async def test_who_is_woken_while_it_looks_looks_again(hub, receiver, monkeypatch):
    """Even where it found nothing to do: what it was woken for may have come just after it looked."""
    looks, look = [], ReceiverWorker._feed

    async def woken(worker):
        await look(worker)
        looks.append(worker)
        if len(looks) == 1:
            assert worker.wake(), "it is at work, so nobody else is asked"

    monkeypatch.setattr(ReceiverWorker, "_feed", woken)
    await hub.subscribe(receiver.url("ok"))
    async with hub.deliver() as delivering, asyncio.timeout(30):
        monkeypatch.setattr(delivering, "_ask", lambda *_, **__: asyncio.sleep(0))
        delivering._jobs.ask((await hub.subscription(receiver.url("ok"))).id)
        while len(looks) < 2:
            await asyncio.sleep(0.01)
        while looks[0].wake():
            await asyncio.sleep(0.01)


async def test_what_was_under_way_when_the_database_went_away_is_delivered_when_it_is_back(hub, receiver, monkeypatch):
    """The worker that gave up in the middle knows no more what it has begun; the one after it finds all that in the store."""
    due, lost, url = deliveries.due, [], receiver.url("hang", "late")

    def away_once(conn, webhook_id, **more):
        if not lost:
            lost.append(webhook_id)
            raise StoreUnavailable("the database does not answer")
        return due(conn, webhook_id, **more)

    await hub.subscribe(url)
    async with hub.deliver(try_timeout=0.2):
        await hub.change()
        await receiver.until(lambda: receiver.requests("late"))
        monkeypatch.setattr(deliveries, "due", away_once)
        await hub.store.write(partial(delivery_log.ping, organization_id=ORGANIZATION, url=url))
        await receiver.until(lambda: lost)
        async with asyncio.timeout(30):
            while not any(row.kind == "update" for row in await hub.log(url)):
                await asyncio.sleep(0.02)
