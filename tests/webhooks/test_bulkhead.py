"""Places are shared out fairly, what is slow is limited first, and none is ever lost."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.kit.bulkhead import Bulkhead, Compartment, grade_of, limits_of
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
