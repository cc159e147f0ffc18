"""One of the living processes leads and runs the jobs; the queue that shared them out, in a schema of its own, goes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leaders",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("worker_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name="fk_leaders_worker_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("kind", name="pk_leaders"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP SCHEMA IF EXISTS matchwire_jobs CASCADE")


def downgrade() -> None:
    raise NotImplementedError("export from the new version, import into the old one")
