"""Reads the posts of a liveblog for its editors: drafts and scheduled posts too, and earlier states of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Text, bindparam, exists, func, or_, select, type_coerce

from mapping.desk.post_state import PostFilter
from mapping.documents.scalars import LocalStatus
from mapping.posts.reconcile import State
from store.engine.liveblog_records import StoredEvent
from store.engine.statements import CompiledQuery
from store.following.standby_tables import standbys
from store.liveblogs.event_rows import event_of, in_chunks
from store.liveblogs.history_tables import event_history
from store.tables import events, ledger

EARLIER = 5
"""Earlier states of a post that are read, the latest ones."""
_WRITTEN = type_coerce(events.c.doc, Text)
_TAKEN_BACK = exists().where(
    ledger.c.game_id == events.c.game_id,
    ledger.c.local_id == events.c.local_id,
    ledger.c.state.in_([State.WITHDRAWN.value, State.DISALLOWED.value]),
)
_OVERWRITTEN = exists().where(
    event_history.c.game_id == events.c.game_id, event_history.c.local_id == events.c.local_id
)
_STOOD = tuple(event_history.c[column.name] for column in events.c)
_COUNTED: list[ColumnElement[Any]] = [func.count(), func.max(events.c.written_at)]
_EDITION = select(func.sum(standbys.c.edition)).where(standbys.c.game_id == bindparam("game_id")).scalar_subquery()
_MARKS = CompiledQuery(
    select(*_COUNTED, _EDITION.label("edition")).where(
        events.c.game_id == bindparam("game_id"), events.c.publish_at.is_not(None)
    )
)


class DeskWindow(NamedTuple):
    """A page of posts, the newest first, and whether there are older ones."""

    posts: list[StoredEvent]
    older: bool


def window(
    conn: Connection, game_id: str, shown: PostFilter, account_id: str, *, before: StoredEvent | None, limit: int
) -> DeskWindow:
    """At most `limit` posts, those that are older than `before` where that is given; deleted ones are never among them."""
    conditions = [events.c.game_id == game_id, events.c.local_status != LocalStatus.DELETED]
    conditions += _shown_by(shown, account_id)
    if before is not None:
        conditions.append(events.c.sort < before.sort)
    query = select(events).where(*conditions).order_by(events.c.sort.desc()).limit(limit + 1)
    found = [event_of(row) for row in conn.execute(query)]
    return DeskWindow(found[:limit], len(found) > limit)


def _shown_by(shown: PostFilter, account_id: str) -> list[ColumnElement[bool]]:
    match shown:
        case PostFilter.DRAFTS:
            return [events.c.local_status == LocalStatus.UNPUBLISHED]
        case PostFilter.SCHEDULED:
            return [events.c.publish_at.is_not(None), events.c.local_status != LocalStatus.UNPUBLISHED]
        case PostFilter.MINE:
            return [or_(events.c.user_id == account_id, _WRITTEN.contains(account_id, autoescape=True))]
        case PostFilter.CHANGED:
            return [or_(_TAKEN_BACK, _WRITTEN.contains('"editor"'), _OVERWRITTEN)]
        case _:
            return []


def marks(conn: Connection, game_id: str) -> tuple[int, int, int]:
    """What changes without a step of the version: scheduled posts and the last write of one, the edition of the sources."""
    row = _MARKS.first(conn, game_id=game_id)
    return (0, 0, 0) if row is None else (int(row[0]), int(row[1] or 0), int(row[2] or 0))


def earlier(conn: Connection, game_id: str, local_ids: Sequence[str]) -> dict[str, list[tuple[int, StoredEvent]]]:
    """Earlier states of these posts as far as they are kept, the latest first, each with the second until which it stood."""
    found: dict[str, list[tuple[int, StoredEvent]]] = defaultdict(list)
    for chunk in in_chunks(local_ids):
        query = (
            select(event_history.c.until, *_STOOD)
            .where(event_history.c.game_id == game_id, event_history.c.local_id.in_(chunk))
            .order_by(event_history.c.until.desc())
        )
        for row in conn.execute(query):
            stored = event_of(row[1:])
            if len(found[stored.local_id]) < EARLIER:
                found[stored.local_id].append((int(row[0]), stored))
    return dict(found)
