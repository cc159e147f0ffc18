"""A start finds the liveblogs that the sync still writes for, however many have finished.

A daemon of before goes on meanwhile: it finds them by going through all.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0112"
down_revision = "0111"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("attachments")
    is_open = sa.text("closed_at IS NULL")
    op.create_index("ix_attachments_open", "attachments", ["follow_id"], sqlite_where=is_open, postgresql_where=is_open)


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
