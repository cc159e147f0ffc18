"""What is believed of a match has a row of its own; lines of the ledger count no answers any more."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "beliefs",
        sa.Column("follow_id", sa.Text(), nullable=False),
        sa.Column("belief", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("follow_id", name="pk_beliefs"),
        sa.ForeignKeyConstraint(["follow_id"], ["follows.id"], name="fk_beliefs_follow_id_follows", ondelete="CASCADE"),
    )
    op.drop_column("ledger", "missing")


def downgrade() -> None:
    op.add_column("ledger", sa.Column("missing", sa.BigInteger(), nullable=False, server_default="0"))
    op.drop_table("beliefs")
