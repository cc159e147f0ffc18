"""The public events of a liveblog that say what happened in the match, wherever they stand: no page of the feed bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Text, bindparam, cast, select

from mapping.documents.scalars import LocalStatus
from store.event_rows import event_of
from store.sql.compiled_query import CompiledQuery
from store.tables import events

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from store.records import StoredEvent

MOST = 500
"""The newest ones, of a liveblog that has more."""
_INCIDENTS = CompiledQuery(
    select(events)
    .where(
        events.c.game_id == bindparam("game_id"),
        events.c.local_status == LocalStatus.PUBLISHED,
        events.c.publish_at.is_(None),
        cast(events.c.doc, Text).like('%"event_type"%'),
    )
    .order_by(events.c.sort.desc())
    .limit(MOST)
)


def incidents(conn: Connection, game_id: str) -> list[StoredEvent]:
    """Public events with an incident beside or within their text, oldest first; of the very many the newest."""
    return [event_of(row) for row in reversed(_INCIDENTS.all(conn, game_id=game_id))]
