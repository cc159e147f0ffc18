"""The only door for changes of liveblogs, and the reads that go with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, insert, or_, select, update

from mapping.errors import Conflict, NotFound
from store.eventrows import columns_of, event_of, events_named, write_events
from store.records import (
    DELETED,
    GAME_COLUMNS,
    PUBLISHED,
    Change,
    EventWrite,
    NewGame,
    StoredEvent,
    StoredGame,
    teams_of,
    title_of,
    without,
)
from store.search import index_game
from store.tables import events as events_table
from store.tables import games, outbox, teams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from store.unit import Unit

__all__ = [
    "DELETED",
    "Change",
    "EventWrite",
    "NewGame",
    "StoredEvent",
    "StoredGame",
    "event",
    "events",
    "events_named",
    "find_game",
    "insert_game",
    "list_games",
    "lock_game",
    "record",
    "require_game",
    "schedule",
]


_NAMED = select(games).where(or_(games.c.id == bindparam("name"), games.c.local_id == bindparam("name")))
_LOCKED = _NAMED.with_for_update()
_CHANGE = update(games).where(games.c.id == bindparam("key"))
_TELL = insert(outbox)


def insert_game(unit: Unit, game: NewGame) -> StoredGame:
    """Create the liveblog with its events at version 1, with one outbox row.

    Raises Conflict when the `local_id` of the game or of one of its events is taken.
    """
    if unit.conn.scalar(select(games.c.id).where(games.c.local_id == game.local_id)) is not None:
        raise Conflict("a liveblog with this local_id exists", field="external_id" if game.external_id else "local_id")
    document = without(game.document, GAME_COLUMNS)
    stored = StoredGame(
        id=game.id,
        local_id=game.local_id,
        organization_id=game.organization_id,
        external_id=game.external_id,
        version=1,
        local_status=PUBLISHED,
        sportstype=game.sportstype,
        template_id=game.template_id,
        created_at=unit.now,
        updated_at=unit.now,
        serial=0,
        document=document,
        **_derived(unit.conn, document),
    )
    unit.conn.execute(insert(games).values(columns_of(stored)))
    _index(unit, stored, document, stored.title)
    serial = write_events(unit, stored, game.events)
    if serial:
        unit.conn.execute(update(games).where(games.c.id == game.id).values(serial=serial))
    _notify(unit, stored)
    return require_game(unit.conn, game.id)


def record(unit: Unit, game_id: str, change: Change, *, locked: StoredGame | None = None) -> int:
    """Write `change`, step the version once, leave one outbox row; returns the new version.

    Touched events carry the new version, and so do those of their media that changed. An event keeps the serial of its
    creation. Raises NotFound when the game, or an event that would be replaced, is unknown or deleted, and Conflict
    when an event's `local_id` belongs to another game. `locked`: the game as `lock_game` gave it in this unit.
    """
    stored = _step(unit, game_id) if locked is None else _stepped(unit, locked)
    serial = write_events(unit, stored, change.events)
    values: dict[str, Any] = {"serial": serial, "version": stored.version, "updated_at": stored.updated_at}
    if change.game is not None:
        document = without(change.game, GAME_COLUMNS)
        values |= {"doc": document, **_derived(unit.conn, document)}
        _index(unit, stored, document, values["title"], before=stored.document)
    if change.local_status is not None:
        values["local_status"] = change.local_status
    if change.sportstype is not None:
        by_sport = stored.template_id == stored.sportstype
        values |= {"sportstype": change.sportstype} | ({"template_id": change.sportstype} if by_sport else {})
    unit.conn.execute(_CHANGE, {"key": game_id, **values})
    _notify(unit, stored)
    return stored.version


def schedule(unit: Unit, game_id: str, write: EventWrite) -> None:
    """Create or replace an event that waits for its time: no step, no outbox row, because no reader sees it yet.

    Raises as `record` does.
    """
    game = lock_game(unit, game_id)
    serial = write_events(unit, game, (write,))
    if serial != game.serial:
        unit.conn.execute(update(games).where(games.c.id == game_id).values(serial=serial))


def lock_game(unit: Unit, name: str) -> StoredGame:
    """Like `require_game`, and nobody else changes the liveblog or its events before the unit ends."""
    row = unit.conn.execute(_LOCKED, {"name": name}).first()
    if row is None or row.local_status == DELETED:
        raise NotFound("no such liveblog")
    return game_of(row)


def find_game(conn: Connection, name: str) -> StoredGame | None:
    """The liveblog whose `ticker_id` or `local_id` is `name`, deleted ones too."""
    row = conn.execute(_NAMED, {"name": name}).first()
    return None if row is None else game_of(row)


def require_game(conn: Connection, name: str) -> StoredGame:
    """Like `find_game`. Raises NotFound when there is none or it is deleted."""
    game = find_game(conn, name)
    if game is None or game.local_status == DELETED:
        raise NotFound("no such liveblog")
    return game


def list_games(
    conn: Connection, *, organization_id: str | None = None, limit: int = 30, page: int = 1
) -> list[StoredGame]:
    """Liveblogs that are not deleted, newest first. `page` counts from 1."""
    query = select(games).where(games.c.local_status != DELETED)
    if organization_id is not None:
        query = query.where(games.c.organization_id == organization_id)
    query = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit).offset((page - 1) * limit)
    return [game_of(row) for row in conn.execute(query)]


def event(conn: Connection, local_id: str) -> StoredEvent | None:
    """The event with this `local_id`, whatever its status."""
    return events_named(conn, [local_id]).get(local_id)


def events(
    conn: Connection,
    game_id: str,
    *,
    statuses: Sequence[int] | None = (PUBLISHED,),
    scheduled: bool = False,
    after: str | None = None,
    limit: int | None = None,
    descending: bool = True,
) -> list[StoredEvent]:
    """Events of a liveblog in the order of `sort`, newest first by default.

    `statuses` None takes all, `scheduled` those too that wait for their time. `after`: the `sort` of the last event of
    the previous page, which is not part of the answer.
    """
    column = events_table.c.sort
    conditions: list[ColumnElement[bool]] = [events_table.c.game_id == game_id]
    if statuses is not None:
        conditions.append(events_table.c.local_status.in_(statuses))
    if not scheduled:
        conditions.append(events_table.c.publish_at.is_(None))
    if after is not None:
        conditions.append(column < after if descending else column > after)
    query = select(events_table).where(*conditions).order_by(column.desc() if descending else column).limit(limit)
    return [event_of(row) for row in conn.execute(query)]


def _stepped(unit: Unit, game: StoredGame) -> StoredGame:
    """The game one version later, where its row is locked already."""
    return replace(game, version=game.version + 1, updated_at=unit.now)


def _step(unit: Unit, game_id: str) -> StoredGame:
    """The game one version later. The UPDATE comes first: it holds the row against every other writer."""
    query = (
        update(games)
        .where(games.c.id == game_id, games.c.local_status != DELETED)
        .values(version=games.c.version + 1, updated_at=unit.now)
        .returning(*games.c)
    )
    row = unit.conn.execute(query).first()
    if row is None:
        raise NotFound("no such liveblog")
    return game_of(row)


def _index(
    unit: Unit, game: StoredGame, document: Mapping[str, Any], title: str, before: Mapping[str, Any] | None = None
) -> None:
    index_game(unit.conn, game_id=game.id, owner_id=game.organization_id, title=title, document=document, before=before)


def _notify(unit: Unit, game: StoredGame) -> None:
    unit.touched[game.id] = game.version
    told = {
        "game_id": game.id,
        "local_id": game.local_id,
        "organization_id": game.organization_id,
        "version": game.version,
        "at": unit.now,
    }
    unit.conn.execute(_TELL, told)


def _derived(conn: Connection, document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that repeat what the document says."""
    bare = [str(team["_id"]) for team in teams_of(document) if team.get("_id") and not team.get("name")]
    query = select(teams.c.id, teams.c.name).where(teams.c.id.in_(bare))
    names = {row.id: row.name for row in conn.execute(query)} if bare else {}
    starts_at = (document.get("meta_info") or {}).get("starts_at")
    return {"title": title_of(document, names), "starts_at": starts_at}


def game_of(row: Row[Any]) -> StoredGame:
    values = row._asdict()
    return StoredGame(document=values.pop("doc"), **values)
