"""Parts: which event has the block, file or incident of a `local_id`."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from mapping.references import part_ids
from store.sql.json_type import loads

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    table = op.create_table(
        "parts",
        sa.Column("local_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("local_id", name="pk_parts"),
        sa.ForeignKeyConstraint(["event_id"], ["events.local_id"], name="fk_parts_event_id_events", ondelete="CASCADE"),
    )
    op.create_index("ix_parts_event_id", "parts", ["event_id"])
    conn = op.get_bind()
    rows = conn.execute(sa.text("SELECT local_id, doc FROM events ORDER BY version, local_id")).all()
    held = {name: row.local_id for row in reversed(rows) for _, name in part_ids(loads(row.doc))}
    if held:
        conn.execute(table.insert(), [{"local_id": name, "event_id": event_id} for name, event_id in held.items()])


def downgrade() -> None:
    op.drop_table("parts")
