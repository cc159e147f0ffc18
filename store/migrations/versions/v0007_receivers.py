"""Receivers are held by living processes, as matches are: by a row of `workers`, without a time on the wall."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("webhooks", "lease_until")


def downgrade() -> None:
    op.add_column("webhooks", sa.Column("lease_until", sa.Double(), nullable=True))
