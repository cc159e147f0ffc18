"""How responses to a client begin the names of types."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("clients", sa.Column("response_prefix", sa.Text(), nullable=False, server_default="Svc"))


def downgrade() -> None:
    op.drop_column("clients", "response_prefix")
