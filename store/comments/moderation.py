"""Moderates comments: decides, bans, closes channels, counts for the queue, and deletes what is over."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, delete, exists, func, or_, select, update

from mapping.errors import Conflict, NotFound
from store.comments import comments
from store.comments.comments import NO_COMMENT, StoredComment
from store.comments.tables import CommentStatus, closed_channels, reader_bans
from store.comments.tables import comments as table
from store.engine.statements import insert_new
from store.engine.unit import Unit
from store.media.tables import image_uses
from store.public import DELETED_GAMES
from store.tables import games

COUNTED = 1000
"""Comments of one status that are counted."""


def decide(
    unit: Unit, organization_id: str, comment_id: str, status: CommentStatus, *, client_id: str, seen: str | None = None
) -> StoredComment:
    """Give a comment of the organization this status. Raises NotFound, also for one that is deleted.

    `seen`: the status that whoever decides has seen; raises Conflict where somebody else has decided since.

    One that waits again was decided by nobody, so that reports count.
    """
    found = comments.require(unit.conn, comment_id, lock=True)
    if found.organization_id != organization_id or found.status == CommentStatus.DELETED:
        raise NotFound(NO_COMMENT)
    if seen not in {None, found.status}:
        raise Conflict(f"somebody else was faster: the comment is {found.status}", field="status")
    comments.set_status(unit, comment_id, status, moderated_by=None if status is CommentStatus.PENDING else client_id)
    return comments.require(unit.conn, comment_id)


def ban(unit: Unit, organization_id: str, reader_id: str, *, banned: bool, client_id: str) -> None:
    """Show no comments of the reader any more and take none, or again. Raises NotFound where it has never commented here.

    Those that are approved change by it; those that wait are rejected, and wait again once the ban ends.
    """
    columns = reader_bans.c
    known = exists().where(columns.organization_id == organization_id, columns.reader_id == reader_id)
    wrote = exists().where(table.c.organization_id == organization_id, table.c.reader_id == reader_id)
    if not unit.conn.scalar(select(or_(known, wrote))):
        raise NotFound("there is no such reader")
    own = columns.organization_id == organization_id, columns.reader_id == reader_id
    written = table.c.organization_id == organization_id, table.c.reader_id == reader_id
    if banned:
        named = {"organization_id": organization_id, "reader_id": reader_id, "client_id": client_id}
        insert_new(unit.conn, reader_bans, **named, created_at=unit.now)
        waiting = update(table).where(*written, table.c.status == CommentStatus.PENDING)
        unit.conn.execute(waiting.values(status=CommentStatus.REJECTED, gone_at=unit.now))
    else:
        since = select(columns.created_at).where(*own).scalar_subquery()
        by_ban = table.c.status == CommentStatus.REJECTED, table.c.moderated_by.is_(None), table.c.gone_at == since
        unit.conn.execute(update(table).where(*written, *by_ban).values(status=CommentStatus.PENDING, gone_at=None))
        unit.conn.execute(delete(reader_bans).where(*own))
    approved = update(table).where(*written, table.c.status == CommentStatus.APPROVED)
    unit.conn.execute(approved.values(updated_at=unit.now))


def close(unit: Unit, game_id: str, channel_id: str, *, closed: bool, client_id: str) -> None:
    """Take no more comments of a post, or again; those there are stay."""
    if closed:
        named = {"channel_id": channel_id, "game_id": game_id, "client_id": client_id}
        insert_new(unit.conn, closed_channels, **named, created_at=unit.now)
    else:
        unit.conn.execute(delete(closed_channels).where(closed_channels.c.channel_id == channel_id))


def purge(unit: Unit, *, before: float, limit: int = 500) -> bool:
    """Forget comments that were rejected or deleted before that time, and those of deleted liveblogs; whether there may be more."""
    old = select(table.c.id).where(table.c.gone_at < int(before)).limit(limit)  # PostgreSQL has no index for fractions
    orphans = select(table.c.id).where(table.c.game_id.in_(DELETED_GAMES)).limit(limit)
    full = False
    for some in (old, orphans):
        ids = unit.conn.scalars(some).all()
        pictures = image_uses.c.kind == "comment", image_uses.c.record_id.in_(ids)
        unit.conn.execute(delete(image_uses).where(*pictures))
        full |= unit.conn.execute(delete(table).where(table.c.id.in_(ids))).rowcount == limit
    return full


def counts_by_status(
    conn: Connection, organization_id: str, game_id: str | None, statuses: Sequence[str]
) -> dict[str, int]:
    """How many comments the organization, or one of its liveblogs, has of each of these statuses, `COUNTED` at most."""
    own = [table.c.organization_id == organization_id, *([table.c.game_id == game_id] if game_id is not None else [])]
    some = (select(table.c.serial).where(*own, table.c.status == each).limit(COUNTED).subquery() for each in statuses)
    counts = [select(func.count()).select_from(each).scalar_subquery() for each in some]
    return dict(zip(statuses, conn.execute(select(*counts)).one(), strict=True))


def banned_readers(conn: Connection, organization_id: str, reader_ids: Collection[str]) -> frozenset[str]:
    """Which of these readers the organization has banned."""
    columns = reader_bans.c
    own = columns.organization_id == organization_id, columns.reader_id.in_(sorted(reader_ids))
    return frozenset(conn.scalars(select(columns.reader_id).where(*own)))


def liveblogs_named(conn: Connection, game_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """`local_id` and title of these liveblogs by their `ticker_id`."""
    query = select(games.c.id, games.c.local_id, games.c.title).where(games.c.id.in_(sorted(game_ids)))
    return {row.id: (row.local_id, row.title) for row in conn.execute(query)}
