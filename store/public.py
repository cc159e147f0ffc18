"""What is public now, in SQL; `mapping.documents.scalars` says the same of rows that were read, and nobody else says it."""

from __future__ import annotations

from sqlalchemy import ColumnElement, FromClause, and_, exists, literal_column, select

from mapping.documents.scalars import LocalStatus
from store.tables import events, games

DELETED_GAMES = select(games.c.id).where(games.c.local_status == literal_column(str(int(LocalStatus.DELETED))))
"""The ids of liveblogs that were deleted, by an index of their own."""


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
