"""The public events of a liveblog that say what happened, wherever they stand: no page of the feed bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Text, case, cast, literal, or_, select

from mapping.documents.event import HIGHLIGHTED
from store.liveblogs import history
from store.liveblogs.event_rows import event_of
from store.public import post_is_public

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, FromClause

    from store.engine.records import StoredEvent

SUMMARISED = ("milestone", "event_type", "subtype")
"""Where the JSON text of an event has none of these, a summary says no more than that it is there."""
MOST = 500
"""The newest ones, of a liveblog that has more."""
SAYING = ('"event_type"', '"highlight":"milestone"')
"""What the JSON text of such an event holds: an incident, or that it is a milestone."""


def incidents(conn: Connection, game_id: str) -> list[StoredEvent]:
    """Public events with an incident beside or within their text, and milestones, oldest first; of the very many the newest."""
    table = history.events_of(conn, game_id)
    query = select(table).where(*_public_with(table, game_id, *SAYING)).order_by(table.c.sort.desc()).limit(MOST)
    return [event_of(row) for row in reversed(conn.execute(query).all())]


def is_highlighted(conn: Connection, game_id: str) -> bool:
    """Whether a public event is marked as a highlight."""
    table = history.events_of(conn, game_id)
    written = [f'"highlight":"{each}"' for each in sorted(HIGHLIGHTED)]
    query = select(table.c.local_id).where(*_public_with(table, game_id, *written)).limit(1)
    return conn.execute(query).first() is not None


def events_to_summarise(conn: Connection, game_id: str) -> list[StoredEvent]:
    """All public events; the document of one is empty where it names no milestone, incident or file."""
    table = history.events_of(conn, game_id)
    written = [cast(table.c.doc, Text).contains(f'"{name}"') for name in SUMMARISED]
    empty = literal({}, table.c.doc.type)
    columns = [
        case((or_(*written), each), else_=empty).label("doc") if each.name == "doc" else each for each in table.c
    ]
    query = select(*columns).where(table.c.game_id == game_id, post_is_public(table)).order_by(table.c.sort)
    return [event_of(row) for row in conn.execute(query)]


def _public_with(table: FromClause, game_id: str, *parts: str) -> tuple[ColumnElement[bool], ...]:
    """Conditions for the public events whose JSON text has one of the parts."""
    return (
        table.c.game_id == game_id,
        post_is_public(table),
        or_(*(cast(table.c.doc, Text).like(f"%{each}%") for each in parts)),
    )
