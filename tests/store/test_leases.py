"""Leases in the store: even shares, one lease a match, a fencing token that only rises, and no clock."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from store.following import follow_rows, leases
from store.following.leases import Superseded, Worker
from tests.kit.followed import MATCH
from tests.store.conftest import ALIKE, open_store

ON_A_SERVER = pytest.mark.parametrize(
    "store_url", ["postgresql", pytest.param("pgbouncer", marks=pytest.mark.proof)], indirect=True
)
"""One SQLite file has one process."""
KNOWS = frozenset({MATCH.endpoint})
ONE, TWO = Worker(id="one", knows=KNOWS), Worker(id="two", knows=KNOWS)


async def matches(store, number, **fields):
    """So many open matches; their ids."""
    new = [replace(MATCH, match_id=f"{each}", **fields) for each in range(number)]
    return [(await store.write(partial(follow_rows.follow_for, match=each))).id for each in new]


async def join(store, *workers, alone=False):
    for worker in workers:
        await store.write(partial(leases.join, worker=worker, alone=alone))


def renew(store, worker, dead=None, batch=100):
    return store.write(partial(leases.renew, worker=worker, dead=dead or {}, batch=batch))


def leased(found):
    return {each.follow_id for each in found.leased}


def fence_of(found, follow_id):
    return next(each.fence for each in found.leased if each.follow_id == follow_id)


@ALIKE
@pytest.mark.parametrize(("number", "shares"), [(10, {5}), (7, {3, 4}), (1, {0, 1}), (0, {0})])
async def test_the_second_process_gets_its_half(store, number, shares):
    """The first gives back what is beyond its share, the second takes it, then nothing moves any more."""
    everything = await matches(store, number)
    await join(store, ONE)
    await renew(store, ONE)
    await join(store, TWO)
    for _ in range(2):
        found = [await renew(store, ONE), await renew(store, TWO)]
    fences = [each.fence for one in found for each in one.leased]
    again = [await renew(store, ONE), await renew(store, TWO)]

    assert shares == {len(one.leased) for one in found}
    assert set(everything) == leased(found[0]) | leased(found[1])
    assert not leased(found[0]) & leased(found[1])
    assert fences == [each.fence for one in again for each in one.leased]


@ALIKE
async def test_the_lease_of_a_living_process_is_not_taken(store):
    """A newcomer with a full share to take waits until it is given back."""
    await matches(store, 4)
    await join(store, ONE)
    mine = leased(await renew(store, ONE))
    await join(store, TWO)

    assert 4 == len(mine)
    assert () == (await renew(store, TWO)).leased


@ALIKE
async def test_leaving_sets_everything_free_at_once(store):
    """After an orderly stop the next turn of another takes it over, under a higher fence."""
    (match,) = await matches(store, 1)
    await join(store, ONE, TWO)
    before = await renew(store, ONE)
    await store.write(partial(leases.leave, worker_id="one"))
    after = await renew(store, TWO)

    assert {match} == leased(before) == leased(after)
    assert fence_of(after, match) == fence_of(before, match) + 1


async def test_a_stale_process_writes_nothing(store):
    """The fence refuses the unit as a whole, and lets that of the new lease pass."""
    (match,) = await matches(store, 1)
    await join(store, ONE, TWO)
    stale = fence_of(await renew(store, ONE), match)
    beats = (await renew(store, TWO)).heartbeats
    fresh = fence_of(await renew(store, TWO, dead=beats), match)

    def write(unit, status):
        follow_rows.save_follow(unit, match, status=status)

    await store.write(
        partial(leases.run_fenced, work=partial(write, status="first_half"), follow_id=match, fence=fresh)
    )
    with pytest.raises(Superseded):
        await store.write(partial(leases.run_fenced, work=partial(write, status="ghost"), follow_id=match, fence=stale))
    assert "first_half" == (await store.read(lambda conn: follow_rows.follow(conn, match))).status


async def test_alone_nothing_of_the_dead_is_waited_for(sqlite_store):
    """On a file that no other process can have open, a start takes over at once what a killed process had leased."""
    everything = await matches(sqlite_store, 3)
    await join(sqlite_store, ONE, alone=True)
    await renew(sqlite_store, ONE)
    await join(sqlite_store, TWO, alone=True)

    assert set(everything) == leased(await renew(sqlite_store, TWO))


@ALIKE
async def test_only_known_endpoints_and_open_matches_are_leased(store):
    """A process takes nothing that it cannot poll, and says so; closed matches are nobody's."""
    (match,) = await matches(store, 1)
    await matches(store, 1, endpoint="elsewhere")
    await join(store, ONE)
    found = await renew(store, ONE)
    await store.write(partial(follow_rows.save_follow, follow_id=match, closed_at=1))

    assert {match} == leased(found)
    assert {"elsewhere"} == found.unknown
    assert set() == leased(await renew(store, ONE))


@ON_A_SERVER
async def test_processes_that_take_at_the_same_time_take_different_matches(store):
    """Ten processes at once on PostgreSQL: no match twice, none left over after the second turn."""
    everything = await matches(store, 50)
    workers = [Worker(id=f"w{number}", knows=KNOWS) for number in range(10)]
    await join(store, *workers)
    for _ in range(2):
        found = await asyncio.gather(*(renew(store, worker) for worker in workers))
    taken = [each.follow_id for one in found for each in one.leased]

    assert sorted(everything) == sorted(taken)
    assert {5} == {len(one.leased) for one in found}


@ON_A_SERVER
async def test_the_sign_of_life_ends_with_its_connection(store, store_url):
    """On PostgreSQL a process that has ended is replaced at the next turn; one that only hangs is left its time."""
    (match,) = await matches(store, 1)
    other = await open_store(store_url)
    await other.liveness.acquire(4711)
    assert await other.liveness.is_locked()
    await other.write(partial(leases.join, worker=ONE, alone=False, lock=4711))
    await join(store, TWO)
    assert {match} == leased(await renew(other, ONE))
    assert set() == leased(await renew(store, TWO))
    await other.close()

    assert not await other.liveness.is_locked()
    async with asyncio.timeout(30):  # the server takes a moment to notice
        while not (found := leased(await renew(store, TWO))):
            await asyncio.sleep(0.02)
    assert {match} == found


async def test_of_many_that_begin_at_once_one_leads(store):
    """Ten processes renew together."""
    workers = [Worker(id=f"w{number}", knows=KNOWS) for number in range(10)]
    await join(store, *workers)

    assert sum(found.leads for found in await asyncio.gather(*(renew(store, each) for each in workers))) == 1
