"""Reads of some events of a liveblog without all the others: what has changed, counts, goals, pinned posts.

Those with a later version than one, whatever their status; the first and the last public one; and those that say what happened
or are pinned, which no page of a feed bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy import text as sql

from mapping.documents.event import HIGHLIGHTED
from mapping.documents.scalars import LocalStatus
from store.engine.liveblog_records import StoredEvent
from store.engine.statements import CompiledQuery
from store.liveblogs import history
from store.liveblogs.event_rows import EventQuery, event_of, in_chunks, read_events
from store.public import post_is_public
from store.tables import WRITTEN_AS_PINNED, WRITTEN_AS_SAYING, events, games

AT_ONCE = 20
"""Events that are looked at together for when one was changed last."""
GAME_ID: BindParameter[str] = bindparam("game_id")


MOST = 500
"""The newest ones, of a liveblog that has more."""
SAYING = ('"event_type"', '"highlight":"milestone"')
"""What the JSON text of such an event holds: an incident, or that it is a milestone."""


def _public(table: FromClause, game_id: str | BindParameter[str] = GAME_ID) -> tuple[ColumnElement[bool], ...]:
    return table.c.game_id == game_id, post_is_public(table)


def _count(*where: ColumnElement[bool]) -> ColumnElement[Any]:
    return select(func.count()).select_from(events).where(*where).label(None)


# By two indexes alone: of the posts of the liveblog that are published, and of all posts that wait for their time.
_COUNTED = CompiledQuery(
    select(
        _count(events.c.game_id == GAME_ID, events.c.local_status == LocalStatus.PUBLISHED),
        _count(
            events.c.publish_at.is_not(None),
            events.c.local_status == literal_column("0"),
            events.c.game_id.concat(literal_column("''")) == GAME_ID,
        ),
    )
)
_NEXT = EventQuery(
    lambda table: (
        select(table)
        .where(table.c.game_id == GAME_ID, table.c.version > bindparam("since"))
        .order_by(table.c.version, table.c.sort)
        .limit(bindparam("limit"))
    )
)
_ALL = EventQuery(
    lambda table: select(table).where(*_public(table)).order_by(table.c.version, table.c.sort).limit(bindparam("limit"))
)
"""Of all versions: nothing that an index should be chosen for."""
_FIRST = EventQuery(lambda table: select(table).where(*_public(table)).order_by(table.c.sort).limit(1))
_LAST = EventQuery(lambda table: select(table).where(*_public(table)).order_by(table.c.sort.desc()).limit(1))


def changed_events(
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
    table = history.events_of(conn, game_id)
    query = _select_changed(table, game_id, since)
    if after is not None:
        query = query.where(table.c.sort < after if descending else table.c.sort > after)
    query = query.order_by(table.c.sort.desc() if descending else table.c.sort).limit(limit)
    return read_events(conn, query)


def chunk(conn: Connection, game_id: str, *, since: int, limit: int) -> tuple[list[StoredEvent], bool]:
    """The events of the next versions after `since`, about `limit` of them and never half a version; whether more follow."""
    given = {"since": since} if since else {}
    found = (_NEXT if since else _ALL).all(conn, game_id, limit=limit + 1, **given)
    if len(found) <= limit:
        return found, False
    last = found[-1].version
    whole = [event for event in found if event.version < last]
    if not whole:  # one version touched more than that, as an import does: it comes as a whole
        table = history.events_of(conn, game_id)
        query = _select_changed(table, game_id, since).where(table.c.version == last).order_by(table.c.sort)
        whole = read_events(conn, query)
    return whole, True


def versions(conn: Connection, game_ids: Sequence[str]) -> dict[str, int]:
    """The current version of each of these liveblogs."""
    moment = history.moment_of(conn)
    if moment is not None:
        chunks = (history.versions_at(conn, ids, moment) for ids in in_chunks(game_ids))
        return {name: version for found in chunks for name, version in found.items()}
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
    """How many events of the liveblog are public; of the present, no event itself is looked at."""
    if history.moment_of(conn) is not None:
        table = history.events_of(conn, game_id)
        return conn.scalar(select(func.count()).select_from(table).where(*_public(table, game_id))) or 0
    ((published, waiting),) = _COUNTED.all(conn, game_id=game_id)
    return int(published - waiting)


def first_and_last(conn: Connection, game_id: str) -> list[StoredEvent]:
    """The oldest and the newest public event; none where none is public."""
    return [*_FIRST.all(conn, game_id), *_LAST.all(conn, game_id)]


def coverage(conn: Connection, game_id: str) -> Coverage:
    """What the public events say of the time that the liveblog covers. Their order is that of their creation."""
    ends = first_and_last(conn, game_id)
    first, last = (ends[0].created_at, ends[-1].created_at) if ends else (None, None)
    return Coverage(first, last, _changed_last(conn, history.events_of(conn, game_id), game_id))


def _changed_last(conn: Connection, table: FromClause, game_id: str) -> int | None:
    """When a public event was changed last: none that was written before that can be later.

    Only where the newest versions do not say so, all events are looked at. A time of the future counts as it is found.
    """
    # Whether one is public is not looked at here: by the index of that all posts would be read and sorted.
    query = select(table).where(table.c.game_id == game_id).order_by(table.c.version.desc())
    latest: int | None = None
    rows = conn.execute(query.limit(AT_ONCE)).all()
    for event in map(event_of, rows):
        if latest is not None and event.written_at <= latest:
            return latest
        if event.public:
            latest = max(latest or 0, event.updated_at)
    if len(rows) < AT_ONCE:
        return latest
    newest: int | None = conn.scalar(select(func.max(table.c.updated_at)).where(*_public(table, game_id)))
    return newest


def _select_changed(table: FromClause, game_id: str, since: int) -> Select[Any]:
    if since == 0:  # of all versions: nothing that an index should be chosen for
        return select(table).where(*_public(table, game_id))
    return select(table).where(table.c.game_id == game_id, table.c.version > since)


def incidents(conn: Connection, game_id: str) -> list[StoredEvent]:
    """Public events with an incident beside or within their text, and milestones, oldest first; of the very many the newest."""
    table = history.events_of(conn, game_id)
    query = _saying(table, game_id).where(_has_a_part(table, *SAYING)).order_by(table.c.sort.desc()).limit(MOST)
    return read_events(conn, query)[::-1]


def is_highlighted(conn: Connection, game_id: str) -> bool:
    """Whether a public event is marked as a highlight."""
    table = history.events_of(conn, game_id)
    written = [f'"highlight":"{each}"' for each in sorted(HIGHLIGHTED)]
    return conn.execute(_saying(table, game_id).where(_has_a_part(table, *written)).limit(1)).first() is not None


def events_to_summarise(conn: Connection, game_id: str) -> list[StoredEvent]:
    """The public events that name a milestone, an incident or a file; of others a summary counts how many there are."""
    return _SUMMARISED.all(conn, game_id)


def _saying(table: FromClause, game_id: str | BindParameter[str]) -> Select[Any]:
    return select(table).where(table.c.game_id == game_id, post_is_public(table), sql(WRITTEN_AS_SAYING))


def _has_a_part(table: FromClause, *parts: str) -> ColumnElement[bool]:
    """The condition that an event's JSON text has one of the parts."""
    return or_(*(cast(table.c.doc, Text).like(f"%{each}%") for each in parts))


_SUMMARISED = EventQuery(lambda table: _saying(table, bindparam("game_id")).order_by(table.c.sort))


def pinned_events(conn: Connection, game_id: str, limit: int) -> list[StoredEvent]:
    """The pinned public events, newest first, `limit` at most; however many posts there are, no others are looked at."""
    table = history.events_of(conn, game_id)
    query = select(table).where(table.c.game_id == game_id, post_is_public(table), sql(WRITTEN_AS_PINNED))
    return read_events(conn, query.order_by(table.c.sort.desc()).limit(limit))
