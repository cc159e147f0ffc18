"""Leases: a row for each living process, and matches that are looked at afresh whoever follows them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("lock", sa.BigInteger(), nullable=True),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
    )
    op.drop_column("follows", "lease_until")
    op.add_column("follows", sa.Column("joined", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    op.create_index("ix_follows_owner", "follows", ["owner"])


def downgrade() -> None:
    op.drop_index("ix_follows_owner", "follows")
    op.drop_column("follows", "joined")
    op.add_column("follows", sa.Column("lease_until", sa.Double(), nullable=True))
    op.drop_table("workers")
