"""Publishes events that wait for their time."""

from __future__ import annotations

from sqlalchemy import Connection, and_, bindparam, literal_column, select

from mapping.documents.scalars import LocalStatus
from mapping.errors import NotFound
from store.engine.liveblog_records import Change, check_document
from store.engine.statements import CompiledQuery
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import event_of
from store.tables import events, games

_SCHEDULED = and_(
    events.c.publish_at.is_not(None), events.c.local_status == literal_column(str(int(LocalStatus.PUBLISHED)))
)
"""The words of the index of scheduled posts."""
_DUE = CompiledQuery(
    select(events.c.game_id)
    .join(games, games.c.id == events.c.game_id)
    .where(_SCHEDULED, events.c.publish_at <= bindparam("now"), games.c.local_status != LocalStatus.DELETED)
    .order_by(events.c.publish_at)
)
"""Each as often as it has such events: SQLite would go through all events to find each once."""


def due(conn: Connection, now: float) -> list[str]:
    """`ticker_id`s of the liveblogs that have an event whose time has come, each once."""
    return list(dict.fromkeys(game_id for (game_id,) in _DUE.all(conn, now=int(now))))


AT_ONCE = 200
"""Events of a liveblog that one unit publishes; more follow in the next one."""


def publish(unit: Unit, game_id: str) -> int | None:
    """Publish what is due in the liveblog as one version step, each event at its own time; None where nothing is.

    Several processes may try: the second one finds nothing to do. Of very many events the oldest `AT_ONCE`. Raises
    UnreadableRow.
    """
    try:
        game = liveblogs.lock_game(unit, game_id)
    except NotFound:
        return None
    query = (
        select(events)
        .where(_SCHEDULED, events.c.game_id == game.id, events.c.publish_at <= unit.now)
        .order_by(events.c.publish_at, events.c.serial)
        .limit(AT_ONCE)
    )
    writes = []
    for event in map(event_of, unit.conn.execute(query)):
        check_document(event)
        writes.append(event.rewritten(created_at=event.publish_at, publish_at=None))
    return liveblogs.record(unit, game.id, Change(events=tuple(writes))) if writes else None
