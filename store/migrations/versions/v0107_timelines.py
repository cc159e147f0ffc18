"""When each post came about: said, answered, believed, committed, delivered; and which answers were decided upon.

Two tables more; a daemon of before goes on beside them and writes nothing into them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0107"
down_revision = "0106"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("games", "follows")
    op.create_table(
        "post_times",
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("local_id", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=True),
        sa.Column("unsaid_at", sa.BigInteger(), nullable=True),
        sa.Column("answered_at", sa.BigInteger(), nullable=False),
        sa.Column("believed_at", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=True),
        sa.Column("delivered_at", sa.BigInteger(), nullable=True),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_post_times_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "version", "local_id", name="pk_post_times"),
    )
    op.create_index("ix_post_times_believed_at", "post_times", ["believed_at"])
    op.create_table(
        "decisions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False, autoincrement=True),
        sa.Column("follow_id", sa.Text(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=False),
        sa.Column("believed_at", sa.BigInteger(), nullable=False),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        sa.Column("pending", sa.Boolean(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("versions", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_decisions_follow_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_decisions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_decisions_follow_id_id", "decisions", ["follow_id", "id"])
    op.create_index("ix_decisions_believed_at", "decisions", ["believed_at"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
