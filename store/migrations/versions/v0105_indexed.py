"""Indexes for what was looked for among everything: the log of an organization's deliveries, and posts that say what happened.

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

SAYING = (
    """(doc LIKE '%"event_type"%' OR doc LIKE '%"highlight":"milestone"%' OR doc LIKE '%"highlight":"sticky"%'"""
    """ OR doc LIKE '%"highlight":"inplace"%' OR doc LIKE '%"subtype"%')"""
)


def upgrade() -> None:
    lock_tables("events", "webhooks", "webhook_rounds")
    saying = sa.text(SAYING)
    op.create_index(
        "ix_events_saying",
        "events",
        ["game_id", "local_status", "sort"],
        sqlite_where=saying,
        postgresql_where=saying,
    )
    op.add_column("webhook_rounds", sa.Column("organization_id", sa.Text(), nullable=True))
    op.execute(
        "UPDATE webhook_rounds SET organization_id ="
        " (SELECT organization_id FROM webhooks WHERE webhooks.id = webhook_rounds.webhook_id)"
    )
    op.create_index("ix_webhook_rounds_organization_id_id", "webhook_rounds", ["organization_id", "id"])


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
