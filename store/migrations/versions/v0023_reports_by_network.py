"""From which network a comment was reported, so that one stranger counts once; reports of before count as they did."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("comment_reports", sa.Column("network", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.execute("UPDATE comment_reports SET network = reader_id")


def downgrade() -> None:
    op.drop_column("comment_reports", "network")
