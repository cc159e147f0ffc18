"""The timeline keeps a post as a person had left it before the sync wrote it again, and upon which health of sources was decided.

Columns that may be empty; a daemon of before goes on and leaves them so.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from store.migrations.locks import lock_tables

revision = "0114"
down_revision = "0113"
branch_labels = None
depends_on = None


def upgrade() -> None:
    lock_tables("post_times", "decisions")
    op.add_column("post_times", sa.Column("of_person", sa.Text(), nullable=True))
    op.add_column("decisions", sa.Column("health", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
