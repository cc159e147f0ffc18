"""The log of deliveries of an organization is read by an index of its own, however many rounds others have.

A daemon of before goes on meanwhile: what it logs has no organization, and is not in the log that a client reads.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0105"
down_revision = "0104"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("webhooks", "webhook_rounds")
    op.add_column("webhook_rounds", sa.Column("organization_id", sa.Text(), nullable=True))
    op.execute(
        "UPDATE webhook_rounds SET organization_id ="
        " (SELECT organization_id FROM webhooks WHERE webhooks.id = webhook_rounds.webhook_id)"
    )
    op.create_index("ix_webhook_rounds_organization_id_id", "webhook_rounds", ["organization_id", "id"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
