"""Prepares events for their table: their place in the order, their stamps, created or replaced.

The ids of blocks, files and incidents (the parts of an event) belong to one event each, across all organizations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, FromClause, Select, bindparam, delete, select

from mapping.documents.scalars import LocalStatus
from mapping.errors import Conflict, NotFound
from mapping.match.references import RecordName, named_in, part_ids
from store.engine.liveblog_records import (
    EVENT_COLUMNS,
    EventWrite,
    StoredEvent,
    StoredGame,
    sort_key,
    stamp_media,
    without,
)
from store.engine.statements import CompiledQuery, Row, TableWrite, insert_ignore, insert_rows, update_rows, upsert
from store.engine.unit import Unit
from store.liveblogs.history import events_of, keep_events, moment_of, without_lost_files
from store.media.file_uses import note_uses
from store.media.tables import media_probes
from store.tables import block_ids, events, game_records

T = TypeVar("T")

IN_CHUNK = 500
"""Values in one IN list, well below every database's limit of parameters."""


_ONE = CompiledQuery(select(events).where(events.c.local_id == bindparam("name")))
STEPPED = frozenset({"version", "updated_at", "doc", "written_at"})
"""Columns that every change of an event writes; the others, some of them indexed, only where they change."""
FACTS = {"i": ("width", "height"), "v": ("width", "height", "duration_ms")}
"""What a post has to say of a file of each subtype, else it is probed."""


class EventQuery:
    """Events of a liveblog, of the present or of the moment that the connection reads; compiled once for the present.

    `select_from` makes the statement on a table of events; its parameters are `game_id` and those that `all` is given.
    """

    def __init__(self, select_from: Callable[[FromClause], Select[Any]]) -> None:
        self._select_from = select_from
        self._present = CompiledQuery(select_from(events))

    def all(self, conn: Connection, game_id: str, **given: Any) -> list[StoredEvent]:
        """The events for these parameters."""
        if moment_of(conn) is None:
            return [event_of(row) for row in self._present.all(conn, game_id=game_id, **given)]
        return read_events(conn, self._select_from(events_of(conn, game_id)), game_id=game_id, **given)


def read_events(conn: Connection, query: Select[Any], **given: Any) -> list[StoredEvent]:
    """The events that a query on `events_of` finds."""
    return without_lost_files(conn, [event_of(row) for row in conn.execute(query, given)])


class PreparedEvents(NamedTuple):
    """Events as they shall be: the serial of the one created last, the records by `local_id`, what is to be sent.

    `named`: master data that they name and did not before.
    """

    serial: int
    events: dict[str, StoredEvent]
    writes: list[TableWrite]
    named: set[RecordName]


def place(
    unit: Unit, game: StoredGame, writes: Sequence[EventWrite], known: Mapping[str, StoredEvent] | None = None
) -> PreparedEvents:
    """Place the events at the game's version; nothing of them is written before `writes` are sent.

    `known`: those that exist already, where the caller has read them since the game is locked.
    """
    wanted = {write.local_id: write for write in writes}
    if known is None:
        known = events_named(unit.conn, list(wanted))
    serial = game.serial
    stored: dict[str, StoredEvent] = {}
    created, replaced, overwritten, owned, probes = [], [], [], [], []
    at = max(game.updated_at, unit.now)
    named: set[RecordName] = set()
    for name, write in wanted.items():
        before = known.get(name)
        owned += _index_parts(unit.conn, name, before.document if before else {}, write.document)
        named |= named_in([dict(write.document)]) - (named_in([before.document]) if before else set())
        if before is None:
            serial += 1
            stored[name] = _place_event(unit, game, write, None, serial)
            created.append(columns_of(stored[name]))
        else:
            if before.game_id != game.id:
                raise Conflict("this local_id is taken", field="local_id")
            if before.local_status == LocalStatus.DELETED:
                raise NotFound("no such event")
            stored[name] = _place_event(unit, game, write, before, before.serial)
            replaced.append(_changes(before, stored[name]))
            overwritten.append(before)
        _note_uses(unit, game, stored[name], before)
        if before is not None:
            forget_gone(unit.conn, stored[name], before.document)
        probes += unprobed_files(stored[name], before.document if before else {}, game.organization_id, unit.now)
    replaced.sort(key=tuple)  # rows that change the same columns together
    return PreparedEvents(
        serial,
        stored,
        [
            *keep_events(overwritten, until=at),
            *insert_rows(events, created),
            *update_rows(events, replaced),
            *insert_ignore(block_ids, owned),
            *upsert(media_probes, probes),
        ],
        named,
    )


def _note_uses(unit: Unit, game: StoredGame, event: StoredEvent, before: StoredEvent | None) -> None:
    now, then = (
        each.document if each is not None and each.local_status != LocalStatus.DELETED else None
        for each in (event, before)
    )
    note_uses(unit, "event", event.local_id, game.organization_id, after=now, before=then)


def link_records(game_id: str, named: Iterable[RecordName]) -> list[TableWrite]:
    """Note that the liveblog names these records. A link stays when the name goes: it says where to look, no more."""
    rows = [{"game_id": game_id, "kind": kind, "record_id": record_id} for kind, record_id in sorted(named)]
    return insert_ignore(game_records, rows)


def _place_event(
    unit: Unit, game: StoredGame, write: EventWrite, before: StoredEvent | None, serial: int
) -> StoredEvent:
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
        written_at=max(game.updated_at, unit.now),
    )


def in_chunks(ids: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in parts of at most `IN_CHUNK`, each for an IN list of its own."""
    return (ids[start : start + IN_CHUNK] for start in range(0, len(ids), IN_CHUNK))


def events_named(conn: Connection, ids: list[str]) -> dict[str, StoredEvent]:
    """The events with these `local_id`s, whatever their liveblog and status."""
    if len(ids) == 1:
        row = _ONE.first(conn, name=ids[0])
        return {} if row is None else {ids[0]: event_of(row)}
    rows = (conn.execute(select(events).where(events.c.local_id.in_(chunk))) for chunk in in_chunks(ids))
    return {row.local_id: event_of(row) for result in rows for row in result}


def _changes(before: StoredEvent, after: StoredEvent) -> dict[str, Any]:
    """The columns of `after` that differ, and those that every change writes."""
    was, values = columns_of(before), columns_of(after)
    differing = {name for name, value in values.items() if name in STEPPED or value != was[name]}
    return {name: value for name, value in values.items() if name == "local_id" or name in differing}


def owners_of_parts(conn: Connection, local_ids: Iterable[str]) -> dict[str, str]:
    """The `local_id` of the event that each of these parts belongs to; ids of no event are left out."""
    chunks = in_chunks(list(local_ids))
    found = (conn.execute(select(block_ids).where(block_ids.c.local_id.in_(chunk))) for chunk in chunks)
    return {row.local_id: row.event_id for rows in found for row in rows}


def _index_parts(
    conn: Connection, event_id: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Free the ids of parts that the event has lost; returns the rows of the new ones. An id that is taken stays its owner's."""
    old, new = ({name for _, name in part_ids(document)} for document in (before, after))
    if gone := old - new:
        conn.execute(delete(block_ids).where(block_ids.c.event_id == event_id, block_ids.c.local_id.in_(gone)))
    return [{"local_id": name, "event_id": event_id} for name in sorted(new - old)]


def columns_of(stored: StoredGame | StoredEvent) -> dict[str, Any]:
    """The record as values for its table."""
    values = stored._asdict()
    values["doc"] = values.pop("document")
    return values


def event_of(row: Sequence[Any]) -> StoredEvent:
    """The record in a row of the whole table."""
    return StoredEvent(*row)


def unprobed_files(event: StoredEvent, before: Mapping[str, Any], organization_id: str, now: float) -> list[Row]:
    """Rows for the files of a post that are new in it, or have a new address, and whose facts it does not say."""
    media = event.document.get("media")
    if not media:
        return []
    known = {(file.get("local_id"), file.get("url")) for file in before.get("media") or ()}
    return [
        {
            "media_id": file["local_id"],
            "event_id": event.local_id,
            "game_id": event.game_id,
            "organization_id": organization_id,
            "url": file["url"],
            "tries": 0,
            "next_at": now,
            "error": None,
        }
        for file in media
        if (file.get("local_id"), file.get("url")) not in known and _is_unknown(file)
    ]


def forget_gone(conn: Connection, event: StoredEvent, before: Mapping[str, Any]) -> None:
    """Forget the probes of files that a post has lost, given-up ones too; of a deleted post, of all its files."""
    kept = [] if event.local_status == LocalStatus.DELETED else event.document.get("media") or ()
    named = {
        (file.get("local_id"), file.get("url")) for file in kept if file.get("local_status") != LocalStatus.DELETED
    }
    gone = {
        str(file.get("local_id"))
        for file in before.get("media") or ()
        if (file.get("local_id"), file.get("url")) not in named
    }
    if gone:
        of_post = media_probes.c.event_id == event.local_id
        conn.execute(delete(media_probes).where(of_post, media_probes.c.media_id.in_(gone)))


def _is_unknown(file: Mapping[str, Any]) -> bool:
    needed = FACTS.get(str(file.get("subtype")), FACTS["i"])
    return (
        str(file.get("url")).lower().startswith(("http://", "https://"))
        and file.get("local_status") != LocalStatus.DELETED
        and any(not file.get(name) for name in needed)
    )
