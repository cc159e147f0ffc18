"""Readers' statistics by day, so that what a liveblog ever had is not added up of all its quarters of an hour each time.

Nothing is added up here: a job does that afterwards. A daemon of before goes on counting as it did, and reads what it did.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0103"
down_revision = "0102"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("games", "load_counts")
    op.create_table(
        "load_days",
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False, autoincrement=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("origin", "location")),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("loads", "more", "sampled", "retention_ms", "retention_views")
        ),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_load_days_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "slot", "origin", "location", name="pk_load_days"),
    )
    op.create_index("ix_load_days_slot", "load_days", ["slot"])
    op.create_table(
        "load_rollups",
        sa.Column("game_id", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_load_rollups_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", name="pk_load_rollups"),
    )
    op.create_index("ix_load_rollups_due_at_until", "load_rollups", ["due_at", "until"])
    op.execute("INSERT INTO load_rollups (game_id, until, due_at) SELECT DISTINCT game_id, 0, 0 FROM load_counts")


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
