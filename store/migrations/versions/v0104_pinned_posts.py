"""Pinned posts are found by an index that holds them alone, however many others a liveblog has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0104"
down_revision = "0103"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("events")
    written = sa.text("""doc LIKE '%"highlight":"sticky%'""")
    op.create_index(
        "ix_events_pinned",
        "events",
        ["game_id", "local_status", "sort"],
        sqlite_where=written,
        postgresql_where=written,
    )


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
