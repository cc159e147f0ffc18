"""Slow but healthy receivers take room from their own organization only, and from each other before anybody else."""

import asyncio

import pytest
from prometheus_client import generate_latest

from config.sections import Webhooks
from tests.kit.latency import OTHER, SLOW, games_of, one_by_one


async def subscribe_slow(hub, receiver, organization, count, seconds):
    """Subscriptions of receivers that take so long to answer, and are healthy."""
    for number in range(count):
        await hub.subscribe(receiver.url(f"after-{seconds}", f"{organization[-2:]}-{number}"), organization)


@pytest.mark.soak
async def test_slow_receivers_leave_room_for_quick_ones(hub, receiver, second_receiver):
    """Two organizations whose receivers take three seconds want five times the rounds that the process may have at a
    time; nobody else waits as long as for one answer of theirs, nor does a quick receiver of one of them."""
    games = {each: await games_of(hub, each, 10 * index + 2, 4) for index, each in enumerate((*SLOW, OTHER))}
    await hub.subscribe(second_receiver.url("ok", "other"), OTHER)
    await hub.subscribe(second_receiver.url("ok", "own"), SLOW[0])
    for each in SLOW:
        await subscribe_slow(hub, receiver, each, 20, 3)
    async with hub.deliver(Webhooks(rate=0, rounds=32, organization_rounds=16)):
        await one_by_one(hub, second_receiver, "other", games[OTHER][0], 2)
        await one_by_one(hub, second_receiver, "own", games[SLOW[0]][0], 2)
        for _ in range(5):
            for game_id in (*games[SLOW[0]], *games[SLOW[1]]):
                await hub.change(game_id)
        await asyncio.sleep(1)
        taken = [
            *await one_by_one(hub, second_receiver, "other", games[OTHER][0], 20),
            *await one_by_one(hub, second_receiver, "own", games[SLOW[0]][0], 10),
        ]

    assert max(taken) < 3
    assert len(receiver.requests()) > 24


async def test_what_was_slow_is_known_as_slow_after_a_restart(hub, receiver):
    """The log says how long the last round took, before the first one of the new process."""
    (game,) = await games_of(hub, SLOW[0], 2, 1)
    await hub.subscribe(receiver.url("after-1", "slow"), SLOW[0])
    for version in (2, 3):
        async with hub.deliver(Webhooks(rate=0)) as delivering:
            assert await hub.change(game) == version
            await receiver.until(lambda version=version: version in receiver.versions("slow"))
            (worker,) = delivering._receivers.values()
            assert (worker._expected is None) == (version == 2)
            while len(await hub.log()) < version - 1:
                await asyncio.sleep(0.05)
            assert worker._expected >= 1


async def test_a_stop_waits_for_what_is_under_way_alone(hub, receiver):
    """Rounds that wait for others to end are not begun any more, and the metrics say how many of them there were."""
    (game,) = await games_of(hub, SLOW[0], 2, 1)
    await subscribe_slow(hub, receiver, SLOW[0], 12, 2)
    async with hub.deliver(Webhooks(rate=0, rounds=4)) as delivering:
        await hub.change(game)
        await receiver.until(lambda: len(receiver.requests()) == 3 and delivering.bulkhead.waiting == 9)
        shown = generate_latest(delivering.metrics.registry).decode()
        await delivering.stop(grace=60)
        assert len(await hub.log()) == len(receiver.requests()) == 3

    assert "matchwire_webhook_rounds_under_way 3.0" in shown
    assert "matchwire_webhook_rounds_queued 9.0" in shown


@pytest.mark.proof
async def test_organizations_take_turns_at_the_same_host(hub, receiver):
    """What one organization has queued for a host keeps another one waiting for a turn or two, not for all of it."""
    games = {each: await games_of(hub, each, 10 * index + 2, 4) for index, each in enumerate(SLOW)}
    for number in range(40):
        await hub.subscribe(receiver.url("ok", f"many-{number}"), SLOW[0])
    await hub.subscribe(receiver.url("ok", "few"), SLOW[1])
    async with hub.deliver(Webhooks(rate=40)):
        for _ in range(10):
            for game_id in games[SLOW[0]]:
                await hub.change(game_id)
        await receiver.until(lambda: len(receiver.requests()) > 60)
        await one_by_one(hub, receiver, "few", games[SLOW[1]][0], 8)
        order = [row["name"] for row in receiver.requests()]

    between = order[order.index("few") :]
    assert between.count("few") == 8
    assert len(between) < 8 * 50  # a hundred and sixty are queued at any time
