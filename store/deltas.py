"""What has changed in a liveblog since a version: the events with a later one, whatever their status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from mapping.documents.scalars import LocalStatus
from store.event_rows import event_of, in_chunks
from store.tables import events, games

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement

    from store.records import StoredEvent


def changed(
    conn: Connection,
    game_id: str,
    *,
    since: int,
    after: str | None = None,
    limit: int | None = None,
    descending: bool = True,
) -> list[StoredEvent]:
    """Events that were touched after the version `since`, in the order of `sort`; since 0, the public ones alone.

    `after`: the `sort` of the last event of the previous page.
    """
    query = _changed(game_id, since)
    if after is not None:
        query = query.where(events.c.sort < after if descending else events.c.sort > after)
    query = query.order_by(events.c.sort.desc() if descending else events.c.sort).limit(limit)
    return [event_of(row) for row in conn.execute(query)]


def chunk(conn: Connection, game_id: str, *, since: int, limit: int) -> tuple[list[StoredEvent], bool]:
    """The events of the next versions after `since`, about `limit` of them and never half a version; whether more follow."""
    query = _changed(game_id, since).order_by(events.c.version, events.c.sort).limit(limit + 1)
    found = [event_of(row) for row in conn.execute(query)]
    if len(found) <= limit:
        return found, False
    last = found[-1].version
    whole = [event for event in found if event.version < last]
    if not whole:  # one version touched more than that, as an import does: it comes as a whole
        query = _changed(game_id, since).where(events.c.version == last).order_by(events.c.sort)
        whole = [event_of(row) for row in conn.execute(query)]
    return whole, True


def versions(conn: Connection, game_ids: Sequence[str]) -> dict[str, int]:
    """The current version of each of these liveblogs."""
    query = select(games.c.id, games.c.version)
    found = (conn.execute(query.where(games.c.id.in_(ids))) for ids in in_chunks(game_ids))
    return {row.id: row.version for rows in found for row in rows}


class Coverage(NamedTuple):
    """When the first and the last public event of a liveblog were created and one was changed last, in Unix seconds.

    All None where no event is public.
    """

    first: int | None
    last: int | None
    changed: int | None


def count(conn: Connection, game_id: str) -> int:
    """How many events of the liveblog are public."""
    return conn.scalar(select(func.count()).select_from(events).where(*_public(game_id))) or 0


def coverage(conn: Connection, game_id: str) -> Coverage:
    """What the public events say of the time that the liveblog covers."""
    created, updated = events.c.created_at, events.c.updated_at
    query = select(func.min(created), func.max(created), func.max(updated)).where(*_public(game_id))
    return Coverage(*conn.execute(query).one())


def _public(game_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        events.c.game_id == game_id,
        events.c.local_status == LocalStatus.PUBLISHED,
        events.c.publish_at.is_(None),
    )


def _changed(game_id: str, since: int) -> Select[Any]:
    query = select(events).where(events.c.game_id == game_id, events.c.version > since)
    if since == 0:
        query = query.where(events.c.local_status == LocalStatus.PUBLISHED, events.c.publish_at.is_(None))
    return query
