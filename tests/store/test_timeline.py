"""The timeline of posts: of several processes that send one version the earliest frame counts; how late posts were is counted."""

import asyncio
from dataclasses import asdict
from functools import partial
from itertools import permutations

import pytest

from store.engine.liveblog_records import Change, EventWrite
from store.engine.spans import Durations
from store.engine.statements import write_batch
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named
from store.liveblogs.liveblogs import insert_game
from store.timeline import bundle_rows, timeline
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


async def test_processes_that_note_the_same_versions_at_once_wait_for_each_other_and_do_not_fail(posts):
    """Forty units beside each other, each with the frames in another order."""
    units = [
        partial(timeline.deliver, frames=FRAMES_OF_THREE[turn % 3 :] + FRAMES_OF_THREE[: turn % 3])
        for turn in range(40)
    ]
    await asyncio.gather(*map(posts.write, units))

    assert (await delivered(posts))[4] == 40


@pytest.mark.parametrize(
    ("seconds", "percentiles"),
    [
        ([], None),
        ([0.007], {"p50": 10, "p95": 10, "p99": 10, "count": 1}),
        ([*range(1, 101)], {"p50": 60_000, "p95": 120_000, "p99": 120_000, "count": 100}),
        ([-1.0] * 98 + [0.3, 900.0], {"p50": 1, "p95": 1, "p99": 500, "count": 100}),
    ],
)
def test_percentiles_are_the_upper_bounds_of_their_steps(seconds, percentiles):
    """Of nothing there are none; what took longer than the last step counts as that, and what is negative as nothing."""
    counted = Durations()
    for each in seconds:
        counted.observe(each)
    assert counted.percentiles() == percentiles


def write(unit, *changed, by_sync):
    """A step with these posts (`local_id`, headline, status), which the sync makes or a person."""
    known = events_named(unit.conn, [name for name, _, _ in changed])
    posts = [
        EventWrite.new(local_id=name, document={"headline": said}, created_at=unit.now, local_status=status)
        if name not in known
        else known[name].rewritten(document={"headline": said}, local_status=status)
        for name, said, status in changed
    ]
    left = {name: {"version": each.version, **asdict(each.rewritten())} for name, each in known.items()}
    version = liveblogs.record(unit, GAME, Change(events=tuple(posts)))
    shared = {"game_id": GAME, "version": version, "what": "", "answered_at": BELIEVED, "believed_at": BELIEVED}
    rows = [PostTime(local_id=name, of_person=left.get(name), **shared) for name, _, _ in changed] if by_sync else []
    write_batch(unit.conn, timeline.post_rows(rows))


COURSE = (
    (True, ("e1", "a", 0), ("e2", "b", 0)), (False, ("e1", "A", 0)), (False, ("e2", "b", 100)), (False, ("e3", "c", 0)),
    (True, ("e1", "A!", 0), ("e4", "d", 0)), (True, ("e4", "e", 0)), (False, ("e3", "C", 0)),
)  # fmt: skip


async def test_what_people_made_of_posts_is_what_the_timeline_has_no_row_for(store):
    """Also of posts of the sync, even where it has written over them."""
    await store.write(partial(insert_game, game=new_game()))
    for by_sync, *changed in COURSE:
        await store.write(lambda unit, changed=changed, by_sync=by_sync: write(unit, *changed, by_sync=by_sync))
    people = await store.read(partial(bundle_rows.posts_of_people, game_id=GAME))
    assert [(each["version"], each["local_id"], each["document"]["headline"]) for each in people] == [
        (3, "e1", "A"),
        (4, "e2", "b"),
        (8, "e3", "C"),
    ]
    posts = await store.read(partial(bundle_rows.posts_of, game_id=GAME))
    assert posts == [("e1", False), ("e2", False), ("e3", False), ("e4", False)]
