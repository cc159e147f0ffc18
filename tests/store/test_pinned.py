"""Pinned posts: the newest ones that readers see, found by an index of their own, now and as they stood."""

from __future__ import annotations

from functools import partial

import pytest

from mapping.documents.event import PINNED, Highlight
from store.liveblogs.liveblogs import Change, record
from store.liveblogs.pinned import pinned_events
from tests.store.conftest import GAME, change, post


async def pinned(store, limit=10, at=None):
    found = await store.read(partial(pinned_events, game_id=GAME, limit=limit), at=at)
    return [each.local_id for each in found]


def highlighted(local_id, highlight, **more):
    return post(local_id, document={"headline": 'It says "highlight":"sticky"', "highlight": highlight}, **more)


async def test_of_all_ways_of_highlighting_the_pinned_ones_are_found(store, game):
    """In the order of their times, newest first, no more than are wanted; whatever the words of a post say."""
    ways = [each for each in Highlight.__args__ if each] + ["", None]
    await store.write(change(*(highlighted(f"e{each}", each, created_at=at) for at, each in enumerate(ways, 1))))

    assert set(await pinned(store)) == {f"e{each}" for each in PINNED}
    assert await pinned(store) == ["estickyNoHighlight", "esticky"]
    assert await pinned(store, limit=1) == ["estickyNoHighlight"]


@pytest.mark.parametrize("hidden", [{"local_status": 60}, {"local_status": 100}, {"publish_at": 1_700_000_900}])
async def test_what_readers_do_not_see_is_not_found(store, game, hidden):
    """Unpublished, deleted, waiting for its time."""
    await store.write(change(highlighted("e1", "sticky"), highlighted("e2", "sticky", **hidden)))

    assert await pinned(store) == ["e1"]


async def test_readers_of_a_moment_find_what_was_pinned_then(store, game, clock):
    """One that was pinned later is not, one that was then still is."""
    await store.write(change(highlighted("e1", "sticky"), highlighted("e2", "")))
    clock.now += 100
    await store.write(change(highlighted("e1", ""), highlighted("e2", "sticky")))

    assert await pinned(store, at=int(clock.now) - 50) == ["e1"]
    assert await pinned(store) == ["e2"]


async def test_a_pinned_post_of_another_liveblog_is_not_found(store, game):
    """Only those of the liveblog."""
    await store.write(change(highlighted("e1", "sticky")))

    assert await store.read(partial(pinned_events, game_id="5f0c1de2a1b2c3d4e5f60009", limit=10)) == []
    assert await store.write(partial(record, game_id=GAME, change=Change())) == 3
