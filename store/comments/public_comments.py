"""Which comments readers see, in SQL; nobody else says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, not_, or_

from store.comments.tables import CommentStatus, comments, reader_bans

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, FromClause


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
