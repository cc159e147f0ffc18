"""Places of deliveries are shared out: slow receivers and organizations with many leave room for the others."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client import generate_latest

from config.sections import Webhooks
from ingest.kit.bulkhead import Bulkhead, Compartment, grade_of, limits_of
from tests.kit.latency import OTHER, SLOW, games_of, one_by_one
from tests.kit.sampling import examples

QUICK, USUAL, SLOWLY = 0.01, 0.5, 5.0


class Crowd:
    """Work that takes places of a bulkhead and gives them back on command."""

    def __init__(self, bulkhead):
        self.bulkhead = bulkhead
        self.began = []
        self.tasks = {}
        self.ends = {}

    async def come(self, name, organization, key, seconds):
        self.ends[name] = asyncio.Event()

        async def work():
            place = await self.bulkhead.acquire(organization, key, seconds)
            try:
                self.began.append(name)
                await self.ends[name].wait()
            finally:
                self.bulkhead.release(place)

        self.tasks[name] = asyncio.create_task(work())
        await settled()

    async def end(self, name):
        self.ends[name].set()
        await settled()

    async def cancel(self, name):
        self.tasks[name].cancel()
        await settled()

    async def leave(self):
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


async def settled():
    for _ in range(6):
        await asyncio.sleep(0)


async def test_organizations_take_turns_and_their_receivers_too():
    """One place that is given back goes to each organization in turn, and within it to each receiver."""
    crowd = Crowd(Bulkhead(2, 2))
    for name in ("x", "y"):
        await crowd.come(name, "z", name, QUICK)
    for name in ("a1 1", "a1 2", "a1 3", "a2 1", "b1 1", "c1 1", "c1 2"):
        await crowd.come(name, name[0], name[:2], QUICK)
    for index in range(7):
        await crowd.end(crowd.began[index])

    assert crowd.began[2:] == ["a1 1", "b1 1", "c1 1", "a2 1", "c1 2", "a1 2", "a1 3"]
    await crowd.leave()
    assert crowd.bulkhead.taken == 0


@pytest.mark.parametrize(
    ("first", "then", "begins"),
    [
        (SLOWLY, SLOWLY, False), (SLOWLY, USUAL, True), (SLOWLY, QUICK, True), (USUAL, SLOWLY, False),
        (USUAL, USUAL, False), (USUAL, None, False), (USUAL, QUICK, True), (QUICK, QUICK, False),
    ],
)  # fmt: skip
async def test_quick_work_finds_a_place_among_slow_work(first, then, begins):
    """As much as may be of one kind is under way: work of a faster kind begins at once, other work waits."""
    crowd = Crowd(Bulkhead(16, 16))
    for number in range(16):
        await crowd.come(number, "a", "a", first)
    under_way = len(crowd.began)
    await crowd.come("then", "b", "b", then)

    assert ("then" in crowd.began) is begins
    await crowd.end(0)
    await crowd.leave()
    assert under_way == {SLOWLY: 12, USUAL: 14, QUICK: 16}[first]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["come", "come", "come", "end", "cancel", "end and cancel", "end and cancel another"]),
        st.integers(0, 40),
        st.sampled_from("abc"),
        st.sampled_from([None, QUICK, USUAL, SLOWLY]),
    ),
    max_size=60,
)


@given(steps=STEPS, places=st.integers(1, 9), share=st.integers(1, 9))
@settings(max_examples=examples(150))
def test_no_place_is_lost_and_none_is_given_twice(steps, places, share):
    """Whatever comes, ends and gives up in whatever order: limits hold, nobody waits who could go on, and in the end
    every place is free."""
    asyncio.run(play(steps, places, share))


async def play(steps, places, share):
    crowd, kinds = Crowd(Bulkhead(places, share)), {}
    for number, (what, which, organization, seconds) in enumerate(steps):
        if what == "come":
            kinds[number] = (organization, seconds)
            await crowd.come(number, organization, f"{which % 3}", seconds)
        elif kinds:
            name = list(kinds)[which % len(kinds)]
            if what.startswith("end"):
                crowd.ends[name].set()
            if what.endswith("cancel"):
                crowd.tasks[name].cancel()
            if what.endswith("another"):
                crowd.tasks[list(kinds)[(which * 7 + 3) % len(kinds)]].cancel()
            await settled()
        check(crowd, kinds, places, share)
    await crowd.leave()
    assert crowd.bulkhead.taken == 0
    assert not crowd.bulkhead._organizations
    assert not any(crowd.bulkhead._waiting)


def check(crowd, kinds, places, share):
    """What holds a place is within the limits, and what waits would be beyond them."""
    holding = [name for name in crowd.began if not crowd.tasks[name].done()]
    waiting = [name for name, task in crowd.tasks.items() if name not in crowd.began and not task.done()]
    assert crowd.bulkhead.taken == len(holding)
    assert crowd.bulkhead.waiting == len(waiting)

    def compartment_of(size, names):
        compartment = Compartment(limits_of(size))
        for name in names:
            compartment.count(grade_of(kinds[name][1]), 1)
        return compartment

    everything = compartment_of(places, holding)
    own = {each: compartment_of(share, [name for name in holding if kinds[name][0] == each]) for each in "abc"}
    assert everything.taken <= places
    assert all(each.taken <= share for each in own.values())
    for name in waiting:
        organization, seconds = kinds[name]
        grade = grade_of(seconds)
        assert not (everything.free(grade) and own[organization].free(grade))


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
