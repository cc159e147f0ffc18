"""Outbox rows get their delivery number after they are committed; cursors and deliveries go by it.

Rows that exist keep their id as number, so that cursors and deliveries under way stay right.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

START = """
INSERT INTO outbox_sequence (id, last)
SELECT 1, COALESCE(MAX(number), 0) FROM (
    SELECT MAX(id) AS number FROM outbox
    UNION ALL SELECT MAX("cursor") FROM webhooks
    UNION ALL SELECT MAX(outbox_id) FROM webhook_rounds
    UNION ALL SELECT MAX(outbox_id) FROM webhook_waiting
) AS used
"""


def upgrade() -> None:
    op.create_table(
        "outbox_sequence",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox_sequence"),
    )
    op.execute(START)
    op.add_column("outbox", sa.Column("number", sa.BigInteger(), nullable=True))
    op.execute("UPDATE outbox SET number = id")
    op.drop_index("ix_outbox_organization_id_id", "outbox")
    op.create_index("ix_outbox_organization_id_number", "outbox", ["organization_id", "number"])
    op.create_index("ix_outbox_number_id", "outbox", ["number", "id"])
    op.drop_index("ix_webhook_rounds_webhook_id_outbox_id", "webhook_rounds")
    for table in ("webhook_waiting", "webhook_rounds"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN outbox_id TO number")
    op.create_index("ix_webhook_rounds_webhook_id_number", "webhook_rounds", ["webhook_id", "number"])


# A cursor between ids: nothing that was not delivered lies before it.
CURSOR_BY_ID = """
UPDATE webhooks SET "cursor" = COALESCE(
    (SELECT MIN(id) - 1 FROM outbox WHERE number > webhooks."cursor" OR number IS NULL), (SELECT MAX(id) FROM outbox), 0)
"""


def downgrade() -> None:
    op.execute(CURSOR_BY_ID)
    op.drop_index("ix_webhook_rounds_webhook_id_number", "webhook_rounds")
    for table in ("webhook_waiting", "webhook_rounds"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN number TO outbox_id")
    op.create_index("ix_webhook_rounds_webhook_id_outbox_id", "webhook_rounds", ["webhook_id", "outbox_id"])
    for index in ("ix_outbox_number_id", "ix_outbox_organization_id_number"):
        op.drop_index(index, "outbox")
    op.create_index("ix_outbox_organization_id_id", "outbox", ["organization_id", "id"])
    op.drop_column("outbox", "number")
    op.drop_table("outbox_sequence")
