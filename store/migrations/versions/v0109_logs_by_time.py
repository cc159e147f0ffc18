"""The log of deliveries by time: of an organization, of a liveblog, and what failed; nobody walks all of it to find little.

A daemon of before goes on meanwhile: it reads the log in the order of its rows, only more slowly.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0109"
down_revision = "0108"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("webhook_rounds")
    failed = sa.text("NOT success")
    op.create_index("ix_webhook_rounds_organization_id_at_id", "webhook_rounds", ["organization_id", "at", "id"])
    op.create_index("ix_webhook_rounds_game_id_at_id", "webhook_rounds", ["game_id", "at", "id"])
    op.create_index(
        "ix_webhook_rounds_failed",
        "webhook_rounds",
        ["organization_id", "at", "id"],
        sqlite_where=failed,
        postgresql_where=failed,
    )
    op.drop_index("ix_webhook_rounds_organization_id_id", "webhook_rounds")


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
