"""Posts that stand out, pinned ones among them, are found by indexes that hold them alone, however many others there are."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import event, insert, select

from mapping.documents.event import PINNED, Highlight
from store.liveblogs.deltas import first_and_last
from store.liveblogs.incidents import events_to_summarise, incidents, is_highlighted
from store.liveblogs.liveblogs import Change, record
from store.liveblogs.pinned import pinned_events
from store.tables import WRITTEN_AS_PINNED, WRITTEN_AS_SAYING, events
from tests.store.conftest import GAME, change, post

CONDITIONS = {"ix_events_pinned": WRITTEN_AS_PINNED, "ix_events_saying": WRITTEN_AS_SAYING}
QUERIES = {
    "pinned": (partial(pinned_events, limit=10), "ix_events_pinned", ["epin"]),
    "incidents": (incidents, "ix_events_saying", ["egoal"]),
    "summarised": (events_to_summarise, "ix_events_saying", ["egoal", "ephoto", "epin"]),
    "first and last": (first_and_last, "ix_events_game_id_local_status_sort", ["egoal", "o2999"]),
}
"""Which posts are looked for, the index by which, and those that are found."""
STANDING_OUT = (
    post("egoal", created_at=1, document={"headline": "", "sport_event": {"event_type": "soccer.goal"}}),
    post("ephoto", created_at=2, document={"headline": "", "media": [{"subtype": "i"}]}),
    post("epin", created_at=3, document={"headline": "", "highlight": "sticky"}),
)


def fill(unit):
    """Thousands of posts that say nothing but a headline."""
    row = next(unit.conn.execute(select(events)).mappings())
    document = {"headline": "A milestone, an event_type", "highlight": ""}
    many = [{**row, "local_id": f"o{n}", "sort": f"f{n:031}", "doc": document} for n in range(3_000)]
    unit.conn.execute(insert(events), many)
    if unit.conn.dialect.name == "postgresql":
        unit.conn.exec_driver_sql("ANALYZE events")


@pytest.fixture
async def many(store, game):
    await store.write(change(*STANDING_OUT))
    await store.write(fill)
    return store


def plans(query, conn):
    """What the query finds, and how the database goes through the events for it."""
    statements = []
    event.listen(conn, "before_cursor_execute", lambda *given: statements.append(given[2:4]))
    found = [each.local_id for each in query(conn, game_id=GAME)]
    explain = "EXPLAIN" if conn.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    rows = [row for sql, values in list(statements) for row in conn.exec_driver_sql(f"{explain} {sql}", values)]
    return found, "\n".join(row[-1] for row in rows)


async def test_other_posts_are_not_looked_at(many):
    """No query goes through the posts of the liveblog, and none through those of all."""
    for name, (query, index, wanted) in QUERIES.items():
        found, plan = await many.read(partial(plans, query))

        assert found == wanted, name
        assert index in plan, name
        assert "SCAN" not in plan.upper().replace("INDEX SCAN", "").replace("BITMAP HEAP SCAN", ""), name


async def test_whether_a_post_is_highlighted_is_known_by_the_same_index(many):
    """One of thousands, and none."""
    assert await many.read(partial(is_highlighted, game_id=GAME))
    await many.write(change(post("epin", created_at=3, document={"headline": "", "highlight": ""})))
    assert not await many.read(partial(is_highlighted, game_id=GAME))


@pytest.mark.parametrize("name", CONDITIONS)
async def test_an_index_holds_no_others(store, name):
    """Its condition is the one that the query has: without it, every post would be in it."""

    def condition(conn):
        postgresql = f"SELECT indexdef FROM pg_indexes WHERE indexname = '{name}'"
        sqlite = f"SELECT sql FROM sqlite_master WHERE name = '{name}'"
        return conn.exec_driver_sql(postgresql if conn.dialect.name == "postgresql" else sqlite).scalar()

    definition = (await store.read(condition)).partition(" WHERE ")[2]
    parts = CONDITIONS[name].strip("()").replace("doc LIKE ", "").split(" OR ")
    assert [each for each in parts if each not in definition] == []


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
