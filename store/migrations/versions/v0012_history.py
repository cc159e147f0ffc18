"""What stood before it was overwritten, for readers who see liveblogs some time later.

Nothing is known of the time before: until the longest delay has gone by, delayed readers do not find a liveblog that changed
shortly before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

TABLES = ("game_versions", "game_documents", "event_history", "master_history")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _int(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def upgrade() -> None:
    op.add_column("events", sa.Column("written_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "game_versions",
        _text("game_id"),
        _int("until"),
        _int("version"),
        _int("updated_at"),
        sa.PrimaryKeyConstraint("game_id", "until", name="pk_game_versions"),
    )
    op.create_table(
        "game_documents",
        _text("game_id"),
        _int("until"),
        _text("local_id"),
        _int("local_status"),
        _text("sportstype"),
        _text("template_id"),
        _text("title"),
        _int("starts_at", nullable=True),
        _text("doc"),
        sa.PrimaryKeyConstraint("game_id", "until", name="pk_game_documents"),
    )
    op.create_table(
        "event_history",
        _text("game_id"),
        _text("local_id"),
        _int("until"),
        _int("serial"),
        sa.Column("sort", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        _int("local_status"),
        _int("created_at"),
        _int("updated_at"),
        _int("publish_at", nullable=True),
        _int("version"),
        _text("user_id"),
        _text("doc"),
        _int("written_at"),
        sa.PrimaryKeyConstraint("game_id", "local_id", "until", name="pk_event_history"),
    )
    op.create_table(
        "master_history",
        _text("kind"),
        _text("record_id"),
        _int("until"),
        _text("doc"),
        sa.PrimaryKeyConstraint("kind", "record_id", "until", name="pk_master_history"),
    )
    for table in TABLES:
        op.create_index(f"ix_{table}_until", table, ["until"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    op.drop_column("events", "written_at")
