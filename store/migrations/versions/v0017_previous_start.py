"""The planned start that readers knew before it was moved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLES = ("games", "game_documents")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("previous_starts_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "previous_starts_at")
