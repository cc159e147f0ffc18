"""The tables of comments: what readers wrote, likes, reports, bans, closed channels; and, in SQL, which comments readers see."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import (
    Column,
    ColumnElement,
    ForeignKey,
    FromClause,
    Index,
    Table,
    UniqueConstraint,
    and_,
    exists,
    not_,
    or_,
    select,
)
from sqlalchemy import text as sql

from store.engine.columns import Bytewise, Counter, integer, metadata, text
from store.engine.portable_table import ORGANIZATION, PortableTable, StoredCapability, of_games, of_organization


class CommentStatus(StrEnum):
    """Hidden: reported by so many readers that a person has to look."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    HIDDEN = "hidden"
    DELETED = "deleted"


comments = Table(
    "comments",
    metadata,
    Column("serial", Counter, primary_key=True, autoincrement=True),
    Column("id", Bytewise, nullable=False, unique=True),  # random
    text("organization_id"),
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), index=True),
    text("channel_id"),  # the `local_id` of the event
    Column("parent_id", Bytewise, nullable=True, index=True),
    text("reader_id"),
    text("author_name", nullable=True),
    text("author_image", nullable=True),
    text("text"),
    text("status"),
    integer("created_at"),
    integer("updated_at"),
    text("idempotency_key", nullable=True),
    text("moderated_by", nullable=True),
    integer("gone_at", nullable=True, index=True),
    UniqueConstraint("reader_id", "idempotency_key"),
    Index(None, "channel_id", "serial"),
    Index(None, "organization_id", "status", "serial"),
    Index(None, "organization_id", "serial"),
    Index(None, "reader_id", "created_at"),
    sqlite_autoincrement=True,
)
"""Newest last by `serial`. `moderated_by`: the client that decided last, whose decision reports do not overrule.

`gone_at`: when it was rejected or deleted, while it is. There is no index of statuses alone: SQLite would use it to count
the comments of one post, and look through all there are.
"""

comment_likes = Table(
    "comment_likes",
    metadata,
    Column("comment_id", Bytewise, ForeignKey("comments.id", ondelete="CASCADE"), primary_key=True),
    text("reader_id", primary_key=True),
)

comment_reports = Table(
    "comment_reports",
    metadata,
    Column("comment_id", Bytewise, ForeignKey("comments.id", ondelete="CASCADE"), primary_key=True),
    text("reader_id", primary_key=True),
    integer("created_at"),
    text("network", server_default=sql("''")),
)
"""`network`: a keyed hash of the reader's network and the comment, which no two comments have in common."""

reader_bans = Table(
    "reader_bans",
    metadata,
    text("organization_id", primary_key=True),
    text("reader_id", primary_key=True),
    text("client_id"),
    integer("created_at"),
)
"""Readers whose comments nobody sees; `client_id`: who banned them."""

closed_channels = Table(
    "closed_channels",
    metadata,
    text("channel_id", primary_key=True),
    text("game_id", ForeignKey("games.id", ondelete="CASCADE"), index=True),
    text("client_id"),
    integer("created_at"),
)
"""Posts that take no more comments; `client_id`: who closed them."""

_COMMENTS = select(comments.c.id).where(comments.c.organization_id == ORGANIZATION)
COMMENTS = StoredCapability(
    portable=(
        of_organization(
            comments,
            given={"serial": None},
            parents={"game_id": "game"},
            named={"channel_id": "event", "parent_id": "comment"},
            order=(comments.c.serial,),
        ),
        PortableTable(comment_likes, comment_likes.c.comment_id.in_(_COMMENTS), parents={"comment_id": "comment"}),
        PortableTable(comment_reports, comment_reports.c.comment_id.in_(_COMMENTS), parents={"comment_id": "comment"}),
        of_organization(reader_bans),
        of_games(closed_channels, named={"channel_id": "event"}),
    ),
    owners={"comment": select(comments.c.id, comments.c.organization_id)},
)


def comment_is_public(of: FromClause) -> ColumnElement[bool]:
    """Whether readers see a comment of the table."""
    parents = comments.alias("parents")
    parent_is_shown = exists().where(parents.c.id == of.c.parent_id, *_shown_conditions(parents))
    return and_(*_shown_conditions(of), or_(of.c.parent_id.is_(None), parent_is_shown))


def _shown_conditions(of: FromClause) -> tuple[ColumnElement[bool], ...]:
    banned = exists().where(
        reader_bans.c.organization_id == of.c.organization_id, reader_bans.c.reader_id == of.c.reader_id
    )
    return of.c.status == CommentStatus.APPROVED, not_(banned)
