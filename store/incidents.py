"""The public events of a liveblog that say what happened in the match, wherever they stand: no page of the feed bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Text, cast, select

from mapping.documents.scalars import LocalStatus
from store import history
from store.event_rows import event_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.records import StoredEvent

MOST = 500
"""The newest ones, of a liveblog that has more."""


def incidents(conn: Connection, game_id: str) -> list[StoredEvent]:
    """Public events with an incident beside or within their text, oldest first; of the very many the newest."""
    table = history.events_of(conn, game_id)
    query = (
        select(table)
        .where(
            table.c.game_id == game_id,
            table.c.local_status == LocalStatus.PUBLISHED,
            table.c.publish_at.is_(None),
            cast(table.c.doc, Text).like('%"event_type"%'),
        )
        .order_by(table.c.sort.desc())
        .limit(MOST)
    )
    return [event_of(row) for row in reversed(conn.execute(query).all())]
