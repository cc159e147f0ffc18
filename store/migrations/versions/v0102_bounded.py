"""Indexes by which what happens all the time finds its rows, however many others there are.

A daemon of before goes on meanwhile: none of its statements needs what goes, and each finds its rows by what comes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0102"
down_revision = "0101"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("games", "events", "resources", "load_counts", "webhooks", "comments", "alarms")
    _create("ix_games_deleted", "games", ["id"], "local_status = 100")
    op.drop_index("ix_events_publish_at", "events")
    _create("ix_events_scheduled", "events", ["publish_at"], "publish_at IS NOT NULL AND local_status = 0")
    _create("ix_resources_kept", "resources", ["follow_id"], "body IS NOT NULL")
    _create("ix_load_counts_minutes", "load_counts", ["slot"], "slot % 900 <> 0")
    _create("ix_webhooks_failures", "webhooks", ["failures"], "failures > 0")
    op.create_index("ix_webhooks_status_owner", "webhooks", ["status", "owner"])
    op.create_index("ix_webhooks_organization_id_id", "webhooks", ["organization_id", "id"])
    op.create_index("ix_comments_organization_id_serial", "comments", ["organization_id", "serial"])
    op.create_index("ix_alarms_ended_at", "alarms", ["ended_at"])


def _create(name: str, table: str, columns: list[str], only: str) -> None:
    """An index of the rows alone of which this holds."""
    op.create_index(name, table, columns, sqlite_where=sa.text(only), postgresql_where=sa.text(only))


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
