"""The public events of a liveblog that stand above all others, found by an index of their own: it holds nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy import text as sql

from store.liveblogs import history
from store.liveblogs.event_rows import read_events
from store.public import post_is_public
from store.tables import WRITTEN_AS_PINNED

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.engine.records import StoredEvent


def pinned_events(conn: Connection, game_id: str, limit: int) -> list[StoredEvent]:
    """The pinned public events, newest first, `limit` at most; however many posts there are, no others are looked at."""
    table = history.events_of(conn, game_id)
    query = select(table).where(table.c.game_id == game_id, post_is_public(table), sql(WRITTEN_AS_PINNED))
    return read_events(conn, query.order_by(table.c.sort.desc()).limit(limit))
