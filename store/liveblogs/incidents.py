"""The public events of a liveblog that say what happened, and those that are pinned: no page of the feed bounds them.

However many other posts there are, no others are looked at.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, FromClause, Select, Text, bindparam, cast, or_, select
from sqlalchemy import text as sql

from mapping.documents.event import HIGHLIGHTED
from store.engine.records import StoredEvent
from store.liveblogs import history
from store.liveblogs.event_rows import EventQuery, read_events
from store.public import post_is_public
from store.tables import WRITTEN_AS_PINNED, WRITTEN_AS_SAYING

MOST = 500
"""The newest ones, of a liveblog that has more."""
SAYING = ('"event_type"', '"highlight":"milestone"')
"""What the JSON text of such an event holds: an incident, or that it is a milestone."""


def incidents(conn: Connection, game_id: str) -> list[StoredEvent]:
    """Public events with an incident beside or within their text, and milestones, oldest first; of the very many the newest."""
    table = history.events_of(conn, game_id)
    query = _saying(table, game_id).where(_written(table, *SAYING)).order_by(table.c.sort.desc()).limit(MOST)
    return read_events(conn, query)[::-1]


def is_highlighted(conn: Connection, game_id: str) -> bool:
    """Whether a public event is marked as a highlight."""
    table = history.events_of(conn, game_id)
    written = [f'"highlight":"{each}"' for each in sorted(HIGHLIGHTED)]
    return conn.execute(_saying(table, game_id).where(_written(table, *written)).limit(1)).first() is not None


def events_to_summarise(conn: Connection, game_id: str) -> list[StoredEvent]:
    """The public events that name a milestone, an incident or a file; of others a summary counts how many there are."""
    return _SUMMARISED.all(conn, game_id)


def _saying(table: FromClause, game_id: str | BindParameter[str]) -> Select[Any]:
    return select(table).where(table.c.game_id == game_id, post_is_public(table), sql(WRITTEN_AS_SAYING))


def _written(table: FromClause, *parts: str) -> ColumnElement[bool]:
    """The condition that an event's JSON text has one of the parts."""
    return or_(*(cast(table.c.doc, Text).like(f"%{each}%") for each in parts))


_SUMMARISED = EventQuery(lambda table: _saying(table, bindparam("game_id")).order_by(table.c.sort))


def pinned_events(conn: Connection, game_id: str, limit: int) -> list[StoredEvent]:
    """The pinned public events, newest first, `limit` at most; however many posts there are, no others are looked at."""
    table = history.events_of(conn, game_id)
    query = select(table).where(table.c.game_id == game_id, post_is_public(table), sql(WRITTEN_AS_PINNED))
    return read_events(conn, query.order_by(table.c.sort.desc()).limit(limit))
