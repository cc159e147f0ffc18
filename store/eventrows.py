"""Events on their way into the table: placed in the order, stamped, created or replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from mapping.errors import Conflict, NotFound
from store import parts
from store.records import (
    DELETED,
    EVENT_COLUMNS,
    EventWrite,
    StoredEvent,
    StoredGame,
    sort_key,
    stamp_media,
    without,
)
from store.tables import events

if TYPE_CHECKING:
    from collections.abc import Sequence

    from store.unit import Unit

IN_CHUNK = 500
"""Values in one IN list, well below every database's limit of parameters."""


_ONE = select(events).where(events.c.local_id == bindparam("name"))
_INSERT = insert(events)
_REPLACE = update(events).where(events.c.local_id == bindparam("key"))


def write_events(unit: Unit, game: StoredGame, writes: Sequence[EventWrite]) -> int:
    """Create or replace the events at the game's version; returns the serial of the event created last."""
    wanted = {write.local_id: write for write in writes}
    known = events_named(unit.conn, list(wanted))
    serial = game.serial
    created, replaced, owned = [], [], []
    for write in wanted.values():
        before = known.get(write.local_id)
        owned += parts.index(unit.conn, write.local_id, before.document if before else {}, write.document)
        if before is None:
            serial += 1
            created.append(columns_of(_placed(unit, game, write, None, serial)))
        else:
            _check_replaceable(before, game)
            replaced.append(columns_of(_placed(unit, game, write, before, before.serial)))
    if created:
        unit.conn.execute(_INSERT, created)
    if replaced:
        unit.conn.execute(_REPLACE, [{"key": values.pop("local_id"), **values} for values in replaced])
    parts.insert(unit.conn, owned)
    return serial


def _placed(unit: Unit, game: StoredGame, write: EventWrite, before: StoredEvent | None, serial: int) -> StoredEvent:
    document = without(write.document, EVENT_COLUMNS)
    waits = write.publish_at is not None and write.publish_at > unit.now
    return StoredEvent(
        local_id=write.local_id,
        game_id=game.id,
        serial=serial,
        sort=sort_key(write.created_at, serial),
        local_status=write.local_status,
        created_at=write.created_at,
        updated_at=unit.now if write.updated_at is None else write.updated_at,
        publish_at=write.publish_at if waits else None,
        version=game.version,
        user_id=write.user_id,
        document=stamp_media(document, before.document if before else {}, game.version),
    )


def events_named(conn: Connection, ids: list[str]) -> dict[str, StoredEvent]:
    """The events with these `local_id`s, whatever their liveblog and status."""
    if len(ids) == 1:
        row = conn.execute(_ONE, {"name": ids[0]}).first()
        return {} if row is None else {ids[0]: event_of(row)}
    chunks = (ids[start : start + IN_CHUNK] for start in range(0, len(ids), IN_CHUNK))
    rows = (conn.execute(select(events).where(events.c.local_id.in_(chunk))) for chunk in chunks)
    return {row.local_id: event_of(row) for result in rows for row in result}


def _check_replaceable(before: StoredEvent, game: StoredGame) -> None:
    if before.game_id != game.id:
        raise Conflict("this local_id is taken", field="local_id")
    if before.local_status == DELETED:
        raise NotFound("no such event")


def columns_of(stored: StoredGame | StoredEvent) -> dict[str, Any]:
    """The record as values for its table."""
    values = {name: getattr(stored, name) for name in type(stored).__slots__}
    values["doc"] = values.pop("document")
    return values


def event_of(row: Row[Any]) -> StoredEvent:
    """The record in a row of the table."""
    values = row._asdict()
    return StoredEvent(document=values.pop("doc"), **values)
