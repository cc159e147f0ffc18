"""Uploads in the database: which of them may go, whoever refers to them at the same moment."""

import asyncio
import threading
from functools import partial

import pytest
from sqlalchemy import select

from mapping.errors import Unprocessable
from store.media import uploads
from store.media.tables import upload_uses
from store.media.tables import uploads as uploads_table
from tests.kit.store_uploads import OLD, kept
from tests.store.conftest import ALIKE


async def refer(store, kind, record, keys):
    await store.write(lambda unit: uploads.refer(unit, kind, record, keys))


async def test_only_what_is_old_and_unused_may_go(store):
    """A young upload waits to be posted; one that a record refers to stays even where no reader is shown it."""
    old, young, used = await kept(store), await kept(store, created_at=OLD + 50), await kept(store)
    await refer(store, "event", "e1", {used.key: False})

    found, _ = await store.read(lambda conn: uploads.unreferenced_keys(conn, OLD + 10, 10))
    gone = await store.write(lambda unit: uploads.forget(unit, [old.key, used.key]))

    assert found == gone == [old.key]
    left = await store.read(lambda conn: uploads.between(conn, "", None))
    assert left == {used.key: OLD, young.key: OLD + 50}


@ALIKE
async def test_a_look_for_the_unused_goes_on_where_the_last_one_ended(store):
    """So many uploads at a time, used or not: none is looked at twice, none is left out."""
    made = [(await kept(store)).key for _ in range(7)]
    await refer(store, "event", "e1", dict.fromkeys(made[::2], True))
    found, after, looks = [], "", 0
    while after is not None:
        look = partial(uploads.unreferenced_keys, before=OLD + 1, limit=3, after=after)
        keys, after = await store.read(look)
        found, looks = found + keys, looks + 1

    assert (found, looks) == (sorted(made[1::2]), 3)


@pytest.mark.parametrize("first", ["refer", "forget"])
async def test_a_purge_and_a_post_at_the_same_moment_are_decided_by_the_database(store, first):
    """Whichever is first wins: either the post is refused, or the upload stays. A use without its upload is never left."""
    made = await kept(store)
    begun, go = threading.Event(), threading.Event()

    def referring(unit):
        uploads.refer(unit, "event", "e1", {made.key: True})
        return "referred"

    def forgetting(unit):
        return uploads.forget(unit, [made.key])

    works = {"refer": referring, "forget": forgetting}
    slow = works.pop(first)
    (quick,) = works.values()

    def waiting(unit):
        result = slow(unit)
        begun.set()
        go.wait(60)
        return result

    one = asyncio.create_task(store.write(waiting))
    assert await asyncio.to_thread(begun.wait, 60)
    two = asyncio.create_task(store.write(quick))
    await asyncio.sleep(0.2)
    assert not two.done()
    go.set()
    results = await asyncio.gather(one, two, return_exceptions=True)

    used = await store.read(lambda conn: conn.scalars(select(upload_uses.c.upload_key)).all())
    left = await store.read(lambda conn: conn.scalars(select(uploads_table.c.key)).all())
    if first == "refer":
        assert (results, used, left) == (["referred", []], [made.key], [made.key])
    else:
        assert results[0] == [made.key]
        assert isinstance(results[1], Unprocessable)
        assert used == left == []
