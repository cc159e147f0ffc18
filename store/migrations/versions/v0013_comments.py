"""Readers who take part: sign-ins that were used, comments, likes, reports, bans, closed channels."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TABLES = ("reader_sign_ins", "comments", "comment_likes", "comment_reports", "reader_bans", "closed_channels")


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _id(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=nullable)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def upgrade() -> None:
    op.create_table(
        "reader_sign_ins",
        _text("organization_id"),
        _text("jti_digest"),
        _int("until"),
        sa.PrimaryKeyConstraint("organization_id", "jti_digest", name="pk_reader_sign_ins"),
    )
    op.create_index("ix_reader_sign_ins_until", "reader_sign_ins", ["until"])
    _create_comments()
    op.create_table(
        "comment_likes",
        _id("comment_id"),
        _text("reader_id"),
        sa.PrimaryKeyConstraint("comment_id", "reader_id", name="pk_comment_likes"),
        _of_comment("comment_likes"),
    )
    op.create_table(
        "comment_reports",
        _id("comment_id"),
        _text("reader_id"),
        _int("created_at"),
        sa.PrimaryKeyConstraint("comment_id", "reader_id", name="pk_comment_reports"),
        _of_comment("comment_reports"),
    )
    op.create_table(
        "reader_bans",
        _text("organization_id"),
        _text("reader_id"),
        _text("client_id"),
        _int("created_at"),
        sa.PrimaryKeyConstraint("organization_id", "reader_id", name="pk_reader_bans"),
    )
    op.create_table(
        "closed_channels",
        _text("channel_id"),
        _text("game_id"),
        _text("client_id"),
        _int("created_at"),
        sa.PrimaryKeyConstraint("channel_id", name="pk_closed_channels"),
        _of_game("closed_channels"),
    )
    op.create_index("ix_closed_channels_game_id", "closed_channels", ["game_id"])


def _create_comments() -> None:
    op.create_table(
        "comments",
        sa.Column("serial", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        _id("id"),
        _text("organization_id"),
        _text("game_id"),
        _text("channel_id"),
        _id("parent_id", nullable=True),
        _text("reader_id"),
        _text("author_name", nullable=True),
        _text("author_image", nullable=True),
        _text("text"),
        _text("status"),
        _int("created_at"),
        _int("updated_at"),
        _text("idempotency_key", nullable=True),
        _text("moderated_by", nullable=True),
        _int("gone_at", nullable=True),
        sa.PrimaryKeyConstraint("serial", name="pk_comments"),
        sa.UniqueConstraint("id", name="uq_comments_id"),
        sa.UniqueConstraint("reader_id", "idempotency_key", name="uq_comments_reader_id_idempotency_key"),
        _of_game("comments"),
        sqlite_autoincrement=True,
    )
    for columns in (
        ("game_id",),
        ("parent_id",),
        ("channel_id", "serial"),
        ("organization_id", "status", "serial"),
        ("reader_id", "created_at"),
        ("gone_at",),
    ):
        op.create_index(f"ix_comments_{'_'.join(columns)}", "comments", columns)


def _of_comment(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_comment_id_comments"
    return sa.ForeignKeyConstraint(["comment_id"], ["comments.id"], name=name, ondelete="CASCADE")


def _of_game(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=f"fk_{table}_game_id_games", ondelete="CASCADE")


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
