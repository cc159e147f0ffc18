"""Votes: one a reader and poll, exact under concurrency, as they stood at a moment, and gone with their liveblog."""

import asyncio
import random
from collections import Counter
from functools import partial

from mapping.documents.scalars import LocalStatus
from store.engine.records import Change
from store.liveblogs import history
from store.liveblogs.liveblogs import insert_game, record
from store.polls import votes
from store.polls.votes import poll_votes
from tests.store.conftest import ALIKE, GAME, new_game

READERS = 12


async def vote(store, reader, *options, poll="p1"):
    return await store.write(
        partial(votes.vote, game_id=GAME, poll_id=poll, reader_id=reader, choose=lambda _: options)
    )


async def tally(store, at=None, poll="p1"):
    found = await store.read(partial(votes.tallies, game_id=GAME, poll_ids=[poll]), at=at)
    return dict(found[poll].counts), found[poll].changes


async def test_readers_vote_change_and_take_back_at_once(store):
    """The tally equals the votes, whatever the order: no vote is lost, none counts twice, and the liveblog does not step."""
    await store.write(partial(insert_game, game=new_game()))
    chance = random.Random(7)
    last = {}

    async def reader(name):
        for _ in range(6):
            options = tuple(chance.sample(("a", "b", "c"), chance.choice((0, 1, 1, 2))))
            await vote(store, name, *options)
            last[name] = options

    await asyncio.gather(*(reader(f"r{number}") for number in range(READERS)))

    counts, _ = await tally(store)
    stored = await store.read(lambda conn: {each.reader_id: tuple(each.options) for each in votes.page(conn, GAME)})
    assert stored == {name: options for name, options in last.items() if options}
    assert counts == Counter(option for options in last.values() for option in options)
    assert await tally(store, poll="p2") == ({}, 0)
    await vote(store, "r0", "a", poll="p0")
    listed, after = [], None
    while some := await store.read(partial(votes.page, game_id=GAME, after=after, limit=7)):
        listed, after = listed + some, some[-1]
    assert listed == await store.read(partial(votes.page, game_id=GAME))
    assert len(listed) == len(stored) + 1
    assert (await store.read(lambda conn: votes.changes(conn, [GAME, "gnone"]))).keys() == {GAME}


@ALIKE
async def test_results_are_read_as_they_stood_and_leave_with_the_liveblog(store, clock):
    """One row a second is kept of what stood; an unchanged vote writes nothing; a deleted liveblog loses its votes in steps."""
    await store.write(partial(insert_game, game=new_game()))
    start = int(clock.now)
    stood = {}
    for second, (reader, options) in enumerate(
        [("r1", "a"), ("r2", "b"), ("r1", "b"), ("r1", "b"), ("r2", ""), ("r3", "a")]
    ):
        clock.now = start + 2 * second + 0.5
        await vote(store, reader, "c")
        await vote(store, reader, *options)
        stood[start + 2 * second + 1] = await tally(store)

    for moment, found in stood.items():
        assert await tally(store, at=moment) == await tally(store, at=moment + 1) == found
    assert await tally(store, at=start) == ({}, 0)
    before = await tally(store)
    assert (await vote(store, "r3", "a")).options == ("a",)
    assert await tally(store) == before
    assert await store.read(partial(votes.changes, game_ids=[GAME]), at=start + 1) == {GAME: {"p1": 2}}

    await store.write(partial(history.purge, before=start + 5))
    assert await tally(store, at=start + 7) == stood[start + 7]

    assert not await store.write(votes.purge)
    await store.write(partial(record, game_id=GAME, change=Change(local_status=LocalStatus.DELETED)))
    steps = 0
    while await store.write(partial(votes.purge, limit=1)):
        steps += 1
    assert steps == 3  # two votes, and the step that finds none
    assert await store.read(lambda conn: conn.execute(poll_votes.select()).all()) == []
    assert await tally(store, at=start + 11) == ({}, 0)
