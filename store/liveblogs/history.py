"""Keeps liveblogs and master data as they were before each change, and reads them as of a moment.

A moment is a whole second, of which and after which nothing is seen. `Store.read` with `at` reads so; what reads liveblogs,
deltas and master data then finds what stood, so that nobody who renders need know of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    exists,
    or_,
    select,
    tuple_,
    union_all,
)

from mapping.posts.event_media import lost_files, without_files
from mapping.posts.reconcile import State
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.engine.statements import Among, CompiledQuery, TableWrite, insert_ignore, write_batch
from store.engine.unit import Unit
from store.liveblogs.history_tables import event_history, game_documents, game_versions, master_history, poll_history
from store.public import liveblog_is_public, post_is_public
from store.tables import events, games, ledger

T = TypeVar("T")

MOMENT = "matchwire_moment"
"""Execution option of a connection that reads a moment."""
ALL = 2**31
"""More posts than a liveblog has: it was taken down itself."""
PURGED = 500
"""Rows of a table that one unit forgets."""
KEPT = (game_versions, game_documents, event_history, master_history, poll_history)
SAID = ("local_id", "local_status", "sportstype", "template_id", "title", "starts_at", "previous_starts_at")
"""Columns of a liveblog that are kept with its document."""
_STOOD = tuple(event_history.c[column.name] for column in events.c)

_VERSION = CompiledQuery(
    select(game_versions.c.version, game_versions.c.updated_at).where(
        game_versions.c.game_id == bindparam("game_id"),
        game_versions.c.updated_at < bindparam("moment"),
        game_versions.c.until >= bindparam("moment"),
    )
)
_DOCUMENT = CompiledQuery(
    select(*(game_documents.c[name] for name in SAID), game_documents.c.doc)
    .where(game_documents.c.game_id == bindparam("game_id"), game_documents.c.until >= bindparam("moment"))
    .order_by(game_documents.c.until)
    .limit(1)
)


def read_at(conn: Connection, moment: int | None, query: Callable[[Connection], T]) -> T:
    """The result of `query` on what stood at the moment (Unix seconds), or on the present."""
    conn.execution_options(**{MOMENT: moment})
    try:
        return query(conn)
    finally:
        conn.execution_options(**{MOMENT: None})  # the connection is used again


def moment_of(conn: Connection) -> int | None:
    """The moment that the connection reads, None for the present."""
    moment: int | None = conn.get_execution_options().get(MOMENT)
    return moment


# What is overwritten


def keep_game(before: StoredGame, after: StoredGame) -> list[TableWrite]:
    """The rows that a step of the version leaves of the liveblog."""
    kept = []
    if before.updated_at < after.updated_at:
        step = {"game_id": before.id, "until": after.updated_at}
        kept += insert_ignore(game_versions, [{**step, "version": before.version, "updated_at": before.updated_at}])
    if kept_values(before) != kept_values(after):
        kept += keep_document(before, until=after.updated_at)
    return kept


def keep_document(game: StoredGame, *, until: int) -> list[TableWrite]:
    """What the liveblog says is about to be overwritten."""
    row = {"game_id": game.id, "until": until, **{name: getattr(game, name) for name in SAID}, "doc": game.document}
    return insert_ignore(game_documents, [row])


def keep_events(overwritten: Iterable[StoredEvent], *, until: int) -> list[TableWrite]:
    """The events are about to be overwritten."""
    rows = [
        {
            "until": until,
            **{name: value for name, value in event._asdict().items() if name != "document"},
            "doc": event.document,
        }
        for event in overwritten
        if event.written_at < until
    ]
    return insert_ignore(event_history, rows)


def keep_masters(unit: Unit, table: Table, ids: Sequence[str]) -> None:
    """The records of master data are about to be overwritten in this unit."""
    rows = unit.conn.execute(select(table).where(table.c.id.in_(ids))).mappings()
    kept = [{"kind": table.name, "record_id": row["id"], "until": unit.now, "doc": dict(row)} for row in rows]
    write_batch(unit.conn, insert_ignore(master_history, kept))


def kept_values(game: StoredGame) -> tuple[Any, ...]:
    """What is kept of a liveblog beside its version."""
    return *(getattr(game, name) for name in SAID), game.document


# What stood


def game_at(conn: Connection, current: StoredGame, moment: int) -> StoredGame | None:
    """The liveblog that is `current` now, as it stood; None where it did not.

    One that a person has taken down since is as it is now. One that has lost posts since counts as changed then: its
    `updated_at` is not before the moment, as it is else.
    """
    if not current.public:
        return current
    game = _stood(conn, current, moment)
    return game and game._replace(updated_at=max(game.updated_at, _lost_posts(conn, current.id, moment)[0]))


def _stood(conn: Connection, current: StoredGame, moment: int) -> StoredGame | None:
    game = current
    if current.updated_at >= moment:
        step = _VERSION.first(conn, game_id=current.id, moment=moment)
        if step is None:
            return None
        game = current._replace(version=step[0], updated_at=step[1])
    document = _DOCUMENT.first(conn, game_id=current.id, moment=moment)
    if document is None:
        return game
    return game._replace(**dict(zip((*SAID, "document"), document, strict=True)))


def events_of(conn: Connection, game_id: str) -> FromClause:
    """What to select the liveblog's events from: the table, or the rows that stood at the connection's moment."""
    moment = moment_of(conn)
    if moment is None:
        return events
    standing = select(events).where(events.c.game_id == game_id, events.c.written_at < moment)
    stood = select(*_STOOD).where(
        event_history.c.game_id == game_id,
        event_history.c.written_at < moment,
        event_history.c.until >= moment,
        ~_taken_down(),
    )
    return union_all(standing, stood).subquery("events")


def _taken_down() -> ColumnElement[bool]:
    """Whether a person has taken down since what stood, or our own settings did: it is gone at once, whatever the delay.

    What the provider has taken back follows the delay, as the score does that it belongs to.
    """
    now = events.alias("now")
    return exists().where(now.c.local_id == event_history.c.local_id, _hidden_by_person(now))


def _hidden_by_person(now: FromClause) -> ColumnElement[bool]:
    by_provider = exists().where(
        ledger.c.game_id == now.c.game_id, ledger.c.local_id == now.c.local_id, ledger.c.state == State.WITHDRAWN
    )
    return and_(~post_is_public(now), ~by_provider)


_HAD_FILES = cast(event_history.c.doc, Text).like('%"subtype"%')
_PUBLIC_SINCE = CompiledQuery(
    select(event_history.c.until, event_history.c.doc, events.c.doc, post_is_public().label("public"))
    .join(events, events.c.local_id == event_history.c.local_id)
    .where(
        event_history.c.game_id == bindparam("game_id"),
        event_history.c.written_at < bindparam("moment"),
        event_history.c.until >= bindparam("moment"),
        post_is_public(event_history),
        or_(_hidden_by_person(events), and_(post_is_public(), _HAD_FILES)),
    )
)
"""Posts of which a person may have taken something down since they stood in public: as they stood and as they are."""
_WRITTEN_SINCE = CompiledQuery(
    select(events.c.local_id, events.c.doc).where(
        Among(events.c.local_id, "names"), events.c.written_at >= bindparam("moment"), post_is_public()
    )
)
_HIDDEN = CompiledQuery(select(games.c.updated_at).where(games.c.id == bindparam("game_id"), ~liveblog_is_public()))


def lost_posts(conn: Connection, game_id: str) -> tuple[int, int]:
    """When the liveblog, posts or files of it were last taken down that stood at the connection's moment, and how many."""
    moment = moment_of(conn)
    if moment is None:
        return (0, 0)
    hidden = _HIDDEN.first(conn, game_id=game_id)
    return _lost_posts(conn, game_id, moment) if hidden is None else (int(hidden[0]), ALL)


def _lost_posts(conn: Connection, game_id: str, moment: int) -> tuple[int, int]:
    """When a post or a file that stood at the moment was last taken down, and how many were, a post with its files."""
    lost = [
        (until, not public, lost_files(then, now if public else {}))
        for until, then, now, public in _PUBLIC_SINCE.all(conn, game_id=game_id, moment=moment)
    ]
    last = max((until for until, post, files in lost if post or files), default=0)
    return last, sum(post + len(files) for _, post, files in lost)


def without_lost_files(conn: Connection, posts: list[StoredEvent]) -> list[StoredEvent]:
    """The posts, as they stood at the connection's moment, without files that a person has taken out of them since."""
    moment = moment_of(conn)
    names = [post.local_id for post in posts if moment is not None and post.document.get("media")]
    if not names:
        return posts
    now = dict(_WRITTEN_SINCE.all(conn, names=names, moment=moment))
    lost = {post.local_id: lost_files(post.document, now.get(post.local_id, post.document)) for post in posts}
    return [
        post._replace(document=without_files(post.document, gone)) if (gone := lost[post.local_id]) else post
        for post in posts
    ]


def versions_at(conn: Connection, game_ids: Sequence[str], moment: int) -> dict[str, int]:
    """The versions of those of the liveblogs that were there."""
    standing = select(games.c.id, games.c.version).where(games.c.id.in_(game_ids), games.c.updated_at < moment)
    stood = select(game_versions.c.game_id, game_versions.c.version).where(
        game_versions.c.game_id.in_(game_ids), game_versions.c.updated_at < moment, game_versions.c.until >= moment
    )
    return {row.id: row.version for row in conn.execute(union_all(standing, stood))}


def masters_at(conn: Connection, table: Table, ids: Sequence[str], moment: int) -> dict[str, Mapping[str, Any]]:
    """The columns of those records of master data that were overwritten since, as they stood."""
    query = (
        select(master_history.c.record_id, master_history.c.doc)
        .where(
            master_history.c.kind == table.name,
            master_history.c.record_id.in_(ids),
            master_history.c.until >= moment,
        )
        .order_by(master_history.c.until.desc())
    )
    return {row.record_id: row.doc for row in conn.execute(query)}


def purge(unit: Unit, *, before: float, limit: int = PURGED) -> bool:
    """Forget rows that nobody can read any more, `limit` of each table at most; whether there may be more."""
    full = False
    for table in KEPT:
        key = table.primary_key.columns
        old = select(*key).where(table.c.until < int(before)).order_by(table.c.until).limit(limit)
        full |= unit.conn.execute(delete(table).where(tuple_(*key).in_(old))).rowcount == limit
    return full
