"""What is public now, in SQL; `mapping.rules.public` says the same of rows that were read, and nobody else says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, not_, or_

from mapping.documents.scalars import LocalStatus
from store.comment_tables import CommentStatus, comments, reader_bans
from store.tables import events, games

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause


def liveblog_is_public(of: FromClause = games) -> ColumnElement[bool]:
    """Whether readers see the liveblog of a row; `of`: the table, or rows with its columns."""
    return of.c.local_status == LocalStatus.PUBLISHED


def post_is_public(of: FromClause = events) -> ColumnElement[bool]:
    """Whether readers of its liveblog see the post of a row; `of`: the table, or rows with its columns."""
    return and_(of.c.local_status == LocalStatus.PUBLISHED, of.c.publish_at.is_(None))


def liveblog_is_shown(game_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether there is a liveblog with this id that readers see."""
    return exists().where(games.c.id == game_id, liveblog_is_public())


def post_is_shown(local_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether there is a post with this `local_id` that readers see, in a liveblog that they see."""
    return exists().where(
        events.c.local_id == local_id, post_is_public(), games.c.id == events.c.game_id, liveblog_is_public()
    )


def comment_is_public(of: FromClause) -> ColumnElement[bool]:
    """Whether readers see a comment of the table."""
    parents = comments.alias("parents")
    parent_is_shown = exists().where(parents.c.id == of.c.parent_id, *_shown(parents))
    return and_(*_shown(of), or_(of.c.parent_id.is_(None), parent_is_shown))


def _shown(of: FromClause) -> tuple[ColumnElement[bool], ...]:
    banned = exists().where(
        reader_bans.c.organization_id == of.c.organization_id, reader_bans.c.reader_id == of.c.reader_id
    )
    return of.c.status == CommentStatus.APPROVED, not_(banned)
