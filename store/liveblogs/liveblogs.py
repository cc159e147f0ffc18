"""The only door for changes of liveblogs, and the reads that go with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, or_, select, update

from mapping.documents.scalars import LocalStatus
from mapping.documents.state import BEFORE
from mapping.errors import Conflict, NotFound
from mapping.match.references import named_in
from store.engine.liveblog_records import (
    GAME_COLUMNS,
    Change,
    EventWrite,
    NewGame,
    StoredEvent,
    StoredGame,
    teams_of,
    title_of,
    without,
)
from store.engine.statements import CompiledQuery, TableWrite, insert_rows, update_rows, write_batch
from store.engine.unit import Unit
from store.liveblogs import history
from store.liveblogs.event_rows import columns_of, event_of, events_named, link_records, place, read_events
from store.liveblogs.search import index_game
from store.media import file_uses, uploads
from store.media.file_uses import note_uses
from store.media.tables import media_probes
from store.public import post_is_public
from store.tables import events as events_table
from store.tables import games, outbox, teams

NO_LIVEBLOG = "there is no such liveblog"
"""What is said of one that does not exist, and of one that is not the caller's."""
GIVEN = ("id", "local_id", "organization_id", "external_id", "sportstype", "template_id")
"""Fields of a new liveblog that are stored as they are."""
_BY_NAME = select(games).where(or_(games.c.id == bindparam("name"), games.c.local_id == bindparam("name")))
_NAMED = CompiledQuery(_BY_NAME)
_LOCKED = CompiledQuery(_BY_NAME.with_for_update())
_EVENT_LOCKED = CompiledQuery(
    select(*events_table.c, *games.c)
    .join_from(games, events_table, games.c.id == events_table.c.game_id)
    .where(events_table.c.local_id == bindparam("local_id"))
    .with_for_update(of=[games, events_table])  # in this order, as every writer of events locks the game first
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written: the version of the liveblog, and the events by `local_id` as they are stored now."""

    version: int
    events: Mapping[str, StoredEvent]


def insert_game(unit: Unit, game: NewGame) -> StoredGame:
    """Create the liveblog with its events at version 1, with one outbox row.

    Raises Conflict when the `local_id` of the game or of one of its events is taken.
    """
    if unit.conn.scalar(select(games.c.id).where(games.c.local_id == game.local_id)) is not None:
        raise Conflict("a liveblog with this local_id exists", field="external_id" if game.external_id else "local_id")
    document = without(game.document, GAME_COLUMNS)
    stored = StoredGame(
        **{name: getattr(game, name) for name in GIVEN},
        version=1,
        local_status=LocalStatus.PUBLISHED,
        created_at=unit.now,
        updated_at=unit.now,
        serial=0,
        document=document,
        **_derived_columns(unit.conn, document),
    )
    prepared = place(unit, stored, game.events)
    values = columns_of(stored) | {"serial": prepared.serial}
    links = link_records(game.id, prepared.named | named_in([document]))
    write_batch(unit.conn, insert_rows(games, [values]), prepared.writes, links, _note(unit, stored))
    note_uses(unit, "game", stored.id, stored.organization_id, after=document)
    _index(unit, stored, document, stored.title)
    return require_game(unit.conn, game.id)


def rename(unit: Unit, game: StoredGame, local_id: str) -> None:
    """Give a deleted liveblog another `local_id`, so that its own is free."""
    write_batch(unit.conn, history.keep_document(game, until=max(game.updated_at, unit.now)))
    unit.conn.execute(update(games).where(games.c.id == game.id).values(local_id=local_id))
    _drop(unit, game)


def record(unit: Unit, game_id: str, change: Change, *, locked: StoredGame | None = None) -> int:
    """Write `change`, step the version once, leave one outbox row; returns the new version.

    Touched events carry the new version, and so do those of their media that change. An event keeps the serial of its
    creation. Raises NotFound when the game, or an event that would be replaced, is unknown or deleted, and Conflict
    when an event's `local_id` belongs to another game. `locked`: the game as `lock_game` gave it in this unit.
    """
    return write(unit, lock_game(unit, game_id) if locked is None else locked, change).version


def write(
    unit: Unit, locked: StoredGame, change: Change, *, known: Mapping[str, StoredEvent] | None = None
) -> Recorded:
    """Like `record`, returning what was written, so that it need not be read again.

    `known`: those of the change's events that exist, where they have been read since the game was locked.
    """
    stored = locked._replace(version=locked.version + 1, updated_at=max(locked.updated_at, unit.now))
    prepared = place(unit, stored, change.events, known)
    stored = stored._replace(serial=prepared.serial)
    named = prepared.named
    said: dict[str, Any] = {}
    if change.game is not None:
        document = without(change.game, GAME_COLUMNS)
        said |= {"document": document, **_derived_columns(unit.conn, document)}
        said["previous_starts_at"] = _previous_start(locked, document, said["starts_at"])
        named |= named_in([document]) - named_in([stored.document])
        _index(unit, stored, document, said["title"], before=stored.document)
    if change.local_status is not None:
        said["local_status"] = change.local_status
    if change.sportstype is not None:
        by_sport = stored.template_id == stored.sportstype
        said |= {"sportstype": change.sportstype} | ({"template_id": change.sportstype} if by_sport else {})
    after = stored._replace(**said)
    if said:
        _note_uses(unit, locked, after)
    links = link_records(stored.id, named)
    step = update_rows(games, [_step(locked, after, said)])
    write_batch(unit.conn, prepared.writes, history.keep_game(locked, after), step, links, _note(unit, after))
    if said:
        _drop(unit, stored)
    else:
        _keep(unit, stored)
    return Recorded(stored.version, prepared.events)


def rewrite(
    unit: Unit,
    locked: StoredGame,
    writes: Sequence[EventWrite],
    *,
    document: Mapping[str, Any] | None = None,
    known: Mapping[str, StoredEvent] | None = None,
) -> Recorded:
    """Write events that are there, and `document` where that of the liveblog changes, with at most one step.

    What waits for its time goes on waiting: it is written without a step. `locked`, `known` and errors as with `write`.
    """
    waiting = {
        each.local_id: schedule(unit, locked, each, known=known) for each in writes if each.publish_at is not None
    }
    others = tuple(each for each in writes if each.local_id not in waiting)
    if not others and document is None:
        return Recorded(locked.version, waiting)
    after = write(unit, locked, Change(game=document, events=others), known=known)
    return Recorded(after.version, {**waiting, **after.events})


def schedule(
    unit: Unit, locked: StoredGame, write: EventWrite, *, known: Mapping[str, StoredEvent] | None = None
) -> StoredEvent:
    """Create or replace an event that waits for its time: no step, no outbox row, because no reader sees it yet.

    `locked`, `known` and errors as with `write`.
    """
    prepared = place(unit, locked, (write,), known)
    counted = [{"id": locked.id, "serial": prepared.serial}] if prepared.serial != locked.serial else []
    write_batch(unit.conn, prepared.writes, update_rows(games, counted), link_records(locked.id, prepared.named))
    _keep(unit, locked._replace(serial=prepared.serial))
    return prepared.events[write.local_id]


def lock_game(unit: Unit, name: str, *, field: str | None = None) -> StoredGame:
    """Like `require_game`, and lock the liveblog: no other unit changes it or its events before this one ends."""
    locked = unit.locked.get(name)
    return _keep(unit, _present(_LOCKED.first(unit.conn, name=name), field)) if locked is None else locked


def lock_event(unit: Unit, local_id: str) -> tuple[StoredEvent, StoredGame]:
    """The event, whatever its status, with its liveblog, locked as by `lock_game`. Raises NotFound."""
    row = _EVENT_LOCKED.first(unit.conn, local_id=local_id)
    if row is None:
        raise NotFound("no such event")
    return event_of(row[: len(events_table.c)]), _keep(unit, _present(row[len(events_table.c) :]))


def find_game(conn: Connection, name: str) -> StoredGame | None:
    """The liveblog whose `ticker_id` or `local_id` is `name`, deleted ones too."""
    row = _NAMED.first(conn, name=name)
    current = None if row is None else game_of(row)
    moment = history.moment_of(conn)
    return current if moment is None or current is None else history.game_at(conn, current, moment)


def require_game(conn: Connection, name: str, *, field: str | None = None) -> StoredGame:
    """Like `find_game`. Raises NotFound, with the field that named it, when there is none or it is deleted."""
    game = find_game(conn, name)
    if game is None or game.local_status == LocalStatus.DELETED:
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def own_game(conn: Connection, name: str, organizations: Collection[str], *, field: str | None = None) -> StoredGame:
    """Like `require_game`, of these organizations; one of another raises what none does."""
    game = require_game(conn, name, field=field)
    if game.organization_id not in organizations:
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def list_games(
    conn: Connection, *, organization_id: str | None = None, limit: int = 30, page: int = 1
) -> list[StoredGame]:
    """Liveblogs that are not deleted, newest first. `page` counts from 1."""
    moment = history.moment_of(conn)
    kept = games.c.local_status != LocalStatus.DELETED
    if moment is not None:
        kept = and_(games.c.created_at < moment, or_(kept, games.c.updated_at >= moment))
    query = select(games).where(kept)
    if organization_id is not None:
        query = query.where(games.c.organization_id == organization_id)
    query = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit).offset((page - 1) * limit)
    found = [game_of(row) for row in conn.execute(query)]
    if moment is None:
        return found
    stood = (history.game_at(conn, game, moment) for game in found)
    return [game for game in stood if game is not None and game.local_status != LocalStatus.DELETED]


def event(conn: Connection, local_id: str) -> StoredEvent | None:
    """The event with this `local_id`, whatever its status."""
    current = events_named(conn, [local_id]).get(local_id)
    if current is None or history.moment_of(conn) is None:
        return current
    table = history.events_of(conn, current.game_id)
    return next(iter(read_events(conn, select(table).where(table.c.local_id == local_id))), None)


def has_post(conn: Connection, game_id: str, local_id: str) -> bool:
    """Whether readers of the liveblog may read the post."""
    found = event(conn, local_id)
    return found is not None and found.game_id == game_id and found.public


def events(
    conn: Connection,
    game_id: str,
    *,
    statuses: Sequence[int] | Literal["public"] | None = "public",
    after: str | None = None,
    limit: int | None = None,
    descending: bool = True,
) -> list[StoredEvent]:
    """Events of a liveblog in the order of `sort`, newest first by default.

    `statuses`: the public ones alone, or those of these statuses, None for all; then those too that wait for their time.
    `after`: the `sort` of the last event of the previous page, which is not part of the answer.
    """
    table = history.events_of(conn, game_id)
    column = table.c.sort
    conditions: list[ColumnElement[bool]] = [table.c.game_id == game_id]
    if statuses == "public":
        conditions.append(post_is_public(table))
    elif statuses is not None:
        conditions.append(table.c.local_status.in_(statuses))
    if after is not None:
        conditions.append(column < after if descending else column > after)
    query = select(table).where(*conditions).order_by(column.desc() if descending else column).limit(limit)
    return read_events(conn, query)


def _keep(unit: Unit, game: StoredGame) -> StoredGame:
    """Keep the locked liveblog, so that the next lock in the same transaction need not read it again."""
    unit.locked[game.id] = unit.locked[game.local_id] = game
    return game


def _drop(unit: Unit, game: StoredGame) -> None:
    for name in (game.id, game.local_id):
        unit.locked.pop(name, None)


def _note_uses(unit: Unit, before: StoredGame, after: StoredGame) -> None:
    """Note the uploads that the liveblog names; once it is deleted, neither it nor its posts name files any more."""
    deleted = after.local_status == LocalStatus.DELETED
    now = None if deleted else after.document
    note_uses(unit, "game", after.id, after.organization_id, after=now, before=before.document)
    if deleted:
        uploads.release_posts(unit, after.id)
        file_uses.release_posts(unit, after.id)
        unit.conn.execute(delete(media_probes).where(media_probes.c.game_id == after.id))


def _step(before: StoredGame, after: StoredGame, said: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that the step writes: its version, and those that are other than before or given."""
    counted = {"serial": after.serial} if after.serial != before.serial else {}
    columns = {"doc" if name == "document" else name: value for name, value in said.items()}
    return {"id": after.id, "version": after.version, "updated_at": after.updated_at, **counted, **columns}


def _present(row: Sequence[Any] | None, field: str | None = None) -> StoredGame:
    game = None if row is None else game_of(row)
    if game is None or game.local_status == LocalStatus.DELETED:
        raise NotFound(NO_LIVEBLOG, field=field)
    return game


def _index(
    unit: Unit, game: StoredGame, document: Mapping[str, Any], title: str, before: Mapping[str, Any] | None = None
) -> None:
    index_game(unit.conn, game_id=game.id, owner_id=game.organization_id, title=title, document=document, before=before)


def _note(unit: Unit, game: StoredGame) -> list[TableWrite]:
    """The outbox row of the game's version; listeners for steps are notified after the commit."""
    unit.touched[game.id] = game.version
    note = {
        "game_id": game.id,
        "local_id": game.local_id,
        "organization_id": game.organization_id,
        "version": game.version,
        "at": unit.now,
    }
    return insert_rows(outbox, [note])


def _derived_columns(conn: Connection, document: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that repeat what the document says."""
    bare = [str(team["_id"]) for team in teams_of(document) if team.get("_id") and not team.get("name")]
    query = select(teams.c.id, teams.c.name).where(teams.c.id.in_(bare))
    names = {row.id: row.name for row in conn.execute(query)} if bare else {}
    starts_at = (document.get("meta_info") or {}).get("starts_at")
    return {"title": title_of(document, names), "starts_at": starts_at}


def _previous_start(before: StoredGame, document: Mapping[str, Any], starts_at: int | None) -> int | None:
    """The planned start that readers knew first, None where it is that of now.

    What is changed once the match has begun is a correction, and what was never public is no announcement.
    """
    previous = before.previous_starts_at
    if starts_at == before.starts_at or not before.public:
        return previous
    if (document.get("state_info") or {}).get("gamestate") not in {None, BEFORE}:
        return previous
    known = before.starts_at if previous is None else previous
    return None if known == starts_at else known


def game_of(row: Sequence[Any]) -> StoredGame:
    """The record in a row of the whole table."""
    return StoredGame(*row)
