"""Pinned posts: the newest ones that readers see, found by an index of their own, now and as they stood."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import event, insert, select

from mapping.documents.event import PINNED, Highlight
from store.liveblogs.liveblogs import Change, record
from store.liveblogs.pinned import pinned_events
from store.tables import WRITTEN_AS_PINNED, events
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


async def test_other_posts_are_not_looked_at(store, game):
    """Of thousands of posts of the liveblog, the index reads the pinned ones alone."""
    await store.write(change(highlighted("e1", "sticky")))
    statements = []

    def fill(unit):
        (row,) = unit.conn.execute(select(events)).mappings()
        many = [{**row, "local_id": f"o{n}", "sort": f"{n:032}", "doc": {"headline": "Hi"}} for n in range(3_000)]
        unit.conn.execute(insert(events), many)
        if unit.conn.dialect.name == "postgresql":
            unit.conn.exec_driver_sql("ANALYZE events")

    def plan(conn):
        event.listen(conn, "before_cursor_execute", lambda *given: statements.append(given[2:4]))
        assert [each.local_id for each in pinned_events(conn, GAME, 10)] == ["e1"]
        statement, values = statements[-1]
        explain = "EXPLAIN" if conn.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
        return "\n".join(row[-1] for row in conn.exec_driver_sql(f"{explain} {statement}", values))

    await store.write(fill)
    found = await store.read(plan)

    assert "ix_events_pinned" in found
    assert "SCAN" not in found.upper().replace("INDEX SCAN", "")


async def test_the_index_holds_pinned_posts_alone(store):
    """Its condition is the one that the query has: without it, every post would be in it."""

    def condition(conn):
        postgresql = "SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_events_pinned'"
        sqlite = "SELECT sql FROM sqlite_master WHERE name = 'ix_events_pinned'"
        return conn.exec_driver_sql(postgresql if conn.dialect.name == "postgresql" else sqlite).scalar()

    definition = await store.read(condition)
    assert WRITTEN_AS_PINNED.partition("LIKE ")[2] in definition.partition(" WHERE ")[2]


async def test_a_pinned_post_of_another_liveblog_is_not_found(store, game):
    """Only those of the liveblog."""
    await store.write(change(highlighted("e1", "sticky")))

    assert await store.read(partial(pinned_events, game_id="5f0c1de2a1b2c3d4e5f60009", limit=10)) == []
    assert await store.write(partial(record, game_id=GAME, change=Change())) == 3
