"""Sources that stand by for a liveblog's match, what is known of both, and how each source answers.

Two tables more; a daemon of before goes on beside them and follows the first source alone.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0110"
down_revision = "0109"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("games", "follows")
    op.create_table(
        "standbys",
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("follow_id", sa.Text(), nullable=False),
        sa.Column("pinned", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=True),
        sa.Column("edition", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_standbys_game_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_standbys_follow_id"),
        sa.PrimaryKeyConstraint("game_id", name="pk_standbys"),
    )
    op.create_index("ix_standbys_follow_id", "standbys", ["follow_id"])
    op.create_table(
        "source_health",
        sa.Column("follow_id", sa.Text(), nullable=False),
        sa.Column("answered_at", sa.Double(), nullable=True),
        sa.Column("attentive_since", sa.Double(), nullable=False),
        sa.Column("poll_interval", sa.Double(), nullable=False),
        sa.Column("trouble", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_source_health_follow_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("follow_id", name="pk_source_health"),
    )


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
