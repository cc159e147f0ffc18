"""Who follows a match: leases that no clock can mislead, and followers that keep to them."""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial

import pytest
from structlog.testing import capture_logs

from ingest.kit.quarantine import Quarantine
from ingest.sync.followed_match import Lease
from ingest.sync.match_leases import LEASE, TICK, MatchLeases
from store.following import follow_rows, leases
from tests.kit.corrected_match import ONE, TWO, begun
from tests.kit.followed import MATCH
from tests.kit.limited_provider import Provider, followed, followers_of
from tests.kit.opening import store_at
from tests.kit.scripted import Process
from tests.kit.sqlite import migrated_url
from tests.kit.virtual_time import in_virtual_time
from tests.providers.heim.feed import MATCH_ID

HOURS = 7200.0
KICKOFF = 1_749_916_800
"""Unix seconds; 18:00 in Berlin, as the body of the match says."""


@dataclass
class Steady:
    """A steady clock that a test moves; `wall` is the one that somebody sets."""

    now: float = 50.0
    wall: float = 1_800_000_000.0

    def __call__(self):
        return self.now


@dataclass
class Kept:
    """Followers that only keep what they were given."""

    under: dict = field(default_factory=dict)
    limiters: dict = field(default_factory=dict)
    matches: tuple = ()

    def __len__(self):
        return len(self.under)

    def follows(self, leased):
        return self.under.get(leased.follow_id) == leased

    def keep(self, leased, *, besides=frozenset()):
        ids = {each.follow_id for each in leased} | set(besides)
        self.under = {name: each for name, each in self.under.items() if name in ids}

    async def follow(self, follow_id, *, leased=None, afresh=False):
        self.under[follow_id] = leased


class Member:
    """A process as far as leases go."""

    def __init__(self, store, clock):
        self.clock = clock
        self.lease = Lease(clock)
        self.kept = Kept()
        self.leasing = MatchLeases(
            store, self.kept, self.lease, knows=frozenset({MATCH.endpoint}), quarantine=Quarantine()
        )

    async def renew(self):
        await self.leasing.renew()

    @property
    def leased(self):
        """What it may poll at this moment."""
        return set(self.kept.under) if self.lease() else set()


@pytest.fixture
def clock():
    return Steady()


@pytest.fixture
async def store(tmp_path, clock):
    opened = await store_at(migrated_url(tmp_path / "leases.db"), clock=lambda: clock.wall)
    yield opened
    await opened.close()


@pytest.fixture
async def everything(store):
    """Ten open matches."""
    new = [replace(MATCH, match_id=f"{each}") for each in range(10)]
    return {(await store.write(partial(follow_rows.follow_for, match=each))).id for each in new}


async def pass_time(clock, seconds, *members, tick=TICK):
    """Let time pass; the members renew in it, and no match is ever leased by two of them."""
    until = clock.now + seconds
    while clock.now < until:
        clock.now += tick
        clock.wall += tick
        for member in members:
            await member.renew()
        leased = [name for member in members for name in member.leased]
        assert len(leased) == len(set(leased)), "two processes have leased one match"


async def test_a_stopped_one_may_poll_nothing_when_it_goes_on(store, clock, everything):
    """Its lease has run out before the others took over; at its next turn it learns that it was given up, and starts anew."""
    one, two = Member(store, clock), Member(store, clock)
    await pass_time(clock, 10, one, two)
    before = two.kept.under
    await pass_time(clock, LEASE, one)
    assert set() == two.leased
    await pass_time(clock, 12, one)
    assert everything == one.leased
    await two.renew()
    assert {} == two.kept.under
    await pass_time(clock, 10, one, two)

    assert (5, 5) == (len(one.leased), len(two.leased))
    fences = {each.fence for each in before.values()}
    assert all(each.fence not in fences for each in two.kept.under.values())


async def test_a_leader_that_stood_still_leads_no_more(store, clock):
    """Its time is over before another one takes the jobs up, and it does not get them back; one that stops hands them over."""
    one, two = Member(store, clock), Member(store, clock)

    def leading():
        return one.leasing.leads, two.leasing.leads

    with capture_logs() as logged:
        await pass_time(clock, 4, one, two)
        assert leading() == (True, False)
        await pass_time(clock, LEASE, two)
        assert leading() == (False, False)
        await pass_time(clock, 12, two)
        assert leading() == (False, True)
        await pass_time(clock, 10, one, two)
        assert leading() == (False, True)
        await two.leasing.stop()
        await one.renew()
        assert leading() == (True, False)

    assert [each["event"] for each in logged] == ["jobs.taken_up", "jobs.taken_up", "lease.lost", "jobs.taken_up"]


@pytest.mark.parametrize("jump", [HOURS, -HOURS])
async def test_a_jump_of_the_wall_clock_moves_no_match(store, clock, everything, jump):
    """Two hours forth or back: the same holders, the same fences; and a dead one is found as fast as ever."""
    one, two = Member(store, clock), Member(store, clock)
    await pass_time(clock, 10, one, two)
    before = dict(one.kept.under), dict(two.kept.under)
    clock.wall += jump
    await pass_time(clock, 10, one, two)
    assert before == (one.kept.under, two.kept.under)
    clock.wall -= jump
    await pass_time(clock, 12, two)

    assert everything == two.leased


async def test_a_machine_that_slept_goes_on_as_it_was(store, clock, everything):
    """All processes slept for an hour: nobody polls before it has renewed, nobody is given up."""
    one, two = Member(store, clock), Member(store, clock)
    await pass_time(clock, 10, one, two)
    before = dict(one.kept.under), dict(two.kept.under)
    clock.now += 3600
    assert (set(), set()) == (one.leased, two.leased)
    await pass_time(clock, 6, one, two)

    assert before == (one.kept.under, two.kept.under)
    assert everything == one.leased | two.leased


def following(provider, **more):
    """Followers of one running match, which is due."""
    match = followed(provider, 1, kickoff=KICKOFF)
    followers = followers_of(provider, [match], live=1.0, **more)
    followers.schedule(match, 0.0)
    return followers


@in_virtual_time
async def test_nothing_is_polled_without_a_lease():
    """A due match waits while the lease has run out, and is polled again once it is renewed."""
    leased, provider = [True], Provider()
    followers = following(provider, lease=lambda: leased[0])
    running = asyncio.create_task(followers.run())
    await asyncio.sleep(10)
    polls = len(provider.requested)
    leased[0] = False
    await asyncio.sleep(60)
    stopped = len(provider.requested)
    leased[0] = True
    await asyncio.sleep(20)
    running.cancel()
    await followers.stop()

    assert polls > 3
    assert stopped <= polls + 1
    assert len(provider.requested) > stopped + 3


async def test_a_liveblog_that_joins_elsewhere_has_its_match_looked_at_afresh(store):
    """The follower sees at its next renewal that a liveblog joined, fetches everything, and brings the newcomer in line."""
    process, _ = await begun(store, TWO)
    worker = leases.Worker(id="one", knows=frozenset({process.adapter.endpoint.key}))
    await store.write(partial(leases.join, worker=worker, alone=True))
    (leased,) = (await store.write(partial(leases.renew, worker=worker, dead={}, batch=10))).leased
    await process.followers.follow(leased.follow_id, leased=leased)
    elsewhere = Process(store, MATCH_ID, adapter=process.adapter)
    process.adapter.bodies = ONE  # what the other process sees is behind
    joined = await elsewhere.create(locale="de")
    process.adapter.bodies = TWO
    assert "incident:12" not in await process.posted(joined)
    (leased,) = (await store.write(partial(leases.renew, worker=worker, dead={}, batch=10))).leased
    assert not process.followers.follows(leased)
    await process.followers.follow(leased.follow_id, leased=leased)
    assert process.followers.follows(leased)
    await process.poll()

    assert "incident:12" in await process.posted(joined)
