"""Posts that stand out, pinned ones among them, are found by indexes that hold them alone, however many others there are."""

from __future__ import annotations

from functools import partial

import pytest
from sqlalchemy import event, insert, select

from store.liveblogs.deltas import first_and_last
from store.liveblogs.incidents import events_to_summarise, incidents
from store.liveblogs.pinned import pinned_events
from store.tables import events
from tests.store.conftest import GAME, change, post

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


async def pinned(store, limit=10, at=None):
    found = await store.read(partial(pinned_events, game_id=GAME, limit=limit), at=at)
    return [each.local_id for each in found]
