"""When posts were first delivered: of several processes that send one version the earliest frame counts, whoever writes first."""

import asyncio
from functools import partial
from itertools import permutations

import pytest

from store.engine.sql.bulk_write import write_batch
from store.liveblogs.liveblogs import insert_game
from store.timeline import timeline
from store.timeline.timeline import Commit, FirstFrame, PostTime
from tests.store.conftest import ALIKE, GAME, new_game

BELIEVED = 1_700_000_000_000
FRAMES_OF_THREE = (
    FirstFrame(GAME, 0, 3, BELIEVED + 70),
    FirstFrame(GAME, 2, 4, BELIEVED + 40),
    FirstFrame(GAME, 1, 3, BELIEVED + 50),
)
"""Of three processes."""


def put(unit, whats):
    """A post in each version from 1 on; `whats`: what happened to it."""
    rows = [
        PostTime(
            game_id=GAME, version=number, local_id=f"e{number}", what=what, answered_at=BELIEVED, believed_at=BELIEVED
        )
        for number, what in enumerate(whats, 1)
    ]
    write_batch(unit.conn, timeline.post_rows(rows))


async def delivered(store):
    times = await store.read(partial(timeline.times_of, game_id=GAME))
    return {each.version: each.delivered_at and each.delivered_at - BELIEVED for each in times}


@pytest.fixture
async def posts(store):
    await store.write(partial(insert_game, game=new_game()))
    await store.write(partial(put, whats=["posted", "corrected", "posted", "withdrawn", "draft"]))
    return store


@ALIKE
@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_the_earliest_frame_stays_in_whatever_order_processes_note_theirs(posts, order):
    """Each process notes what it sent by a unit of its own; the one that commits the posts takes nothing of that away."""
    for number in order:
        await posts.write(partial(timeline.deliver, frames=[FRAMES_OF_THREE[number]]))
        await posts.write(partial(timeline.finish, commits=[Commit(GAME, 3, BELIEVED + 20)]))

    assert await delivered(posts) == {1: 70, 2: 50, 3: 40, 4: 40, 5: None}
    wanted = [(GAME, 3), (GAME, 5), (GAME, 9)]
    assert await posts.read(partial(timeline.delivered_at, versions=wanted)) == {(GAME, 3): BELIEVED + 40}


async def test_processes_that_note_the_same_versions_at_once_wait_for_each_other_and_do_not_fail(posts):
    """Forty units beside each other, each with the frames in another order."""
    units = [
        partial(timeline.deliver, frames=FRAMES_OF_THREE[turn % 3 :] + FRAMES_OF_THREE[: turn % 3])
        for turn in range(40)
    ]
    await asyncio.gather(*map(posts.write, units))

    assert (await delivered(posts))[4] == 40
