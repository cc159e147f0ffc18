"""Comments of readers: written, liked, reported and counted; what is public is decided here alone.

A comment is public while it is approved, its reader is not banned, and both hold for the comment that it replies to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, insert, or_, select, true, update

from mapping.errors import Conflict, Forbidden, InvalidRequest, NotFound, Unprocessable
from store.comments.tables import (
    CommentStatus,
    closed_channels,
    comment_is_public,
    comment_likes,
    comment_reports,
    reader_bans,
)
from store.comments.tables import comments as table
from store.engine.statements import insert_new
from store.engine.unit import Unit
from store.liveblogs import history
from store.media import file_uses
from store.public import post_is_public

NO_COMMENT = "there is no such comment"
READER_LOCKS = 13
"""PostgreSQL's advisory locks of readers, apart from all others: nobody else writes a comment of one meanwhile."""


GONE = (CommentStatus.REJECTED, CommentStatus.DELETED)
"""Nobody sees them again unless somebody decides otherwise."""


class NewComment(NamedTuple):
    """A comment as a reader sends it, its text as it is kept. `id`: a new random one; `status`: pending or approved."""

    id: str
    organization_id: str
    game_id: str
    channel_id: str
    parent_id: str | None
    reader_id: str
    author_name: str | None
    author_image: str | None
    text: str
    status: str
    idempotency_key: str | None = None


class StoredComment(NamedTuple):
    """A comment with its numbers; `liked`: by the reader who reads it."""

    serial: int
    id: str
    organization_id: str
    game_id: str
    channel_id: str
    parent_id: str | None
    reader_id: str
    author_name: str | None
    author_image: str | None
    text: str
    status: str
    created_at: int
    updated_at: int
    moderated_by: str | None
    likes: int = 0
    reply_count: int = 0
    reports: int = 0
    liked: bool = False


class CommentPage(NamedTuple):
    """Some comments, newest first, and how many there are in all. `more`: whether others follow."""

    comments: Sequence[StoredComment]
    more: bool
    total: int


COLUMNS = tuple(table.c[name] for name in StoredComment._fields if name in table.c)


def create(unit: Unit, new: NewComment, *, duplicate_period: float) -> StoredComment:
    """Write the comment; the one there is where the reader wrote it before with this `idempotency_key`.

    Raises Forbidden for a banned reader and a closed channel, Unprocessable where what it replies to is not there, and
    Conflict where the reader wrote the same in the channel within the last `duplicate_period` seconds.
    """
    if unit.conn.dialect.name == "postgresql":  # on SQLite units run one after the other anyway
        unit.conn.execute(select(func.pg_advisory_xact_lock(READER_LOCKS, func.hashtext(new.reader_id))))
    before = _sent_before(unit.conn, new)
    if before is not None:
        return before
    _check_reader(unit.conn, new.organization_id, new.reader_id)
    if unit.conn.scalar(select(exists().where(closed_channels.c.channel_id == new.channel_id))):
        raise Forbidden("the comments of this post are closed")
    if new.parent_id is not None:
        _check_parent(unit.conn, new)
    recent = (
        table.c.reader_id == new.reader_id,
        table.c.created_at > unit.now - duplicate_period,
        table.c.channel_id == new.channel_id,
        table.c.text == new.text,
        table.c.status != CommentStatus.DELETED,
    )
    if unit.conn.scalar(select(exists().where(*recent))):
        raise Conflict("the same comment was sent before", field="text")
    unit.conn.execute(insert(table).values(**new._asdict(), created_at=unit.now, updated_at=unit.now))
    if new.author_image is not None:
        file_uses.refer(unit, "comment", new.id, new.organization_id, {new.author_image: True})
    return require(unit.conn, new.id)


def public_page(
    conn: Connection, channel_id: str, *, limit: int, after: str | None, reader_id: str | None, until: int | None
) -> CommentPage:
    """The public comments of the channel from the one after `after` on, at most `limit`.

    `reader_id`: who reads, with those of its own that wait. `until`: without what was written at that second or later.
    Raises InvalidRequest where `after` is no comment of the channel.
    """
    written = true() if until is None else table.c.created_at < until
    counted = and_(table.c.channel_id == channel_id, comment_is_public(table), written)
    mine = and_(
        table.c.channel_id == channel_id, table.c.reader_id == reader_id, table.c.status == CommentStatus.PENDING
    )
    shown = counted if reader_id is None else or_(counted, mine)
    return _page(conn, shown, counted, after=after, limit=limit, reader_id=reader_id, channel_id=channel_id)


def list_comments(
    conn: Connection,
    organization_id: str,
    *,
    status: str | None,
    game_id: str | None,
    channel_id: str | None,
    limit: int,
    after: str | None,
) -> CommentPage:
    """The comments of an organization for those who moderate, with everything that the filters take. Raises InvalidRequest."""
    wanted = [table.c.organization_id == organization_id]
    wanted += [
        column == value
        for column, value in ((table.c.status, status), (table.c.game_id, game_id), (table.c.channel_id, channel_id))
        if value is not None
    ]
    return _page(conn, and_(*wanted), and_(*wanted), after=after, limit=limit, organization_id=organization_id)


def read_for_export(conn: Connection, game_id: str, *, after: int, limit: int) -> list[StoredComment]:
    """Comments of a liveblog in the order of their writing, from the one after that `serial` on, deleted ones left out."""
    wanted = and_(table.c.game_id == game_id, table.c.serial > after, table.c.status != CommentStatus.DELETED)
    rows = conn.execute(select(*COLUMNS).where(wanted).order_by(table.c.serial).limit(limit))
    return _with_numbers(conn, [StoredComment(*row) for row in rows])


def require(conn: Connection, comment_id: str, *, lock: bool = False) -> StoredComment:
    """The comment, whatever its status; locked until the unit ends, where wanted. Raises NotFound."""
    query = select(*COLUMNS).where(table.c.id == comment_id)
    row = conn.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise NotFound(NO_COMMENT)
    (comment,) = _with_numbers(conn, [StoredComment(*row)])
    return comment


def like(unit: Unit, channel_id: str, comment_id: str, reader_id: str, *, liked: bool) -> int:
    """Like a public comment, or take the like back; its likes then. Raises NotFound, Forbidden for a banned reader."""
    _require_public(unit.conn, channel_id, comment_id)
    _check_reader(unit.conn, require(unit.conn, comment_id).organization_id, reader_id)
    if liked:
        insert_new(unit.conn, comment_likes, comment_id=comment_id, reader_id=reader_id)
    else:
        own = comment_likes.c.comment_id == comment_id, comment_likes.c.reader_id == reader_id
        unit.conn.execute(comment_likes.delete().where(*own))
    return _likes(unit.conn, [comment_id]).get(comment_id, 0)


def report(
    unit: Unit, channel_id: str, comment_id: str, reader_id: str, *, network: str, hide_after_reports: int
) -> None:
    """Report a public comment, once a reader. Reports of so many networks hide it, until a person decides.

    `network`: a keyed hash of where the reader is. Raises NotFound, Forbidden for a banned reader.
    """
    found = require(unit.conn, comment_id, lock=True)
    _require_public(unit.conn, channel_id, comment_id)
    _check_reader(unit.conn, found.organization_id, reader_id)
    row = {"comment_id": comment_id, "reader_id": reader_id, "network": network, "created_at": unit.now}
    insert_new(unit.conn, comment_reports, **row)
    reports = _reports(unit.conn, [comment_id])[comment_id]
    if found.moderated_by is None and hide_after_reports and reports >= hide_after_reports:
        set_status(unit, comment_id, CommentStatus.HIDDEN, moderated_by=None)


def set_status(unit: Unit, comment_id: str, status: CommentStatus, *, moderated_by: str | None) -> None:
    """Give the comment another status; a deleted one keeps neither text nor name."""
    emptied = {"text": "", "author_name": None, "author_image": None} if status is CommentStatus.DELETED else {}
    gone_at = unit.now if status in GONE else None
    values = {"status": status, "updated_at": unit.now, "moderated_by": moderated_by, "gone_at": gone_at, **emptied}
    unit.conn.execute(update(table).where(table.c.id == comment_id).values(values))


class CommentNumbers(NamedTuple):
    """The number of public comments of posts; `changed`: when one was written, taken down or put back last, 0 for never."""

    numbers: dict[str, int]
    changed: int


def counts(conn: Connection, game_id: str, *, until: int | None = None) -> CommentNumbers:
    """The number of public comments of each post of the liveblog that has some and is public at the connection's moment.

    `until`: as in `public_page`.
    """
    written = true() if until is None else table.c.created_at < until
    posts = history.events_of(conn, game_id)
    published = exists().where(
        posts.c.game_id == game_id, posts.c.local_id == table.c.channel_id, post_is_public(posts)
    )
    wanted = and_(table.c.game_id == game_id, comment_is_public(table), written, published)
    numbers = _numbers(conn, select(table.c.channel_id, func.count()).where(wanted).group_by(table.c.channel_id))
    changed = conn.scalar(select(func.max(table.c.updated_at)).where(table.c.game_id == game_id, written))
    return CommentNumbers(numbers, changed or 0)


def _page(
    conn: Connection,
    wanted: ColumnElement[bool],
    counted: ColumnElement[bool],
    *,
    after: str | None,
    limit: int,
    reader_id: str | None = None,
    **place: str,
) -> CommentPage:
    query = select(*COLUMNS).where(wanted).order_by(table.c.serial.desc()).limit(limit + 1)
    if after is not None:
        here = [table.c[name] == value for name, value in place.items()]
        last = conn.scalar(select(table.c.serial).where(table.c.id == after, *here))
        if last is None:
            raise InvalidRequest("there is no such comment here", field="next")
        query = query.where(table.c.serial < last)
    rows = [StoredComment(*row) for row in conn.execute(query)]
    total = conn.scalar(select(func.count()).select_from(table).where(counted))
    return CommentPage(_with_numbers(conn, rows[:limit], reader_id), len(rows) > limit, total or 0)


def _with_numbers(
    conn: Connection, found: Sequence[StoredComment], reader_id: str | None = None
) -> list[StoredComment]:
    ids = [each.id for each in found]
    if not ids:
        return []
    likes, reports = _likes(conn, ids), _reports(conn, ids)
    own = set()
    if reader_id is not None:
        mine = comment_likes.c.comment_id.in_(ids), comment_likes.c.reader_id == reader_id
        own = set(conn.scalars(select(comment_likes.c.comment_id).where(*mine)))
    replied = table.c.parent_id.in_(ids), comment_is_public(table)
    replies = _numbers(conn, select(table.c.parent_id, func.count()).where(*replied).group_by(table.c.parent_id))
    return [
        each._replace(
            likes=likes.get(each.id, 0),
            reports=reports.get(each.id, 0),
            reply_count=replies.get(each.id, 0),
            liked=each.id in own,
        )
        for each in found
    ]


def _likes(conn: Connection, comment_ids: Sequence[str]) -> dict[str, int]:
    of = comment_likes.c.comment_id
    return _numbers(conn, select(of, func.count()).where(of.in_(comment_ids)).group_by(of))


def _reports(conn: Connection, comment_ids: Sequence[str]) -> dict[str, int]:
    """How many networks have reported each: whoever has many tokens in one of them counts once."""
    of, networks = comment_reports.c.comment_id, func.count(comment_reports.c.network.distinct())
    return _numbers(conn, select(of, networks).where(of.in_(comment_ids)).group_by(of))


def _numbers(conn: Connection, query: Select[Any]) -> dict[str, int]:
    """The rows of a query for names and their numbers."""
    return {row[0]: row[1] for row in conn.execute(query)}


def _require_public(conn: Connection, channel_id: str, comment_id: str) -> None:
    found = exists().where(table.c.id == comment_id, table.c.channel_id == channel_id, comment_is_public(table))
    if not conn.scalar(select(found)):
        raise NotFound(NO_COMMENT)


def _sent_before(conn: Connection, new: NewComment) -> StoredComment | None:
    if new.idempotency_key is None:
        return None
    same = table.c.reader_id == new.reader_id, table.c.idempotency_key == new.idempotency_key
    row = conn.execute(select(*COLUMNS).where(*same)).first()
    if row is None:
        return None
    found = StoredComment(*row)
    if (found.channel_id, found.parent_id, found.text) != (new.channel_id, new.parent_id, new.text):
        raise Conflict("this Idempotency-Key was used for another comment", field="Idempotency-Key")
    return _with_numbers(conn, [found])[0]


def _check_reader(conn: Connection, organization_id: str, reader_id: str) -> None:
    """Raise Forbidden for a reader whom the organization has banned."""
    columns = reader_bans.c
    banned = exists().where(columns.organization_id == organization_id, columns.reader_id == reader_id)
    if conn.scalar(select(banned)):
        raise Forbidden("this reader may not take part here")


def _check_parent(conn: Connection, new: NewComment) -> None:
    first = exists().where(
        table.c.id == new.parent_id,
        table.c.channel_id == new.channel_id,
        table.c.parent_id.is_(None),
        comment_is_public(table),
    )
    if not conn.scalar(select(first)):
        raise Unprocessable("a reply belongs to a comment of this post that is no reply itself", field="parent_id")
