"""Several processes on one PostgreSQL: even shares, a frozen one, a killed one, and one that only serves the API."""

import asyncio
import signal
import time
from collections import Counter, defaultdict
from itertools import groupby

import pytest
from sqlalchemy import select

from store.tables import follows
from tests.kit.day import SHOW
from tests.kit.opening import look
from tests.kit.recorded_posts import posts_of_the_liveblog
from tests.kit.workers import LIVE, NUMBERS, create, two_processes, until

pytestmark = pytest.mark.proof

FROZEN = 11.0
"""Seconds for which the second process is stopped: longer than its lease."""


def shares(*workers):
    """The condition that these processes follow so many matches each."""

    async def hold(expected=()):
        return [(await worker.ready())["matches"] for worker in workers] == list(expected)

    return lambda *expected: lambda: hold(expected)


def counted(api, number):
    """The condition that the process of the API sees so many that follow matches."""

    async def hold():
        return (await api.ready())["workers"] == number

    return hold


def polled(upstream, since, name=None):
    """Matches that were requested since then, by that process."""
    return Counter(number for at, who, number in upstream.polls if at >= since and name in {None, who})


def changes_of_hand(upstream):
    """For each match, how often another process requested it than the one before."""
    requested = defaultdict(list)
    for _, who, number in upstream.polls:
        requested[number].append(who)
    return {number: len(list(groupby(names))) - 1 for number, names in requested.items()}


async def cards_of(worker, liveblog):
    """The posts of cards that the liveblog shows."""
    game = (await worker.client.get(SHOW, params={"local_id": liveblog})).json()
    return [post for post in posts_of_the_liveblog(game) if post[0] == "soccer.yellow-card"]


async def test_two_workers_share_take_over_and_never_write_twice(tmp_path, postgres_url):
    """Even shares within 10 s; one frozen for longer than its lease writes nothing when it wakes; one killed is replaced."""
    roles = {"api": "api", "one": "worker", "two": "worker"}
    async with two_processes(tmp_path, postgres_url, **roles) as (upstream, api, one, two):
        await asyncio.gather(api.start(), one.start())
        liveblogs = [await create(api, number) for number in NUMBERS]
        await until(shares(one)(8), within=60)
        await two.start()
        await until(shares(one, two)(4, 4), within=60)
        await until(counted(api, 2), within=0)

        async def one_fetches():
            return upstream.waiting["two"] > 0

        upstream.open.clear()  # so that it is stopped in the middle of polls
        await until(one_fetches, within=60)
        await asyncio.sleep(1.1)  # and what it requested has changed
        two.send(signal.SIGSTOP)
        stopped = time.monotonic()
        upstream.open.set()
        await until(shares(one)(8), within=60)
        await until(counted(api, 1), within=60)
        await asyncio.sleep(max(0.0, FROZEN - (time.monotonic() - stopped)))
        before = await fences(postgres_url)
        two.send(signal.SIGCONT)
        woken = time.monotonic() - upstream.began
        await until(shares(one, two)(4, 4), within=60)
        after = await fences(postgres_url)
        early = {
            number: polls for number, polls in polled(upstream, woken, "two").items() if before[number] == after[number]
        }
        assert (await two.ready())["refused"] >= 1, "a stale write was not even tried"
        assert not early, "it polled what it did not hold"

        two.send(signal.SIGKILL)
        killed = time.monotonic() - upstream.began

        async def all_polled_again():
            return len(polled(upstream, killed + 0.1, "one")) == len(liveblogs)

        await until(all_polled_again, within=60)
        await asyncio.sleep(2 * LIVE)
        assert upstream.let_in == upstream.replay.log.total > 0, "who asks is known of everything that was counted"
        assert max(changes_of_hand(upstream).values()) <= 6, changes_of_hand(upstream)
        for liveblog in liveblogs:
            cards = await cards_of(api, liveblog)
            assert upstream.cards() - 5 <= len(cards) == len(set(cards))
        assert 0 == await one.end()
        await until(counted(api, 0), within=0)
        assert 0 == await api.end()


async def fences(database):
    """The fence of each match."""
    return await look(database, lambda conn: {each.match_id: each.fence for each in conn.execute(select(follows))})
