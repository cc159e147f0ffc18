"""When posts were first delivered: of several processes that send one version the earliest frame counts, whoever writes first."""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import permutations

import pytest

from api.stream.first_sent import FRAMES, FirstSent
from store.engine.sql.bulk_write import write_batch
from store.liveblogs.liveblogs import insert_game
from store.timeline import timeline
from store.timeline.timeline import CATCHING_UP, Commit, FirstFrame, PostTime
from tests.store.conftest import GAME, new_game

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


async def test_a_draft_is_delivered_to_nobody_and_who_catches_up_delivers_nothing(posts):
    """A frame a minute after the post was believed is that of a reader who was away."""
    late = FirstFrame(GAME, 0, 5, BELIEVED + CATCHING_UP + 1)
    await posts.write(partial(timeline.deliver, frames=[late]))
    assert set((await delivered(posts)).values()) == {None}

    await posts.write(partial(timeline.deliver, frames=[late._replace(sent_at=BELIEVED + CATCHING_UP)]))
    assert await delivered(posts) == {**dict.fromkeys(range(1, 5), CATCHING_UP), 5: None}


def test_a_process_notes_one_frame_a_version_however_many_readers_there_are(clock):
    """The first one, with what came since the version before; what nobody takes is bounded."""
    sent = FirstSent(clock)
    for since, version in ((3, 5), (3, 5), (4, 5), (5, 6), (1, 6), (2, 4)):
        for _ in range(100):
            sent.note(GAME, since, version)
        clock.now += 1

    found = sent.take()
    assert [(frame.since, frame.version) for frame in found] == [(3, 5), (5, 6)]
    assert found[1].sent_at - found[0].sent_at == 3000
    assert not sent.take()
    for version in range(FRAMES + 10):
        sent.note("other", version, version + 1)
    assert len(sent.take()) == FRAMES
